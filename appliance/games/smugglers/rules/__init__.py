"""The rules of Smugglers (RULES §1): pure."""
