from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.served import needs_browser
from tests.end_to_end.usable import check_pages_of

pytestmark = [*needs_browser, pytest.mark.thorough]


def test_every_prompt_can_be_read_and_hit_on_every_screen(browser: Any) -> None:
    check_pages_of("smugglers", browser)
