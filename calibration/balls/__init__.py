"""Calibration of diameters and putty colours with known balls: fit, guide, report."""
