"""One module per group of addresses."""
