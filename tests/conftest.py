"""The order of the suite's files."""

from __future__ import annotations

import pytest

LONG_FIRST = ("browser", "slow")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files of long tests first, so that no worker is left alone with one while the others have ended."""
    rank: dict[object, int] = {}
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        own = next((n for n, name in enumerate(LONG_FIRST) if name in marks), len(LONG_FIRST))
        rank[item.path] = min(own, rank.get(item.path, own))
    items.sort(key=lambda item: rank[item.path])
