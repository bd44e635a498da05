"""Smugglers (RULES §1): spheres of putty, a rolling track and a scale."""
