"""Measures the sphere on the pan: outline, diameter and colour."""
