"""What both ends of the broker share: keys, invitations, the connection."""
