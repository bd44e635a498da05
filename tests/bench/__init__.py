"""Measurements, side by side with peers or floors in the same run. `python -m tests.bench` runs all of them."""
