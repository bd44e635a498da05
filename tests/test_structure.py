"""The house's rules of structure: imports go downwards and in no circle, importing touches nothing, help is quick."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.patience import GIVEN_UP_S
from tests.places import ROOT

LAYERS = ("hardware", "vision", "calibration", "appliance", "web")
"""Each may import itself and those before it; what composes a table or a hub alone builds pages."""
COMPOSITION = "appliance.composition"

MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))


@cache
def imports_in(path: Path) -> tuple[ast.stmt, ...]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downwards(path: Path) -> None:
    inside = path.relative_to(ROOT)
    if ".".join(inside.parts).startswith(COMPOSITION) or "pages" in inside.parts:
        return
    above = set(LAYERS[LAYERS.index(inside.parts[0]) + 1 :])
    assert not imported(path) & above


@cache
def named_modules(path: Path) -> set[str]:
    """The modules of ours that `path` imports, at its top or later; of a package, its `__init__` is meant."""
    named: set[str] = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & NAMES.keys()
            named |= inside or {node.module}
    return named & NAMES.keys()


NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES}


def test_no_modules_need_each_other_in_a_circle() -> None:
    needs = {name: named_modules(path) - {name} for name, path in NAMES.items()}
    assert sum(map(len, needs.values())) > 500
    while free := {name for name, needed in needs.items() if not needed & needs.keys()}:
        needs = {name: needed for name, needed in needs.items() if name not in free}
    assert sorted(needs) == []


def test_no_neighbours_in_a_folder_need_each_other_in_a_circle() -> None:
    """Files and folders of one folder are neighbours; a folder needs all that anything in it needs."""
    needs: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for name, path in NAMES.items():
        for needed in named_modules(path):
            if name.startswith(COMPOSITION) and needed.startswith("web"):
                continue
            own, other = name.split("."), needed.split(".")
            shared = next((i for i, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), None)
            if shared is not None:
                needs.setdefault(tuple(own[:shared]), {}).setdefault(own[shared], set()).add(other[shared])
    assert len(needs) > 30
    for folder, arrows in needs.items():
        left = dict(arrows)
        while free := {room for room, needed in left.items() if not needed & left.keys()}:
            left = {room: needed for room, needed in left.items() if room not in free}
        assert sorted(left) == [], ".".join(folder)


def test_commands_alone_compose_a_table_or_a_hub() -> None:
    composing = {
        name for name, path in NAMES.items() if any(one.startswith(COMPOSITION) for one in named_modules(path))
    }
    assert {name for name in composing if not name.startswith((COMPOSITION, "appliance.commands"))} == set()
    assert len(composing) > 4


FOLDERS = sorted({path.parent.relative_to(ROOT) for path in MODULES})
TEST_FOLDERS = sorted(
    path.parent.relative_to(ROOT) for path in (ROOT / "tests").rglob("__init__.py") if path.parent != ROOT / "tests"
)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    rooms = [path for path in (ROOT / folder).iterdir() if path.suffix == ".py" and path.stem != "__init__"]
    rooms += [path.parent for path in (ROOT / folder).glob("*/__init__.py")]
    assert len(rooms) <= 14
    assert len(rooms) > 1 or folder.name == "pages", "a folder of one file is a file"


def test_the_architecture_page_names_every_folder_once() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([^`]+)/` \|", page, re.MULTILINE)
    own = [str(folder) for folder in TEST_FOLDERS if folder.relative_to("tests") not in FOLDERS]
    assert sorted(named) == sorted([*map(str, FOLDERS), *own])


@pytest.mark.parametrize("folder", TEST_FOLDERS, ids=str)
def test_a_folder_of_tests_can_be_taken_in_at_a_glance(folder: Path) -> None:
    assert len(list((ROOT / folder).glob("test_*.py"))) <= 20


PROBE = """
import builtins, importlib, pkgutil, socket, sys, threading
import matplotlib.font_manager  # on a new machine it writes its list of the fonts there
touched = []
sys.addaudithook(lambda event, args: touched.append((event, str(args[:2]))) if event in (
    "socket.connect", "socket.bind", "subprocess.Popen", "os.fork", "sqlite3.connect") or (
    event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")) else None)
names = [m.name for layer in %r for m in pkgutil.walk_packages([layer], layer + ".")]
sys.dont_write_bytecode = True
for name in names:
    if not name.endswith("fake_lgpio"):
        importlib.import_module(name)
print(len(names), threading.active_count(), touched)
"""


@pytest.mark.slow
def test_importing_any_module_touches_no_file_socket_process_or_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROBE % (LAYERS,)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=GIVEN_UP_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    count, threads, touched = done.stdout.split(maxsplit=2)
    assert int(count) > 50
    assert threads == "1"
    assert touched.strip() == "[]"


def test_help_loads_none_of_the_heavy_libraries() -> None:
    script = (
        "import sys; from appliance.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted(set(sys.modules) & {'cv2', 'numpy', 'flask', 'gpiozero', 'rich', 'msgspec'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_alone_know_the_command_line() -> None:
    """What is below them is used by pages too: it raises errors of its own, with codes."""
    above = {ROOT / "appliance" / "cli.py", *(ROOT / "appliance" / "commands").rglob("*.py")}
    knowing = {path for path in MODULES if "click" in imported(path)}
    assert knowing - above == set()
    assert len(knowing) > 10


def test_what_drives_a_browser_is_marked_so_that_make_quick_leaves_it_out() -> None:
    drivers = {
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"\bServed\b|importorskip\(.playwright", path.read_text(encoding="utf-8"))
    }
    assert len(drivers) > 10
    for path in drivers:
        text = path.read_text(encoding="utf-8")
        marked = r"^pytestmark = (needs_browser$|\[\*needs_browser,)|pytest\.mark\.browser"
        assert re.search(marked, text, re.MULTILINE), path
