"""The chain at a glance: how its tables are, what is played, figures; and what its tables are offered."""
