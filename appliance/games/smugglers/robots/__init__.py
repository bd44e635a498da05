"""Robot players of Smugglers, and their hands on the simulated table."""
