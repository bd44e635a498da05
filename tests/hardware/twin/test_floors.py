"""The floors of the simulated table: the world knows nothing of its pictures and wires."""

from __future__ import annotations

import ast

import pytest

from tests.places import ROOT

TWIN = ROOT / "hardware" / "twin"
BELOW = {
    "world": {"faults"},
    "drawing": {"world"},
    "wires": {"world", "faults"},
    "cameras": {"drawing", "world", "faults"},
}
"""Folder of the twin → what it may import of the twin besides itself."""


@pytest.mark.parametrize("floor", BELOW)
def test_a_folder_imports_only_what_lies_below_it(floor: str) -> None:
    imported = set()
    for path in (TWIN / floor).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hardware.twin."):
                imported.add((node.module or "").split(".")[2])
    assert imported
    assert imported <= BELOW[floor] | {floor}
