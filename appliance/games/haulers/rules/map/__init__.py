"""The map and the cards of Haulers, and paths on the map."""
