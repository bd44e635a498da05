"""The effects of the actions in each phase of Haulers."""
