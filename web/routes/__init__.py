"""The routes, one module per group of addresses."""
