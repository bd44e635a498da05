"""Finds the lane of the boss figure in a picture of the slot behind the lanes."""
