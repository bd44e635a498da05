"""A picture of the tray -> die and gems."""
