"""Set-up (PR-1 … PR-5): who plays; with real cards, only who keeps score."""

from __future__ import annotations

from appliance.games.base.rules.names import wrong_names
from appliance.games.prohis.rules.options import read_options
from appliance.games.prohis.rules.state import Phase, State, Trader
from appliance.games.prohis.rules.step_builder import Draft
from appliance.games.protocol import Rejection, Setup, Step

RULES_REVISION = 1
SEATS = range(3, 7)


def set_up(setup: Setup) -> Step[State] | Rejection:
    """Sit down; the deck is shuffled and the first player drawn by actions, because chance is never in the rules."""
    if setup.rules != RULES_REVISION:
        return Rejection("unknown_rules_revision", "PR-1", {"revision": setup.rules, "known": RULES_REVISION})
    if len(setup.players) not in SEATS:
        return Rejection("player_count", "PR-1", {"least": SEATS[0], "most": SEATS[-1]})
    if problem := wrong_names(setup, "PR-1"):
        return problem
    options = read_options(setup.options)
    if isinstance(options, Rejection):
        return options
    players = tuple(Trader(name=player.name) for player in setup.players)
    phase: Phase = "play" if options.physical else "shuffle"
    draft = Draft(State(options=options, players=players, phase=phase))
    if options.physical:
        draft.tell("real_cards_used", "AP-1")
    else:
        draft.tell("players_sat_down", "PR-1", number=len(players))
    return draft.step()
