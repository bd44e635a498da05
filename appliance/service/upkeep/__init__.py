"""The upkeep of a table: its log, the metrics for monitoring, the support file."""
