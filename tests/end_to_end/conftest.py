from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium for all files of a process."""
    from tests.end_to_end.test_browser import CHROMIUM, FLAGS, sync_api  # what is skipped without them imports them

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
