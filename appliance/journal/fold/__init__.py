"""A game as its journal entries tell it: the fold, what it announces, and restoring it."""
