"""Free choices of a token: SM-85, SM-86, SM-87, SM-93 and SM-94. The player is asked even if only one is possible."""

from __future__ import annotations

from typing import Literal, TypeAlias

from appliance.games.protocol import OneOf, Prompt, Rejection
from appliance.games.smugglers.rules.actions import PIECES, TOKENS, Forgo, Piece, Take
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.reveal import reveal_next, victims
from appliance.games.smugglers.rules.prompts import prompt_of
from appliance.games.smugglers.rules.state import Cause, State, Taking
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder

Source: TypeAlias = int | Literal["supply", "box"]
DUE_BY: dict[Cause, str] = {"missed_bomb": "SM-85", "illegal_sack": "SM-87", "revealed_bomb": "SM-93"}
"""The rule by which each choice is due."""


def sources(state: State, taking: Taking) -> dict[Source, tuple[Piece, ...]]:
    """Return the sources from which `taking` may take, each with its possible pieces."""
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
    """Return whether `taking` may be declined: only a theft by SM-93."""
    return taking.cause == "revealed_bomb" and "supply" not in sources(state, taking)


def take(builder: StepBuilder, action: Take) -> Rejection | None:
    """Move the chosen token. The bomb that allowed it is spent."""
    taking = builder.state.at(Taking)
    offered = sources(builder.state, taking)
    rule = rule_of(builder.state, taking)
    if action.token not in offered.get(action.source, ()):
        return reject("not_to_be_taken", rule, {"seat": action.seat})
    if taking.cause != "illegal_sack":
        # The bomb is spent before the token moves, because a token that wins ends the game.
        builder.spend_bomb(action.seat, rule)
    taken, source = action.token, action.source
    if source == "box" or taken == "bomb":
        _take_piece(builder, action.seat, taken)
    elif source == "supply":
        builder.gain(action.seat, taken, rule)
    else:
        builder.steal(action.seat, taken, source, rule)
    if not builder.over:
        go_on(builder)
    return None


def forgo(builder: StepBuilder, action: Forgo) -> Rejection | None:
    """Decline the theft. The bomb is spent anyway (SM-93)."""
    taking = builder.state.at(Taking)
    if not may_forgo(builder.state, taking):
        return reject("not_to_be_forgone", rule_of(builder.state, taking), {"seat": action.seat})
    builder.tell("theft_forgone", "SM-93", seat=action.seat)
    builder.spend_bomb(action.seat, "SM-93")
    go_on(builder)
    return None


def go_on(builder: StepBuilder) -> None:
    """Continue after a choice with the next inspection, or the next reveal."""
    if builder.state.inspection:
        inspect_next(builder, builder.state.inspection.place)
    else:
        reveal_next(builder)


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


def _take_piece(builder: StepBuilder, seat: int, piece: Piece) -> None:
    """Move a contraband piece from the box to the inspector (SM-87 OPT)."""
    builder.change(pieces=builder.state.pieces.plus(piece, -1))
    if piece == "bomb":
        builder.win_bomb(seat)
    builder.tell("piece_taken", "SM-87", seat=seat, piece=piece)


# -- the stage


def _choice_due(state: State) -> Rejection:
    taking = state.at(Taking)
    return reject("choice_due", DUE_BY[taking.cause], {"seat": taking.seat})


def _taking(state: State, viewer: int | None) -> list[Prompt]:
    taking = state.at(Taking)
    due = [
        prompt_of(state, taking.cause, taking.seat, "take", {"source": OneOf((source,)), "token": OneOf(offered)})
        for source, offered in sources(state, taking).items()
    ]
    if may_forgo(state, taking):
        due.append(prompt_of(state, taking.cause, taking.seat, "forgo", {}))
    return due


def _left_while_taking(builder: StepBuilder, seat: int) -> None:
    taking, inspection = builder.state.at(Taking), builder.state.inspection
    if seat == taking.seat:
        go_on(builder)
    elif taking.cause == "missed_bomb" and inspection and inspection.inspector == seat:
        builder.spend_bomb(taking.seat, "SM-85")
        go_on(builder)


TAKING = SmugglersStage(
    asked=lambda state: (state.at(Taking).seat,),
    due=_choice_due,
    prompts=_taking,
    does={Take: take, Forgo: forgo},
    left=_left_while_taking,
)
