"""The table's side: it reads the journal, makes envelopes, and sends them until the hub's database has them."""
