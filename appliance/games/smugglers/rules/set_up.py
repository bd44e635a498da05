"""Set-up (RULES §1.2): checks players, putty and options, and deals the starting tokens."""

from __future__ import annotations

from appliance.games.base.rules.set_up_checks import wrong_players
from appliance.games.protocol import Rejection, Setup, Step
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.options import read_options
from appliance.games.smugglers.rules.state import Pieces, Smuggler, State, Tokens
from appliance.games.smugglers.rules.step_builder import StepBuilder

RULES_REVISION = 1
PUTTIES = ("yellow", "green", "orange", "pink")
SEATS = range(2, 5)
TOKENS_OF_A_COLOUR = 28
PIECES_OF_A_COLOUR = 4


def set_up(setup: Setup) -> Step[State] | Rejection:
    """Start a game. The oldest player starts and takes the first token (SM-6 … SM-12)."""
    count = len(setup.players)
    if problem := wrong_players(
        setup, revision=RULES_REVISION, seats=SEATS, revision_rule="SM-1", players_rule="SM-6"
    ) or _wrong_putties(setup):
        return problem
    if not 0 <= setup.oldest < count:
        return reject("no_such_oldest", "SM-12", {"most": count - 1})
    options = read_options(setup.options, count)
    if isinstance(options, Rejection):
        return options
    assert options.boss_lane is not None
    undealt = PIECES_OF_A_COLOUR - count
    builder = StepBuilder(
        State(
            options=options,
            players=tuple(Smuggler(name=player.name, putty=str(player.putty)) for player in setup.players),
            start=setup.oldest,
            boss_lane=options.boss_lane,
            supply=Tokens(TOKENS_OF_A_COLOUR, TOKENS_OF_A_COLOUR),
            pieces=Pieces(undealt, undealt, undealt),
            count=count,
        )
    )
    for step, seat in enumerate(builder.state.here()):
        builder.gain(seat, "sour" if step % 2 else "sweet", "SM-10")
    builder.tell("round_started", "SM-12", seat=setup.oldest, round=1)
    return builder.step()


def _wrong_putties(setup: Setup) -> Rejection | None:
    putties = [player.putty for player in setup.players]
    for seat, putty in enumerate(putties):
        if putty not in PUTTIES:
            return reject("unknown_putty", "SM-6", {"number": seat + 1, "colours": list(PUTTIES)})
        if putty in putties[:seat]:
            return reject("putty_twice", "SM-6", {"number": seat + 1, "colour": putty})
    return None
