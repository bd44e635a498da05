"""`python -m tests.card_films [GAME...]`: strips of the great moments of Prohis, Haulers and Customs.

Each column is one instant of a moment: the wall, and the touchscreen. The pages are those of random and recorded games,
held still.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.recordings import NAMES
from tests.chromium import launched
from tests.end_to_end.at_rest import SHOW, SIZES, Screens
from tests.end_to_end.usable import STAGE
from tests.films import HOLD, OUT, save
from tests.moments import Moment, at_random, random_setups, recorded
from tests.pages import Pages

FILMS = {
    "prohis": ("convoy", "stopped", "bribed", "seized", "clean", "won"),
    "haulers": ("dice", "scale", "caught", "delivered", "transit", "won"),
    "customs": ("search", "opened", "truth", "lie", "informer", "won"),
}
INSTANTS_S = (0.2, 1.2)
"""Seconds after a moment began at which it is drawn."""
_KIND = re.compile(r'data-moment="\d+\.(\d+)\.\d+" data-kind="([^"]*)"')


class Stills(Screens):
    """A wall and a touchscreen that show one page after the other, with what moves on them."""

    def _context(self, kind: str) -> Any:
        wide, high = SIZES[kind]
        return self._browser.new_context(viewport={"width": wide, "height": high}, bypass_csp=True, color_scheme="dark")


def moments(game: str) -> Iterator[Moment]:
    """Yield moments of random games, in which people have names, then those of recorded ones."""
    seen: set[Any] = set()
    for number in range(len(random_setups(game))):
        yield from at_random(game, number, seen)
    for name in NAMES[game]:
        yield from recorded(game, name)


def newest(html: str) -> set[str]:
    """Return the kinds of the moments of what was done last."""
    found = _KIND.findall(html)
    return {kind for step, kind in found if step == found[-1][0]}


def shot(game: str, browser: Any) -> list[list[Image.Image]]:
    """Return the columns of the film of `game`; its moments as its film lists them."""
    pages, screens, due = Pages(), Stills(browser, Pages()), dict[str, dict[str, str]]()
    for moment in moments(game):
        shown = {page.viewer: page.html for page in pages.of(moment, LANGUAGES[:1]) if page.viewer in ("wall", "kiosk")}
        for kind in FILMS[game]:
            if kind not in due and all(kind in newest(html) for html in shown.values()):
                due[kind] = shown
        if len(due) == len(FILMS[game]):
            break
    columns = []
    for kind in FILMS[game]:
        for screen, html in ((screens.screen(viewer, html), html) for viewer, html in due[kind].items()):
            screen.evaluate(SHOW, html)
            screen.evaluate(STAGE, kind)
        drawn = [screens.screen(viewer, html) for viewer, html in due[kind].items()]
        columns += [[held(screen, kind, instant_s) for screen in drawn] for instant_s in INSTANTS_S]
    screens.close()
    return columns


def held(screen: Any, kind: str, instant_s: float) -> Image.Image:
    """Return what the screen shows so long after the moment began."""
    screen.evaluate(HOLD, [kind, 1000 * instant_s])
    return Image.open(io.BytesIO(screen.screenshot())).convert("RGB")


def main(names: list[str]) -> None:
    """Make the strips that are named, or all."""
    OUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for game in (game for game in FILMS if not names or game in names):
            save(game, shot(game, browser))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
