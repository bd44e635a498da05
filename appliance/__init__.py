"""The game-state service: rules, table, journal, referee and the command line."""
