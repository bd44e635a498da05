"""Haulers (RULES §3): a game with trucks and boats, legal or smuggled deliveries, checks and bribes."""
