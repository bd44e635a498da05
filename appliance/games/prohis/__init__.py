"""Prohis (RULES §2): smugglers, convoys and inspectors, played with cards."""
