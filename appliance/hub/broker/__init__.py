"""The broker between tables and hub: its keys, its configuration, its process, and the hub's client."""
