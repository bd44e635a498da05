"""The map and the cards of Haulers, and what may be driven on it."""
