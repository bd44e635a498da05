"""Calibration: fits, their stored results, guided procedures and reports."""
