"""Haulers (RULES §3): trucks and boats, deliveries legal or smuggled, checks and bribes."""
