"""Frames of the track -> passages."""
