"""The scale's own process: what it reads, how it tells it, and who watches it."""
