"""What the actions of each phase of Smugglers do."""
