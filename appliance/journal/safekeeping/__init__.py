"""Keeps the journal through a damaged disk: its copies, what notices a loss, what restores the last good state."""
