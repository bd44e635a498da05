"""Calibration of the camera's lens: fit, guide, report."""
