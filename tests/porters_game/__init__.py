"""Porters, a small game of the tests: the example of docs/adding-a-game.md."""
