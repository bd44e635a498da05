"""Laying a convoy and who comes to inspect it (PR-20 … PR-25)."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Convoy as LayConvoy
from appliance.games.prohis.rules.actions import Declare
from appliance.games.prohis.rules.cards import PROHIS, holds
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import end_turn
from appliance.games.prohis.rules.refusals import due
from appliance.games.prohis.rules.state import Convoy, Declared, State
from appliance.games.prohis.rules.step_builder import Draft
from appliance.games.protocol import Rejection

SMALLEST, LARGEST = 2, 4
"""Cards of a convoy (PR-20)."""


def lay_convoy(draft: Draft, action: LayConvoy) -> Rejection | None:
    """Lay the cards; everybody who is still in has to declare."""
    state = draft.state
    if state.phase != "turn" or action.seat != state.turn:
        return due(state)
    if not SMALLEST <= len(action.cards) <= LARGEST:
        return reject("convoy_size", "PR-20", {"least": SMALLEST, "most": LARGEST})
    if not holds(state.players[action.seat].hand, action.cards):
        return reject("not_in_hand", "PR-20", {"seat": action.seat})
    draft.hand_out(action.seat, action.cards)
    draft.change(phase="declare", convoy=Convoy(cards=action.cards))
    draft.tell("convoy_laid", "PR-20", seat=action.seat, number=len(action.cards))
    settle_declarations(draft)
    return None


def declare(draft: Draft, action: Declare) -> Rejection | None:
    """Take what one player says; it is final (PR-24)."""
    state = draft.state
    if state.phase != "declare":
        return due(state)
    if action.seat not in state.undeclared():
        return reject("declared_already", "PR-24", {"seats": list(state.undeclared())})
    if action.prohi is not None and action.prohi not in state.players[action.seat].hand:
        return reject("not_in_hand", "PR-23", {"seat": action.seat})
    declared = Declared(action.seat, action.prohi)
    draft.change_convoy(declared=(*draft.convoy.declared, declared))
    if state.options.declarations == "hidden":
        draft.tell("choice_made", "PR-24", seat=action.seat)
    else:
        _tell(draft, declared)
    settle_declarations(draft)
    return None


def settle_declarations(draft: Draft) -> None:
    """Once all have declared: the highest rank inspects, or the convoy passes (PR-22, PR-23)."""
    state = draft.state
    if state.undeclared():
        return
    declared = draft.convoy.declared
    if state.options.declarations == "hidden":
        declared = tuple(sorted(declared, key=lambda one: state.around(state.turn).index(one.seat)))
        for one in declared:
            _tell(draft, one)
    # The first of equals wins: who came first, or who sits nearest clockwise from the Smuggler.
    best = max(declared, key=_rank, default=None)
    if best is None or best.prohi is None:
        arrive(draft, "PR-22")
        return
    draft.hand_out(best.seat, (best.prohi,))
    draft.change_convoy(inspector=best.seat, prohi=best.prohi)
    draft.change(phase="bribe")
    draft.tell("inspector_came", "PR-23", seat=best.seat, card=best.prohi, target=state.turn)


def arrive(draft: Draft, rule: str) -> None:
    """Let the convoy into the Smuggler's warehouse, unseen but for what was turned, and end the turn."""
    state = draft.state
    cards = draft.convoy.cards
    draft.store(state.turn, cards)
    draft.tell("convoy_arrived", rule, seat=state.turn, number=len(cards))
    end_turn(draft)


def prohis_of(state: State, seat: int) -> tuple[str | None, ...]:
    """Return what a player may declare: letting pass, and each kind of Prohi in his hand."""
    return (None, *(prohi for prohi in PROHIS if prohi in state.players[seat].hand))


def _rank(declared: Declared) -> int:
    return -1 if declared.prohi is None else PROHIS.index(declared.prohi)


def _tell(draft: Draft, declared: Declared) -> None:
    if declared.prohi is None:
        draft.tell("let_pass", "PR-24", seat=declared.seat)
    else:
        draft.tell("prohi_played", "PR-23", seat=declared.seat, card=declared.prohi)
