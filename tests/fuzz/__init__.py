"""Rubbish thrown at every door that takes a file: `make fuzz` for minutes, `pytest` for a moment."""
