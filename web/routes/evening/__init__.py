"""The routes of the evening: the league, league nights, guests, and the pages after a game."""
