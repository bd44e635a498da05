"""Prohis (RULES §2): smugglers, convoys and inspectors, played with cards."""

from appliance.games.prohis.game import Prohis

GAME = Prohis()
"""The game as the rest of the appliance sees it: one stateless object behind the `Game` protocol."""
