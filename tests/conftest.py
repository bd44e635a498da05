"""What all tests share: the order of their files, and addresses that are compiled once a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import flask
import pytest
from hypothesis import HealthCheck, settings
from werkzeug.routing import Rule

from tests.chromium import launched

# How fast an example is says nothing on a busy machine. As all chance in tests, examples are the same in every run.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

LONG_FIRST = ("browser", "slow")
FEW = 2
"""Of a long test with more cases than these, the others are `thorough`: `make test` runs the first and last one."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of long tests to `make thorough`. Put the files of long tests first.

    So no worker is left alone with a long file while the others have ended.
    """
    rank: dict[object, int] = {}
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        own = next((n for n, name in enumerate(LONG_FIRST) if name in marks), len(LONG_FIRST))
        rank[item.path] = min(own, rank.get(item.path, own))
        if own < len(LONG_FIRST):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for of_one in cases.values():
        for item in of_one[FEW // 2 : -FEW // 2]:
            item.add_marker(pytest.mark.thorough)
    items.sort(key=lambda item: rank[item.path])


class CompiledRule(Rule):
    """Building an address of a rule is compiled code, which is the same for every application that has the rule."""

    _compiled: ClassVar[dict[object, Callable[..., tuple[str, str]]]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        # All that werkzeug makes the code of; what differs between applications reaches it as an argument.
        made_of = (self.rule, tuple(self._trace), repr(self.defaults), append_unknown)
        if made_of not in self._compiled:
            self._compiled[made_of] = super()._compile_builder(append_unknown)
        return self._compiled[made_of]


flask.Flask.url_rule_class = CompiledRule


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium for all files of a process."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = launched(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def browser(chromium: Any) -> Iterator[Any]:
    """What tests must not share, they keep in contexts of their own. No page of a file moves on after its end."""
    yield chromium
    for context in chromium.contexts:
        context.close()
