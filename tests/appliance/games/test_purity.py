"""Rules do no input or output, know no clock and no chance (DESIGN §3): shown by what they import, and by playing."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from random import Random

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Action, Setup
from appliance.journal.transcript import fold
from tests.places import ROOT

PURE = {
    *("__future__", "collections", "collections.abc", "decimal", "functools", "hashlib", "itertools", "math", "re"),
    *("typing", "msgspec", "msgspec.structs", "appliance.games.protocol"),
}
HEAVY = ("cv2", "numpy", "flask", "gpiozero", "socket", "sqlite3", "babel", "tomllib")
FORBIDDEN_CALLS = ("open", "print", "input", "exec", "eval", "__import__")

every_game = pytest.mark.parametrize("name", GAMES)


def game_of(name: str, players: int, seed: int, **played: float) -> tuple[Setup, list[Action]]:
    """A random game to its end."""
    play = import_module(f"tests.appliance.games.{name}.play")
    setup = play.a_setup(players)
    return setup, [action for _, action, _, _ in play.played(setup, Random(seed), **played)]


@every_game
def test_rules_import_nothing_that_could_do_anything(name: str) -> None:
    """Pure is what lies in the game's `rules/` and in `games/base/rules/`."""
    package = f"appliance.games.{name}.rules"
    modules = sorted((ROOT / "appliance" / "games" / name / "rules").rglob("*.py"))
    assert len(modules) > 3
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                imported = [node.module or ""]
            for module in imported:
                own = module == package or module.startswith((f"{package}.", "appliance.games.base.rules"))
                assert own or module in PURE, f"{path.name} imports {module}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in FORBIDDEN_CALLS, path.name


@every_game
def test_importing_the_rules_loads_no_device_no_socket_and_no_web(name: str) -> None:
    code = f"import sys, appliance.games.{name}.rules.rules; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@every_game
def test_a_game_folds_with_clock_chance_and_files_taken_away(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    setup, actions = game_of(name, 3, 1)

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a rule reached for the world")

    with monkeypatch.context() as patch:
        for function in ("time.time", "time.monotonic", "random.random", "os.urandom", "builtins.open", "io.open"):
            patch.setattr(function, forbidden)
        state = fold(setup, actions)
    assert the_game(name).rules.outcome(state) is not None


@every_game
def test_equal_histories_give_equal_bytes_in_another_process(name: str) -> None:
    """No order of a set or a hash ever gets into a state."""
    setup, actions = game_of(name, 4, 8, leaving=0.004)
    code = (
        f"import sys, msgspec; from appliance.games.{name}.rules.rules import RULES;"
        "from appliance.games.protocol import Setup;"
        "from appliance.journal.transcript import fold; lines = sys.stdin.buffer.read().splitlines();"
        "d = msgspec.json.decode; a = [d(line, type=RULES.action_type) for line in lines[1:]];"
        "sys.stdout.buffer.write(msgspec.json.encode(fold(d(lines[0], type=Setup), a)))"
    )
    lines = b"\n".join(msgspec.json.encode(line) for line in (setup, *actions))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], input=lines, capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {msgspec.json.encode(fold(setup, actions))}
