"""What keeps a table running for years: its log, the figures for monitoring, the support file."""
