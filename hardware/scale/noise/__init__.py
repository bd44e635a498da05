"""Tracking of noise and hum beyond those of the calibration."""
