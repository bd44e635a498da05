"""Laying a convoy, and the declarations that choose its Inspector (PR-20 … PR-25)."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Declare, LayConvoy
from appliance.games.prohis.rules.cards import PROHIS, holds
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import end_turn
from appliance.games.prohis.rules.prompts import private_prompt
from appliance.games.prohis.rules.state import Convoy, Declared, State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection

SMALLEST, LARGEST = 2, 4
"""Minimum and maximum number of cards in a convoy (PR-20)."""


def lay_convoy(builder: StepBuilder, action: LayConvoy) -> Rejection | None:
    """Lay the cards as a convoy. All other players who have not passed have to declare."""
    state = builder.state
    if not SMALLEST <= len(action.cards) <= LARGEST:
        return reject("convoy_size", "PR-20", {"least": SMALLEST, "most": LARGEST})
    if not holds(state.players[action.seat].hand, action.cards):
        return reject("not_in_hand", "PR-20", {"seat": action.seat})
    builder.hand_out(action.seat, action.cards)
    builder.change(phase="declare", convoy=Convoy(cards=action.cards))
    builder.tell("convoy_laid", "PR-20", seat=action.seat, number=len(action.cards))
    settle_declarations(builder)
    return None


def declare(builder: StepBuilder, action: Declare) -> Rejection | None:
    """Record the declaration of one player. It is final (PR-24)."""
    state = builder.state
    if action.seat not in state.undeclared():
        return reject("declared_already", "PR-24", {"seats": list(state.undeclared())})
    if action.prohi is not None and action.prohi not in state.players[action.seat].hand:
        return reject("not_in_hand", "PR-23", {"seat": action.seat})
    declared = Declared(action.seat, action.prohi)
    builder.change_convoy(declared=(*builder.convoy.declared, declared))
    if state.options.declarations == "hidden":
        builder.tell("choice_made", "PR-24", seat=action.seat)
    else:
        _tell(builder, declared)
    settle_declarations(builder)
    return None


def settle_declarations(builder: StepBuilder) -> None:
    """Decide once all have declared: the highest rank inspects, or the convoy passes (PR-22, PR-23)."""
    state = builder.state
    if state.undeclared():
        return
    declared = builder.convoy.declared
    if state.options.declarations == "hidden":
        declared = tuple(sorted(declared, key=lambda one: state.around(state.turn).index(one.seat)))
        for one in declared:
            _tell(builder, one)
    # Among equal ranks the first wins: who declared first, or (hidden) who sits nearest clockwise from the Smuggler.
    best = max(declared, key=_rank, default=None)
    if best is None or best.prohi is None:
        arrive(builder, "PR-22")
        return
    builder.hand_out(best.seat, (best.prohi,))
    builder.change_convoy(inspector=best.seat, prohi=best.prohi)
    builder.change(phase="bribe")
    builder.tell("inspector_came", "PR-23", seat=best.seat, card=best.prohi, target=state.turn)


def arrive(builder: StepBuilder, rule: str) -> None:
    """Move the convoy into the Smuggler's warehouse, unseen except for turned cards, and end the turn."""
    state = builder.state
    cards = builder.convoy.cards
    builder.store(state.turn, cards)
    builder.tell("convoy_arrived", rule, seat=state.turn, number=len(cards))
    end_turn(builder)


def prohis_of(state: State, seat: int) -> tuple[str | None, ...]:
    """Return the declarations a player may make: None (let it pass), and each kind of Prohi in their hand."""
    return (None, *(prohi for prohi in PROHIS if prohi in state.players[seat].hand))


def _rank(declared: Declared) -> int:
    return -1 if declared.prohi is None else PROHIS.index(declared.prohi)


def _tell(builder: StepBuilder, declared: Declared) -> None:
    if declared.prohi is None:
        builder.tell("let_pass", "PR-24", seat=declared.seat)
    else:
        builder.tell("prohi_played", "PR-23", seat=declared.seat, card=declared.prohi)


# -- a player leaves


def left_in_convoy(builder: StepBuilder, seat: int) -> None:
    """Call the convoy off if the Smuggler left. Let it arrive if the Inspector left."""
    if seat == builder.state.turn:
        _call_off(builder)
    elif seat == builder.convoy.inspector:
        _return_offer(builder)
        _return_prohi(builder)
        arrive(builder, "PR-40")


def _call_off(builder: StepBuilder) -> None:
    """Return all cards to their owners and end the turn, because the Smuggler left."""
    _return_offer(builder)
    if builder.convoy.inspector is not None:
        _return_prohi(builder)
    builder.hand_in(builder.state.turn, builder.convoy.cards)
    builder.tell("convoy_called_off", "PR-40", seat=builder.state.turn)
    end_turn(builder)


def _return_offer(builder: StepBuilder) -> None:
    if builder.convoy.offer is not None:
        builder.hand_in(builder.state.turn, builder.convoy.offer)


def _return_prohi(builder: StepBuilder) -> None:
    inspector, prohi = builder.convoy.inspector, builder.convoy.prohi
    assert inspector is not None
    assert prohi is not None
    builder.hand_in(inspector, (prohi,))


def _left_while_declaring(builder: StepBuilder, seat: int) -> None:
    if seat == builder.state.turn:
        _call_off(builder)
        return
    kept = tuple(one for one in builder.convoy.declared if one.seat != seat)
    builder.change_convoy(declared=kept)
    settle_declarations(builder)


# -- the stage


def _declaring(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return tuple(
        private_prompt(state, "declare", seat, "declare", {"prohi": OneOf(prohis_of(state, seat))}, viewer)
        for seat in state.undeclared()
    )


DECLARE = ProhisStage(
    due=lambda state: reject("declarations_due", "PR-24", {"seats": list(state.undeclared())}),
    prompts=_declaring,
    does={Declare: declare},
    left=_left_while_declaring,
)
