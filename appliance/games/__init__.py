"""One folder per game; `game.py` says what a game is."""
