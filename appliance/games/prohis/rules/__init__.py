"""The rules of Prohis (RULES §2): pure."""
