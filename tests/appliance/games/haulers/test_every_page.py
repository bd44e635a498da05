from __future__ import annotations

import pytest

from tests.every_page import check_every_page

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.parametrize("alike_too", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_every_page_of_every_step_is_made_whole_and_in_words(alike_too: bool, caplog: pytest.LogCaptureFixture) -> None:
    check_every_page("haulers", caplog, alike_too=alike_too)
