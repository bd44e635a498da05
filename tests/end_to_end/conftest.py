from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.table.game import adviser
from tests.end_to_end.known_hands import Dealt, Table
from tests.end_to_end.served import Served


@pytest.fixture
def served(tmp_path: Path, browser: Any) -> Iterator[Served]:
    served = Served(tmp_path, browser)
    yield served
    served.close()


@pytest.fixture
def tables(tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    # What is missing is said after a while: not at the same look in two games that are compared.
    monkeypatch.setattr(adviser, "QUIET_S", float("inf"))
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
