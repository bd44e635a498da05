"""Set-up (PR-1 … PR-5): checks the players and options."""

from __future__ import annotations

from appliance.games.base.rules.set_up_checks import wrong_players
from appliance.games.prohis.rules.options import read_options
from appliance.games.prohis.rules.state import Phase, State, Trader
from appliance.games.prohis.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection, Setup, Step

RULES_REVISION = 1
SEATS = range(3, 7)


def set_up(setup: Setup) -> Step[State] | Rejection:
    """Start a game. Actions then shuffle the deck and draw the first player, because rules use no randomness."""
    if problem := wrong_players(setup, revision=RULES_REVISION, seats=SEATS, revision_rule="PR-1", players_rule="PR-1"):
        return problem
    options = read_options(setup.options)
    if isinstance(options, Rejection):
        return options
    players = tuple(Trader(name=player.name) for player in setup.players)
    phase: Phase = "play" if options.physical else "shuffle"
    builder = StepBuilder(State(options=options, players=players, phase=phase))
    if options.physical:
        builder.tell("real_cards_used", "AP-1")
    else:
        builder.tell("players_sat_down", "PR-1", number=len(players))
    return builder.step()
