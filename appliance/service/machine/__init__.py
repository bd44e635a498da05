"""Requests of the installed table to its machine (network, touchscreen, updates), and the notes of the last upgrade."""
