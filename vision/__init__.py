"""Frames become observations; nothing here opens a camera."""
