"""What the actions of each phase of Prohis do."""
