"""Calibration of the camera's pose and of the lanes: fit, guide, report."""
