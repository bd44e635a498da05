"""What the actions of a turn of Haulers do."""
