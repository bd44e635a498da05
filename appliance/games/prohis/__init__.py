"""Prohis (RULES §2): a card game with smugglers, convoys and inspectors."""
