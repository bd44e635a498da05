"""Calibrating with a person at the kiosk or terminal."""
