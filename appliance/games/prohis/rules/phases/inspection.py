"""Turning up a convoy's cards one at a time (PR-32 … PR-37). The first illegal card or Prohi ends the inspection."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Turn
from appliance.games.prohis.rules.cards import TURNS
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.bribing import inspector_of
from appliance.games.prohis.rules.phases.convoying import arrive, left_in_convoy
from appliance.games.prohis.rules.phases.ending import end_turn
from appliance.games.prohis.rules.prompts import prompt_of
from appliance.games.prohis.rules.state import Convoy, State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection


def unturned(convoy: Convoy) -> tuple[int, ...]:
    """Return the positions that are still face down."""
    return tuple(position for position in range(len(convoy.cards)) if position not in convoy.turned)


def turn(builder: StepBuilder, action: Turn) -> Rejection | None:
    """Turn up one card and apply its effect."""
    state, convoy = builder.state, builder.convoy
    if action.position not in unturned(convoy):
        return reject("no_card_to_turn", "PR-32", {"positions": [position + 1 for position in unturned(convoy)]})
    assert convoy.prohi is not None
    card = convoy.cards[action.position]
    builder.change_convoy(turned=(*convoy.turned, action.position))
    builder.tell("card_turned", "PR-32", seat=action.seat, card=card)
    if card == "illegal":
        _seize(builder)
    elif card != "legal":
        builder.tell("prohi_found", "PR-36", seat=state.turn, card=card)
        _let_through(builder, "PR-36")
    elif len(builder.convoy.turned) == min(TURNS[convoy.prohi], len(convoy.cards)):
        builder.tell("convoy_clean", "PR-34", seat=state.turn)
        _let_through(builder, "PR-34")
    return None


def _let_through(builder: StepBuilder, rule: str) -> None:
    """Give the Inspector's Prohi to the Smuggler, and let the convoy arrive."""
    smuggler, prohi = builder.state.turn, builder.convoy.prohi
    assert prohi is not None
    builder.hand_in(smuggler, (prohi,))
    builder.tell("prohi_won", rule, seat=smuggler, card=prohi)
    arrive(builder, rule)


def _seize(builder: StepBuilder) -> None:
    """Give the convoy to the Inspector. Their own Prohi goes to their warehouse or back to their hand (PR-35)."""
    convoy = builder.convoy
    assert convoy.inspector is not None
    assert convoy.prohi is not None
    builder.store(convoy.inspector, convoy.cards)
    if builder.state.options.seized_prohi == "hand":
        builder.hand_in(convoy.inspector, (convoy.prohi,))
    else:
        builder.store(convoy.inspector, (convoy.prohi,))
    builder.tell("convoy_seized", "PR-35", seat=convoy.inspector, number=len(convoy.cards))
    end_turn(builder)


# -- the stage


def _inspecting(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    convoy = state.convoy
    assert convoy is not None
    situation = f"inspect{len(convoy.turned) + 1}"
    return (prompt_of(state, situation, inspector_of(state), "turn", {"position": OneOf(unturned(convoy))}),)


INSPECT = ProhisStage(
    asked=lambda state: (inspector_of(state),),
    due=lambda state: reject("inspection_due", "PR-32", {"seat": inspector_of(state)}),
    prompts=_inspecting,
    does={Turn: turn},
    left=left_in_convoy,
)
