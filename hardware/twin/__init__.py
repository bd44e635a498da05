"""The simulated table that stands behind the real drivers."""
