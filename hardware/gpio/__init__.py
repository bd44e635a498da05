"""Pins: a folder in which lgpio can be imported, and inputs with the times of their edges."""
