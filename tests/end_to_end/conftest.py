from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.known_hands import Dealt, Table
from tests.end_to_end.served import CHROMIUM, FLAGS, Served


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium for all files of a process."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def browser(chromium: Any) -> Iterator[Any]:
    """What tests must not share, they keep in contexts of their own. No page of a file moves on after its end."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture
def served(tmp_path: Path, browser: Any) -> Iterator[Served]:
    served = Served(tmp_path, browser)
    yield served
    served.close()


@pytest.fixture
def tables(tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
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
