"""How much the table writes: bounded for each thing that is done, and nothing at rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.appliance.journal.crashed import Kept
from tests.power.writes import Evening, handed

PAGE_BYTES = 4096
try:
    handed()
except OSError as error:
    pytest.skip(f"this kernel does not count what a thread writes: {error}", allow_module_level=True)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    played = Evening(tmp_path_factory.mktemp("evening") / "table")
    played.play(("prohis",), 1)
    return played


def test_an_action_writes_the_pages_it_touches_and_no_more(evening: Evening) -> None:
    """An entry is in the table and in two indexes. Now and then a page is split, or a timer is kept."""
    assert evening.actions > 50
    four_pages = 4 * PAGE_BYTES * evening.actions
    assert 0 < evening.bytes_of["write-ahead log"] < four_pages
    assert 0 < evening.bytes_of["journal"] < four_pages
    assert 0 < evening.bytes_of["copy"] < 1000 * evening.actions
    assert evening.bytes_of["start and end"] < 25 * PAGE_BYTES


def test_a_table_at_rest_writes_nothing(tmp_path: Path) -> None:
    table = Kept(tmp_path)
    table.open()
    table.half_a_round()
    table.keeper.copy()
    table.journal.checkpoint()
    while table.keeper.look_on():
        pass
    before = handed()
    for _ in range(20):
        table.wait(1.0)
        table.table.snapshot()
        table.keeper.copy()
        table.journal.checkpoint()
    assert handed() == before
    table.close()
