"""Renders pictures of the simulated table."""
