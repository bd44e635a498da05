"""Replaces the secret cards of a game of Prohis for exports. The public game stays the same."""
