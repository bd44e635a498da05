"""One folder per game. `game.py` defines the parts of a game."""
