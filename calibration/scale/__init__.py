"""Calibration of the scale: fit, noise, creep, guide, report."""
