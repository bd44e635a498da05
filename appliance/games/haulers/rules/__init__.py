"""The rules of Haulers (RULES §3): pure."""
