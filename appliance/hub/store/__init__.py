"""The hub's database (PostgreSQL or SQLite): tables' envelopes, undecoded, and data that people entered at the hub."""
