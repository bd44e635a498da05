"""The league: ratings and standings of guests over many games and tables. Pure."""
