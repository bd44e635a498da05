"""Set-up (RULES §4.1): checks the players and options, and divides the money equally."""

from __future__ import annotations

from appliance.games.base.rules.set_up_checks import wrong_players
from appliance.games.customs.rules.options import read_options
from appliance.games.customs.rules.phases.rounds import begin_round
from appliance.games.customs.rules.state import Appointing, Person, State
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection, Setup, Step

RULES_REVISION = 1
SEATS = range(3, 7)


def set_up(setup: Setup) -> Step[State] | Rejection:
    """Start a game: divide the money. The options or chance name the first Officer (CU-3, CU-4)."""
    count = len(setup.players)
    if problem := wrong_players(setup, revision=RULES_REVISION, seats=SEATS, revision_rule="CU-1", players_rule="CU-1"):
        return problem
    options = read_options(setup.options, count)
    if isinstance(options, Rejection):
        return options
    note = options.smallest_note
    share = options.total // note // count * note
    builder = StepBuilder(
        State(
            options=options,
            players=tuple(Person(name=player.name, money=share) for player in setup.players),
            stage=Appointing(),
            set_aside=options.total - share * count,
        )
    )
    builder.tell("money_divided", "CU-4", amount=share)
    if builder.state.set_aside:
        builder.tell("money_set_aside", "CU-4", amount=builder.state.set_aside)
    if options.first_officer is not None:
        begin_round(builder, options.first_officer)
    return builder.step()
