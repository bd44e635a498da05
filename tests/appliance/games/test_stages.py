"""A stage says once what is asked, what is refused and what each action does."""

from __future__ import annotations

import ast
from importlib import import_module
from random import Random
from typing import Any, get_args

import pytest

from appliance.games.base.rules.stage_rules import StageRules
from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Rejection, tag_of
from tests.appliance.games.contract import play
from tests.appliance.games.contract.codes import rules_files, rules_package
from tests.appliance.games.contract.play import EVERY

PHASED = tuple(name for name in GAMES if (the_game(name).folder / "rules" / "phases").is_dir())
"""The games that wait in many different ways. A small one has no stages."""
STAGES = {name: "stage_rules" if name == "haulers" else "stages" for name in PHASED}
"""By game, the module under `rules/` that lists the rules of its stages."""

ANY_TIME = ("leave", "repay", "unseal")
OWN = frozenset(
    {
        *("seat_passed", "seat_left", "seat_is_out"),
        *("must_inspect", "hourglass_not_running", "sealing_closed", "no_such_mass"),
    }
)
"""What is said of an action in whatever stage."""
FEW = 2
"""Cases of a `match` that asks one thing of a stage; more go through the stages."""


def listed(name: str) -> Any:
    return import_module(f"{rules_package(the_game(name))}.{STAGES[name]}").STAGES


@pytest.mark.parametrize("name", PHASED)
def test_every_stage_has_its_rules(name: str) -> None:
    state = import_module(f"{rules_package(the_game(name))}.state")
    assert set(listed(name)) == set(get_args(state.Phase if name == "prohis" else state.Stage))


@pytest.mark.parametrize("name", GAMES)
def test_no_module_goes_through_the_stages_again(name: str) -> None:
    matches = [
        f"{path.name}:{node.lineno}"
        for path in rules_files(the_game(name))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Match) and len(node.cases) > FEW
        if ast.unparse(node.subject).endswith((".stage", ".phase"))
    ]
    assert matches == []


@pytest.mark.parametrize("name", [name for name in PHASED if name != "haulers"])
def test_what_is_prompted_is_what_the_stage_takes_and_the_rest_is_refused_by_what_is_due(name: str) -> None:
    game, stages, random = EVERY[name], listed(name), Random(7)
    seen: set[Any] = set()
    for seed in range(4):
        played = play.play(game, seed)
        for step in played.steps[:-1]:
            stage = step.state.phase if name == "prohis" else type(step.state.stage)
            rules: StageRules[Any, Any] = stages[stage]
            seen.add(stage)
            takes = {kind.__struct_config__.tag for kind in rules.does}
            asked = {prompt.do for prompt in play.own_prompts(game, step.state, len(played.seats))}
            assert asked <= takes | {"repay", "unseal"}, stage
            action = random.choice(played.actions)
            if type(action) not in rules.does and tag_of(action) not in ANY_TIME:
                refused = game.rules.apply(step.state, action)
                assert isinstance(refused, Rejection), (stage, action)
                assert refused.code in {rules.due(step.state).code, *OWN}, (stage, action)
    assert len(seen) > len(stages) / 2
