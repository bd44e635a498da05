"""Rules do no input or output, know no clock and no chance (DESIGN §3): shown by what they import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import appliance.games.haulers as package

FOLDER = Path(package.__file__).parent
OTHERS = {"referee.py", "robot.py", "own_files.py"}
"""Around the rules, not of them: they read files, or play."""
ALLOWED = {
    "__future__",
    "collections.abc",
    "importlib",
    "itertools",
    "math",
    "msgspec",
    "msgspec.structs",
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
                own = name.split(".")[:3] == ["appliance", "games", "haulers"]
                assert own or name in ALLOWED, f"{path.name} imports {name}"
                assert not own or f"{name.split('.')[-1]}.py" not in OTHERS, f"{path.name} imports {name}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("open", "print", "input", "exec", "eval", "__import__"), path.name


def test_importing_the_game_loads_no_device_no_socket_and_no_web() -> None:
    heavy = ("cv2", "numpy", "flask", "gpiozero", "socket", "sqlite3", "babel", "tomllib")
    code = f"import sys, appliance.games.haulers; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
