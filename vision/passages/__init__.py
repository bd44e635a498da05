"""Passages: finds, in frames of the track, which sphere rolled in which lane and how its roll ended."""
