"""Rules do no input or output, know no clock and no chance: shown by what they import, and by playing."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

import appliance.games.prohis as package
from appliance.games.prohis import GAME
from appliance.transcript import fold
from tests.games.prohis.play import a_setup, played

FOLDER = Path(package.__file__).parent
OTHERS = {"referee.py", "robot.py"}
"""Around the rules, not of them: they read sensors or play."""
SEARCH = {name: {"random"} for name in ("stand_ins.py", "world_search.py", "hand_search.py", "crossing.py")}
"""The search for stand-ins draws with fixed start values: the same story gives the same ones."""
ALLOWED = {
    *(
        "__future__",
        "collections",
        "collections.abc",
        "importlib",
        "math",
        "msgspec",
        "msgspec.structs",
        "typing",
        "itertools",
    ),
    *("appliance.games.game", "appliance.games.names"),
}


def test_rules_import_nothing_that_could_do_anything() -> None:
    modules = [path for path in FOLDER.glob("*.py") if path.name not in OTHERS]
    assert len(modules) > 15
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                own = name.split(".")[:3] == ["appliance", "games", "prohis"]
                assert own or name in ALLOWED | SEARCH.get(path.name, set()), f"{path.name} imports {name}"
                assert not own or f"{name.split('.')[-1]}.py" not in OTHERS, f"{path.name} imports {name}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("open", "print", "input", "exec", "eval", "__import__"), path.name


def test_importing_the_game_loads_no_device_no_socket_and_no_web() -> None:
    heavy = ("cv2", "numpy", "flask", "gpiozero", "socket", "sqlite3", "babel")
    code = f"import sys, appliance.games.prohis; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_game_folds_with_clock_chance_and_files_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = a_setup(3)
    actions = [action for _, action, _, _ in played(setup, random.Random(1))]

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a rule reached for the world")

    with monkeypatch.context() as patch:
        for name in ("time.time", "time.monotonic", "random.random", "os.urandom", "builtins.open", "io.open"):
            patch.setattr(name, forbidden)
        state = fold(setup, actions)
    assert GAME.outcome(state) is not None
