"""Cameras: drivers behind one feed, and the model of lens and pose."""
