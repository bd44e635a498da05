"""Guided calibration by a person at the kiosk or terminal."""
