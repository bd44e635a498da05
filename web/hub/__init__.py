"""The pages of a hub: the chain at a glance, the league, a café's wall, league nights over its tables."""
