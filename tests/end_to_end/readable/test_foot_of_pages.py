"""What is asked from the door stands at the foot of a page: every button of the page can still be tapped."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from tests.end_to_end.at_rest import SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.end_to_end.usable import moments_to_see
from tests.pages import Pages
from web.evening.kept_rolls import Keeping

pytestmark = needs_browser

SIZES = {"kiosk": ((800, 480), (400, 240), (1920, 1080)), "seat": ((390, 844), (195, 422))}
"""The second of each is the first, enlarged to 200 %."""
EVERY = 6
"""In how many moments of a game its pages are looked at once."""
# What a finger hits in the end, wherever the page is scrolled to.
TAPPED = """() => Array.from(document.querySelectorAll("main :is(button, a, summary), .let-go button")).filter(one => {
    if (one.closest(".region-door") || !one.checkVisibility({visibilityProperty: true})) return false;
    return [0.15, 0.25, 0.35, 0.45, 0.7, 0.9].some(share => {
        one.scrollIntoView({block: "center", inline: "center"});
        const at = one.getBoundingClientRect();
        scrollBy(0, at.top + at.height / 2 - innerHeight * share);
        const {left, top, width, height} = one.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit && (one === hit || one.contains(hit));
    });
}).map(one => one.textContent.trim().replace(/\\s+/g, " "))"""


def asked_to_keep(players: int) -> Keeping:
    """Somebody asks to keep a roll; nobody else has answered."""
    return Keeping(asked={7: frozenset()}, waiting={7: frozenset(range(players))})


@pytest.mark.parametrize("game", sorted(GAMES))
def test_what_is_asked_from_the_door_lies_over_no_button(browser: Any, game: str) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    for moment in islice(moments_to_see(game), 0, None, EVERY):
        assert moment.snapshot.setup is not None
        asked, tapped = asked_to_keep(len(moment.snapshot.setup.players)), dict[tuple[str, int, bool], list[str]]()
        for door in (False, True):
            keeping = asked if door else Keeping()
            pages.know(keeping=lambda keeping=keeping: keeping)
            shown = {"kiosk": pages.kiosk(moment, "de"), "seat": pages.phone(moment, 0, "de")}
            for kind, html in shown.items():
                screen = screens.screen(kind, html)
                screen.evaluate(SHOW, html)
                assert screen.locator(".door").count() == door
                for wide, high in SIZES[kind]:
                    screen.set_viewport_size({"width": wide, "height": high})
                    tapped[kind, wide, door] = screen.evaluate(TAPPED)
        for kind, wide, door in tapped:
            if not door:
                assert tapped[kind, wide, False], (kind, wide)
                lost = sorted(set(tapped[kind, wide, False]) - set(tapped[kind, wide, True]))
                assert lost == [], (kind, wide, moment.source, moment.step)
    screens.close()
