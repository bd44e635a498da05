"""Replaces the secret cards of a game of Haulers for exports. The public game stays the same."""
