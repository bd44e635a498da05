"""The reveal of the uninspected spheres (RULES §1.9): the office first, then the junk room."""

from __future__ import annotations

from appliance.games.protocol import Choice, OneOf, Prompt, Rejection
from appliance.games.smugglers.rules.actions import Order, Piece
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.rounds import next_round
from appliance.games.smugglers.rules.prompts import prompt_of
from appliance.games.smugglers.rules.state import Opening, Ordering, RankedSphere, State, Taking, Weighing
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder

FIRST: dict[str, Choice] = {"first": OneOf((True, False))}


def reveal_next(builder: StepBuilder) -> None:
    """Ask the next uninspected player to open (SM-90), or end the round."""
    builder.change(phase="reveal", inspection=None)
    state = builder.state
    junk = state.unopened_junk()
    for place in (1, 2):
        seat = state.in_chair(place)
        if seat is not None and state.players[seat].opened is None:
            builder.change(stage=Opening(seat))
            return
    if not junk:
        next_round(builder)
    elif len(junk) == 1:
        builder.change(stage=Opening(junk[0]))
    elif state.first_of_two is not None:
        builder.change(stage=Opening(state.first_of_two))
    else:
        builder.change(stage=Weighing(tuple(RankedSphere(seat) for seat in junk)))
        builder.tell("weighing_began", "SM-94a", seats=list(junk))


def ask_order(builder: StepBuilder, larger: int, smaller: int) -> None:
    """Let the player with the smaller of two stuck spheres choose who reveals first (SM-94a)."""
    builder.change(stage=Ordering(seat=smaller, other=larger))
    builder.tell("smaller_sphere_found", "SM-94a", seat=smaller)


def order(builder: StepBuilder, action: Order) -> Rejection | None:
    """Apply the choice of the player with the smaller sphere."""
    stage = builder.state.at(Ordering)
    first = stage.seat if action.first else stage.other
    builder.change(first_of_two=first)
    builder.tell("order_chosen", "SM-94a", seat=first)
    reveal_next(builder)
    return None


def resolve_reveal(builder: StepBuilder, seat: int, hidden: Piece | None) -> None:
    """Settle an uninspected sphere: its token (SM-91), a theft (SM-93), or nothing for an illegal sack (SM-88)."""
    if hidden == "bomb":
        builder.change(stage=Taking(seat, "revealed_bomb"))
        return
    if hidden is None:
        builder.tell("sack_illegal", "SM-88", seat=seat)
    else:
        builder.gain(seat, hidden, "SM-91")
    if not builder.over:
        reveal_next(builder)


def victims(state: State, thief: int) -> tuple[int, ...]:
    """Return the opponents who own a token (SM-93)."""
    return tuple(
        seat
        for seat in state.here()
        if seat != thief and state.players[seat].tokens.sweet + state.players[seat].tokens.sour
    )


# -- the stage


def _ordering(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return (prompt_of(state, "order", state.at(Ordering).seat, "order", FIRST),)


def _left_while_ordering(builder: StepBuilder, seat: int) -> None:
    ordering = builder.state.at(Ordering)
    if seat in (ordering.seat, ordering.other):
        reveal_next(builder)


ORDERING = SmugglersStage(
    asked=lambda state: (state.at(Ordering).seat,),
    due=lambda state: reject("order_due", "SM-94a", {"seat": state.at(Ordering).seat}),
    prompts=_ordering,
    does={Order: order},
    left=_left_while_ordering,
)
