"""The longest names that may be given, on every screen: nothing runs over anything else."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, WALL, Served, needs_browser
from tests.web.rounds import CROWDED

pytestmark = needs_browser

LONG = ("W" * 24, "Wilhelmine Wolkenstein-W.", "MMMM WWWW MMMM WWWW MMMM", "<b>Wilhelm</b>&amp;Wilma")


def open_with_long_names(served: Served) -> None:
    players = tuple(
        Player(name=n[:24], putty=p) for n, p in zip(LONG, ("yellow", "pink", "green", "orange"), strict=True)
    )
    assert isinstance(
        served.stand.table.open_game(Setup(format=1, game="smugglers", players=players), "long"), Accepted
    )


def apart(boxes: list[dict[str, float]]) -> bool:
    return all(left["x"] + left["width"] <= right["x"] + 1 for left, right in pairwise(boxes))


def boxes(page: Any, selector: str) -> list[dict[str, float]]:
    return [one.bounding_box() for one in page.locator(selector).all()]


@pytest.mark.parametrize(
    ("path", "size", "items"), [("/", WALL, ".joining .qr"), ("/kiosk/table", KIOSK, ".joins .qr")]
)
def test_the_join_codes_of_long_names_stay_apart(served: Served, path: str, size: tuple[int, int], items: str) -> None:
    open_with_long_names(served)
    page = served.page(path, size)
    codes = boxes(page, items)
    assert len(codes) == 4
    assert len({round(code["width"]) for code in codes}) == 1
    assert apart(codes)
    assert apart(boxes(page, items.replace(".qr", "li")))
    assert page.evaluate(OVERFLOW)[0] <= 0


@pytest.mark.parametrize("course", CROWDED)
def test_long_names_fit_in_the_most_crowded_moments(served: Served, course: str) -> None:
    open_with_long_names(served)
    served.stand.play(*CROWDED[course])
    for page in (served.page("/", WALL, "de"), served.page("/kiosk", KIOSK, "de"), served.join(0, "de")):
        page.locator("h1").first.wait_for()
        assert page.evaluate(OVERFLOW)[0] <= 0, page.url
        # A name over a row of buttons ends in an ellipsis: that is how it fits.
        assert [cut for cut in page.evaluate(CUT_OFF) if 'class="given"' not in cut] == [], page.url
