"""`python -m tests.screens [NAME...]`: sheets of every page as its screen shows it, in each language and theme.

A wall is 1920×1080, a touchscreen 800×480, a phone 390×844. A row of a game's sheet is one moment: the wall, the
touchscreen, the phone of who is asked and of who waits. The other sheets show the pages round the games.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.chromium import launched
from tests.end_to_end.at_rest import AT_REST, CURTAIN, HOLD, SHOW, Screens
from tests.end_to_end.usable import moments_to_see, pages_to_see
from tests.pages import Page, Pages
from tests.places import DOCS
from tests.standing_pages import STANDING

OUT = DOCS / "img" / "screens"
THEMES = ("dark", "light")
HIGH_PX = 236
"""Of a phone on a sheet; the others are as high as a share of it."""
SHARES = {"wall": 0.86, "kiosk": 0.7, "seat": 1.0}
ORDER = ("wall", "kios", "seat")
GAP_PX = 8
WIDEST_PX = 1200
GROUND = "#22262b"
QUALITY = 50


INSTALLED = "/var/lib/smugglers-table"
"""The folder that pages name on a table that is installed."""
Row = list[Page]


def rows_of_game(game: str) -> Iterator[Row]:
    """Yield a row of pages for each moment of `game`, in each language."""
    pages = Pages()
    for moment in moments_to_see(game):
        found = list(pages_to_see(pages, moment))
        for language in LANGUAGES:
            hands = [page for page in found if page.language == language and page.viewer.startswith("hand")]
            rest = [page for page in found if page.language == language and page not in hands]
            yield sorted(rest, key=lambda page: ORDER.index(page.viewer[:4])) + hands[:1]


def as_installed(rows: Iterator[Row], folder: str) -> Iterator[Row]:
    """Yield rows as if the table kept its files where it does, and not in `folder`."""
    for row in rows:
        yield [page._replace(html=page.html.replace(folder, INSTALLED)) for page in row]


def main(names: list[str]) -> None:
    """Make the sheets that are named, or all."""
    OUT.mkdir(parents=True, exist_ok=True)
    sources: dict[str, Callable[[Path], Iterator[Row]]] = {
        game: lambda folder, game=game: rows_of_game(game)  # type: ignore[misc]
        for game in GAMES
    }
    sources |= STANDING
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for name, rows in sources.items():
            if names and name not in names:
                continue
            with tempfile.TemporaryDirectory() as folder:
                for variant, sheet in sheets(browser, as_installed(rows(Path(folder)), folder)).items():
                    save(f"{name}-{variant}", sheet)
        browser.close()


def sheets(browser: Any, rows: Iterator[Row], high_px: int = HIGH_PX) -> dict[str, Image.Image]:
    """Return a sheet for each language and theme, by `<language>-<theme>`."""
    drawn: dict[str, list[list[Image.Image]]] = {}
    screens = Screens(browser, Pages())
    try:
        for row in rows:
            for theme in THEMES:
                pictures = [picture(screens, page, theme, high_px) for page in row]
                if pictures:
                    drawn.setdefault(f"{row[0].language}-{theme}", []).append(pictures)
    finally:
        screens.close()
    return {variant: put_together(lines) for variant, lines in drawn.items()}


def picture(screens: Screens, page: Page, theme: str, high_px: int) -> Image.Image:
    """Return a page as its screen shows it, made small."""
    kind = page.viewer.split("-")[0].split(".")[0]
    screen = screens.screen("kiosk" if kind == "hand" else kind, page.html)
    screen.emulate_media(color_scheme=theme)
    screen.evaluate(CURTAIN if kind == "hand" else SHOW, page.html)
    screen.evaluate(HOLD, kind == "hand")
    screen.evaluate(AT_REST)
    taken = Image.open(io.BytesIO(screen.screenshot())).convert("RGB")
    screen.evaluate("() => document.querySelector('dialog.curtain')?.remove()")
    high = round(high_px * SHARES.get(kind, SHARES["kiosk"]))
    return taken.resize((round(taken.width * high / taken.height), high), Image.Resampling.LANCZOS)


def put_together(rows: list[list[Image.Image]]) -> Image.Image:
    """Return one picture of all rows; a row that is too wide goes on below."""
    lines: list[list[Image.Image]] = []
    for row in rows:
        line: list[Image.Image] = []
        for one in row:
            if line and sum(other.width + GAP_PX for other in line) + one.width > WIDEST_PX:
                lines.append(line)
                line = []
            line.append(one)
        lines.append(line)
    wide = max(sum(one.width + GAP_PX for one in line) for line in lines) + GAP_PX
    high = sum(max(one.height for one in line) + GAP_PX for line in lines) + GAP_PX
    sheet = Image.new("RGB", (wide, high), GROUND)
    y = GAP_PX
    for line in lines:
        x = GAP_PX
        for one in line:
            sheet.paste(one, (x, y))
            x += one.width + GAP_PX
        y += max(one.height for one in line) + GAP_PX
    return sheet


def save(name: str, sheet: Image.Image) -> None:
    file = OUT / f"{name}.webp"
    sheet.save(file, quality=QUALITY, method=6)
    sys.stdout.write(f"docs/img/screens/{name}.webp {sheet.width}x{sheet.height} {file.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
