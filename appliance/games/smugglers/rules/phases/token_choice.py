"""Free choices of a token: SM-85, SM-86, SM-87, SM-93 and SM-94. Always asked, even with one possible answer."""

from __future__ import annotations

from typing import Literal, TypeAlias

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import PIECES, TOKENS, Forgo, Piece, Take
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.reveal import reveal_next, victims
from appliance.games.smugglers.rules.refusals import due
from appliance.games.smugglers.rules.state import State, Taking
from appliance.games.smugglers.rules.step_builder import Draft

Source: TypeAlias = int | Literal["supply", "box"]


def sources(state: State, taking: Taking) -> dict[Source, tuple[Piece, ...]]:
    """Return where `taking` may take from, and what from each."""
    if taking.cause == "illegal_sack":
        in_box = tuple(piece for piece in PIECES if getattr(state.pieces, piece))
        if state.options.illegal_sack == "piece" and in_box:
            return {"box": in_box}
        return {"supply": TOKENS}
    if taking.cause == "missed_bomb":
        assert state.inspection is not None
        from_whom = tuple(seat for seat in (state.inspection.inspector,) if _owned(state, seat))
    else:
        from_whom = victims(state, taking.seat)
    if not from_whom:
        return {"supply": TOKENS}
    return {seat: _owned(state, seat) for seat in from_whom}


def may_forgo(state: State, taking: Taking) -> bool:
    """Return whether `taking` is a theft that may be declined: only SM-93."""
    return taking.cause == "revealed_bomb" and "supply" not in sources(state, taking)


def take(draft: Draft, action: Take) -> Rejection | None:
    """Move the chosen token; a bomb that allowed it is spent."""
    taking = draft.state.stage
    if not isinstance(taking, Taking) or action.seat != taking.seat:
        return due(draft.state)
    offered = sources(draft.state, taking)
    rule = rule_of(draft.state, taking)
    if action.token not in offered.get(action.source, ()):
        return reject("not_to_be_taken", rule, {"seat": action.seat})
    if taking.cause != "illegal_sack":
        # It lies open already: spent before the token moves, so that a winning theft is whole.
        draft.spend_bomb(action.seat, rule)
    taken, source = action.token, action.source
    if source == "box" or taken == "bomb":
        _take_piece(draft, action.seat, taken)
    elif source == "supply":
        draft.gain(action.seat, taken, rule)
    else:
        draft.steal(action.seat, taken, source, rule)
    if not draft.over:
        go_on(draft)
    return None


def forgo(draft: Draft, action: Forgo) -> Rejection | None:
    """Decline the theft; the bomb is spent all the same (SM-93)."""
    taking = draft.state.stage
    if not isinstance(taking, Taking) or action.seat != taking.seat:
        return due(draft.state)
    if not may_forgo(draft.state, taking):
        return reject("not_to_be_forgone", rule_of(draft.state, taking), {"seat": action.seat})
    draft.tell("theft_forgone", "SM-93", seat=action.seat)
    draft.spend_bomb(action.seat, "SM-93")
    go_on(draft)
    return None


def go_on(draft: Draft) -> None:
    """Leave a choice behind: on to the next inspection, or the next reveal."""
    if draft.state.inspection:
        inspect_next(draft, draft.state.inspection.place)
    else:
        reveal_next(draft)


def rule_of(state: State, taking: Taking) -> str:
    """Return the rule that allows `taking` now."""
    if taking.cause == "illegal_sack":
        return "SM-87"
    from_supply = "supply" in sources(state, taking)
    if taking.cause == "missed_bomb":
        return "SM-86" if from_supply else "SM-85"
    return "SM-94" if from_supply else "SM-93"


def _owned(state: State, seat: int) -> tuple[Piece, ...]:
    tokens = state.players[seat].tokens
    return tuple(token for token in TOKENS if tokens.of(token))


def _take_piece(draft: Draft, seat: int, piece: Piece) -> None:
    """Move a contraband piece from the box behind the inspector's screen (SM-87 OPT)."""
    draft.change(pieces=draft.state.pieces.plus(piece, -1))
    if piece == "bomb":
        draft.change_player(seat, usable_bombs=draft.state.players[seat].usable_bombs + 1)
    draft.tell("piece_taken", "SM-87", seat=seat, piece=piece)
