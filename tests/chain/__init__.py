"""A whole chain on one machine: tables, broker, hub and database, killed on purpose."""
