"""Shared by tables and hub, the broker's clients: keys, invitations, offers, the connection."""
