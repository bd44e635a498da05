"""Smugglers (RULES §1): a game with spheres of putty, a rolling track and a scale."""
