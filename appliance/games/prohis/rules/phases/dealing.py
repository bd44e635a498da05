"""Shuffling, dealing and drawing the first player. Results of chance arrive in actions (PR-2 … PR-5)."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Shuffle, Start
from appliance.games.prohis.rules.cards import OWN_PROHIS, deck
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import out_of_game
from appliance.games.prohis.rules.state import ROW, State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import AnyOrder, Choice, OneOf, Prompt, Rejection

DEALT = 4
"""Cards dealt to each player in addition to their Captain and Major."""


def shuffle(builder: StepBuilder, action: Shuffle) -> Rejection | None:
    """Deal from the shuffled deck. The rest is the draw pile."""
    seats = len(builder.state.players)
    ordered = deck(seats)
    if sorted(action.order) != list(range(len(ordered))):
        return reject("bad_shuffle", "PR-4", {"count": len(ordered)})
    cards = tuple(ordered[number] for number in action.order)
    for seat in range(seats):
        builder.hand_in(seat, (*OWN_PROHIS, *cards[seat * DEALT : (seat + 1) * DEALT]))
    dealt = seats * DEALT
    builder.change(phase="start", row=cards[dealt : dealt + ROW], pile=cards[dealt + ROW :])
    builder.tell("cards_dealt", "PR-4", number=len(builder.state.pile))
    return None


def start(builder: StepBuilder, action: Start) -> Rejection | None:
    """Start the first turn."""
    state = builder.state
    if not 0 <= action.first < len(state.players):
        return reject("no_such_seat", "PR-5", {"most": len(state.players) - 1})
    if problem := out_of_game(state, action.first):
        return problem
    builder.change(phase="turn", turn=action.first, turns=1)
    builder.tell("start_drawn", "PR-5", seat=action.first)
    return None


# -- the stages


def _shuffling(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    order: dict[str, Choice] = {"order": AnyOrder(len(deck(len(state.players))))}
    return (Prompt(prompt="shuffle", seat=None, do="shuffle", choices=order, chance="must", by="table"),)


def _starting(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    here = tuple(seat for seat, player in enumerate(state.players) if not player.passed)
    first: dict[str, Choice] = {"first": OneOf(here)}
    return (Prompt(prompt="start", seat=None, do="start", choices=first, chance="must", by="table"),)


SHUFFLE = ProhisStage(due=lambda state: reject("shuffle_due", "PR-4"), prompts=_shuffling, does={Shuffle: shuffle})
START = ProhisStage(due=lambda state: reject("start_due", "PR-5"), prompts=_starting, does={Start: start})
