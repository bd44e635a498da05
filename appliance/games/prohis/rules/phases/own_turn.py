"""The turn of a player: they draw, lay a convoy or pass (PR-10)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.prohis.rules.actions import Draw, LayConvoy, Pass, Take
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.convoying import LARGEST, SMALLEST, lay_convoy
from appliance.games.prohis.rules.phases.drawing import draw, drawable, take
from appliance.games.prohis.rules.phases.ending import left_in_turn, pass_out
from appliance.games.prohis.rules.prompts import private_prompt, prompt_of
from appliance.games.prohis.rules.state import State
from appliance.games.prohis.rules.step_builder import ProhisStage
from appliance.games.protocol import Prompt, SomeOf


def _prompts(state: State, viewer: int | None) -> Iterator[Prompt]:
    seat, hand = state.turn, state.players[state.turn].hand
    yield from drawable(state, "turn")
    if len(hand) >= SMALLEST:
        choice = SomeOf(hand, SMALLEST, min(LARGEST, len(hand)))
        yield private_prompt(state, "turn", seat, "convoy", {"cards": choice}, viewer)
    yield prompt_of(state, "turn", seat, "pass")


TURN = ProhisStage(
    asked=lambda state: (state.turn,),
    due=lambda state: reject("turn_due", "PR-10", {"seat": state.turn}),
    prompts=_prompts,
    does={Take: take, Draw: draw, LayConvoy: lay_convoy, Pass: pass_out},
    left=left_in_turn,
)
