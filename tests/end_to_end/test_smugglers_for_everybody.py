from __future__ import annotations

from typing import Any

from tests.end_to_end.test_browser import pytestmark  # noqa: F401  # needs a browser
from tests.end_to_end.usable import check_pages_of


def test_every_prompt_can_be_read_and_hit_on_every_screen(browser: Any) -> None:
    check_pages_of("smugglers", browser)
