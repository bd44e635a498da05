"""The state of a chain's tables: their health, their games, figures; and the offers to its tables."""
