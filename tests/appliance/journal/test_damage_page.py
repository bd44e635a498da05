"""docs/damage.md says what happens: every case of it is done to a table anew."""

from __future__ import annotations

import re

import pytest

from tests.damage_page import HEAD, PAGE, cases

pytestmark = pytest.mark.slow

BY_SQLITE = ("one bit flipped", "cut in half")
"""Where these fall is the layout of SQLite's release."""


def plain(row: str) -> str:
    return re.sub(r"\d+", "#", row)


def test_the_page_tells_what_every_damage_does_and_one_damaged_file_loses_nothing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    told = text.removeprefix(HEAD).splitlines()
    assert text.startswith(HEAD)
    tried = list(cases())
    assert len(tried) == len(told) >= 24
    for case, row in zip(tried, told, strict=True):
        assert row.startswith(f"| {case.what} | {case.how} | ")
        if case.how not in BY_SQLITE:
            assert plain(case.row()) == plain(row)
        if " and its " not in case.what and "," not in case.how:
            assert (case.kept, case.goes_on) == (case.entries, True), case.row()
