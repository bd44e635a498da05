"""The one writer of the game: its thread, its state, and the readings' advice while it waits for people."""
