"""Smugglers (RULES §1): spheres of putty, a rolling track and a scale."""

from appliance.games.smugglers.game import Smugglers

GAME = Smugglers()
