"""What a hub keeps: the envelopes of tables, unread, and what people told the hub itself. PostgreSQL or SQLite."""
