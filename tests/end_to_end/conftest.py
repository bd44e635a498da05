from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.table.game import adviser
from tests.end_to_end.known_hands import Dealt, Table
from tests.end_to_end.served import Served


@pytest.fixture
def never_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages change by what a test does alone: what is missing is said after 25 s, which a busy machine may take.

    Two games that are compared would say it at different looks. A version that is waited for would be passed over.
    """
    monkeypatch.setattr(adviser, "QUIET_S", float("inf"))


@pytest.fixture
def served(tmp_path: Path, browser: Any, never_quiet: None) -> Iterator[Served]:
    served = Served(tmp_path, browser)
    yield served
    served.close()


@pytest.fixture
def tables(tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch, never_quiet: None) -> Any:
    made: list[Table] = []

    def make(dealt: Dealt) -> Table:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        # Codes of seats are random from table to table; here they begin alike.
        (folder / "phones.json").write_bytes(b'{"start":"alike"}')
        made.append(Table(Served(folder, browser), dealt, monkeypatch))
        return made[-1]

    yield make
    for table in made:
        assert table.served.complaints == []
        table.served.close()
