"""Robot players of Haulers."""
