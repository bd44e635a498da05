"""Robot players of Smugglers, and simulated hands."""
