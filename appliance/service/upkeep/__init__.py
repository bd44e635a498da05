"""The upkeep of a table: its log, the figures for monitoring, the support file."""
