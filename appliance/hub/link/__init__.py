"""What both ends of the broker share: keys, invitations, offers, the connection."""
