"""The chain at a glance: how its tables are, what is played, the figures of an evening and for monitoring."""
