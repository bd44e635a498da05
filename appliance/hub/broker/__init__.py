"""The broker between tables and hub: its keys, its configuration, the process that runs it, and the hub's end of it."""
