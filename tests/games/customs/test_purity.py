"""Rules do no input or output, know no clock and no chance (DESIGN §3): shown by what they import, and by playing."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import appliance.games.customs as package
from appliance.games.customs import GAME
from appliance.transcript import fold
from tests.games.customs.play import a_setup, played

FOLDER = Path(package.__file__).parent
OTHERS = {"referee.py", "robot.py", "own_files.py"}
"""Around the rules, not of them: they know sensors, play, or read files."""
ALLOWED = {
    "__future__",
    "collections",
    "collections.abc",
    "importlib",
    "msgspec",
    "typing",
    "appliance.games.game",
    "appliance.games.names",
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
                own = name.split(".")[:3] == ["appliance", "games", "customs"]
                assert own or name in ALLOWED, f"{path.name} imports {name}"
                assert not own or f"{name.split('.')[-1]}.py" not in OTHERS, f"{path.name} imports {name}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("open", "print", "input", "exec", "eval", "__import__"), path.name


def test_importing_the_game_loads_no_device_no_socket_and_no_web() -> None:
    heavy = ("cv2", "numpy", "flask", "gpiozero", "socket", "sqlite3", "babel")
    code = f"import sys, appliance.games.customs; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_game_folds_with_clock_chance_and_files_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = a_setup(4)
    actions = [action for _, action, _, _ in played(setup, random.Random(1))]

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a rule reached for the world")

    with monkeypatch.context() as patch:
        for name in ("time.time", "time.monotonic", "random.random", "os.urandom", "builtins.open", "io.open"):
            patch.setattr(name, forbidden)
        state = fold(setup, actions)
    assert GAME.outcome(state) is not None


def test_equal_histories_give_equal_bytes_in_another_process() -> None:
    """No order of a set or a hash ever gets into a state."""
    setup = a_setup(4)
    actions = [action for _, action, _, _ in played(setup, random.Random(8))][:150]
    code = (
        "import sys, msgspec, appliance.games.customs as s; from appliance.games.game import Setup;"
        "from appliance.transcript import fold; lines = sys.stdin.buffer.read().splitlines();"
        "d = msgspec.json.decode; a = [d(line, type=s.GAME.action_type) for line in lines[1:]];"
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
