"""Rules do no input or output, know no clock and no chance (DESIGN §3): shown by what they import, and by playing."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.appliance.games.contract import play
from tests.appliance.games.contract.codes import rules_files, rules_package
from tests.appliance.games.contract.play import EVERY
from tests.places import ROOT

PURE = {
    *("__future__", "collections", "collections.abc", "decimal", "functools", "hashlib", "itertools", "math", "re"),
    *("typing", "msgspec", "msgspec.structs", "appliance.games.protocol"),
}
HEAVY = ("cv2", "numpy", "flask", "gpiozero", "socket", "sqlite3", "babel", "tomllib")
FORBIDDEN_CALLS = ("open", "print", "input", "exec", "eval", "__import__")

every_game = pytest.mark.parametrize("name", EVERY)


@every_game
def test_rules_import_nothing_that_could_do_anything(name: str) -> None:
    """Pure is what lies in the game's `rules/` and in `games/base/rules/`."""
    package = rules_package(EVERY[name])
    modules = rules_files(EVERY[name])
    assert modules
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
    package = rules_package(EVERY[name])
    code = f"import sys, {package}.rules; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@every_game
def test_a_game_folds_with_clock_chance_and_files_taken_away(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play.play(EVERY[name], 1)

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a rule reached for the world")

    with monkeypatch.context() as patch:
        for function in ("time.time", "time.monotonic", "random.random", "os.urandom", "builtins.open", "io.open"):
            patch.setattr(function, forbidden)
        steps = play.refold(played, played.actions)
    assert steps == played.steps
