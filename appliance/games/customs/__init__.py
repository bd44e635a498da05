"""Customs (RULES §4): a suitcase, a declaration, and an Officer who may look."""
