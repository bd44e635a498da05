"""The table's side: the journal read as envelopes, and sent until the hub's database has them."""
