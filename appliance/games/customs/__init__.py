"""Customs (RULES §4): a card game with a suitcase, a declaration, and an Officer who may search."""
