"""Pure parts that the rules of all games share."""
