"""The pages of a hub: an overview of the chain, the league, a café's wall, league nights over its tables."""
