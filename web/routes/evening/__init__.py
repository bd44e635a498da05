"""The evening: the league, a night of it, what is told after a game."""
