"""What eyes that see no colours at all are told: the pictures are a browser's own, of that sight."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import cv2
import numpy as np
import pytest

from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.readable.test_full_haulers import ended
from tests.end_to_end.served import needs_browser
from tests.pages import Pages

pytestmark = needs_browser

TOLD = 60
"""So many of 255 levels of grey lie between a mark and what it is drawn on."""
DIFFERENT = 0.1
"""The share of dots in which two marks differ at least."""


def mark(chip: Any) -> np.ndarray[Any, Any]:
    """Return which dots in the middle of a chip are not of its ground."""
    picture = cv2.imdecode(np.frombuffer(chip.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    middle = cv2.resize(picture, (48, 48), interpolation=cv2.INTER_AREA)[12:36, 12:36].astype(int)
    ground = np.bincount(middle.ravel()).argmax()
    return np.abs(middle - ground) > TOLD


@pytest.mark.parametrize("kind", ["wall", "kiosk"])
def test_the_four_chips_of_haulers_are_told_apart(browser: Any, kind: str) -> None:
    pages = Pages()
    html = getattr(pages, kind)(ended(("Ann", "Ben")), "en")
    screens = Screens(browser, pages)
    screen = screens.screen(kind, html)
    screen.evaluate(SHOW, html)
    screen.evaluate(AT_REST)
    sight = screen.context.new_cdp_session(screen)
    sight.send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
    chips = {chip.get_attribute("aria-label"): mark(chip) for chip in screen.locator("#hauler-0 .chip-dot").all()}
    screens.close()
    assert set(chips) == {"white", "black", "red", "blue"}
    alike = [pair for pair in combinations(chips, 2) if np.mean(chips[pair[0]] != chips[pair[1]]) < DIFFERENT]
    assert alike == []
