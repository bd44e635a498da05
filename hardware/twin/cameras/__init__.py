"""Cameras over the simulated table."""
