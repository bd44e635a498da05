"""Reads the die and the gems in a picture of the tray."""
