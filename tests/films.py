"""`python -m tests.films [NAME...]`: strips of the great moments of Smugglers on wall and touchscreen.

Each column is one instant: the wall, the touchscreen, and what the simulated camera saw then. The table runs on a
manual clock. The pages' own animations are held at the instant that is drawn, so a strip shows what a person would see.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from tests.end_to_end.lockstep import STEP_S, LockstepTable
from tests.end_to_end.shown_table import ShownTable
from tests.places import DOCS

OUT = DOCS / "img" / "films"
SEED = 6
OPTIONS = {"goal": "short", "tie_band_g": 1.0}
LONGEST_S = 4000.0
WALL, KIOSK = (1920, 1080), (800, 480)
COLUMN_PX = 400
INSTANTS_S = (0.15, 0.5, 1.2)
"""Seconds after a moment began at which it is drawn."""
HOLD = """t => { for (const one of document.getAnimations()) { one.pause(); one.currentTime = t; } }"""
LASTS = "() => Number(document.querySelector('#stage .moment')?.dataset.lasts || 0)"
STAGED = "() => document.querySelector('#stage .moment')?.dataset.kind || ''"


class Film(NamedTuple):
    """A strip: the happening that it leads to, whether a roll comes first, and the moments that are drawn."""

    name: str
    leads_to: str
    rolls: bool
    kinds: tuple[str, ...]


FILMS = (
    Film("passes", "sphere_passed", True, ("passed",)),
    Film("sticks", "sphere_stuck", True, ("stuck",)),
    Film("blind", "round_went_blind", False, ("die", "blind")),
    Film("tie", "spheres_tied", False, ("duel",)),
    Film("caught", "guess_right", False, ("opened", "caught", "")),
    Film("fooled", "guess_wrong", False, ("opened", "fooled", "")),
    Film("theft", "token_stolen", False, ("stolen", "")),
    Film("win", "game_won", False, ("won",)),
)


def main(names: list[str]) -> None:
    """Make the strips that are named, or all."""
    films = [film for film in FILMS if not names or film.name in names]
    OUT.mkdir(parents=True, exist_ok=True)
    starts = sorted(scouted(films), key=lambda start: start[1])
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        table = ShownTable(Path(folder), seed=SEED, **OPTIONS)
        try:
            for film, start_s in starts:
                table.play_until(lambda until_s=start_s: table.clock.now_s() >= until_s - 2 * STEP_S, LONGEST_S)  # type: ignore[misc]
                save(film.name, shot(table, browser, film))
        finally:
            table.close()
            browser.close()


def scouted(films: list[Film]) -> Iterator[tuple[Film, float]]:
    """Play the same game unseen, and yield when each film begins."""
    wanted = {film.leads_to: film for film in films}
    with tempfile.TemporaryDirectory() as folder:
        table = LockstepTable(Path(folder), seed=SEED, **OPTIONS)
        rolled_s, lines = 0.0, 0
        told: list[float] = []
        tell = table.rolls.tell
        table.rolls.tell = lambda place: (told.append(place.t_s), tell(place))[1]  # type: ignore[method-assign]
        while wanted and table.clock.now_s() < LONGEST_S:
            before = len(told)
            table.advance()
            if len(told) > before and table.clock.now_s() - rolled_s > 2.0:
                rolled_s = table.clock.now_s()
            log = table.table.snapshot().log
            for line in log[lines:]:
                film = wanted.pop(line.happening.code, None)
                if film is not None:
                    yield film, rolled_s if film.rolls else table.clock.now_s()
            lines = len(log)
            if log and table.is_over():
                break
        table.close()
    for film in wanted.values():
        sys.stderr.write(f"no {film.leads_to} in this game\n")


def shot(table: ShownTable, browser: Any, film: Film) -> list[list[Image.Image]]:
    """Return the columns of a film."""
    screens = (("/", WALL), ("/kiosk", KIOSK))
    pages = [table.page(browser, path, size, held=True, color_scheme="dark") for path, size in screens]
    columns: list[list[Image.Image]] = []
    since = len(table.table.snapshot().log)
    try:
        if film.rolls:
            while not table.happened(film.leads_to, since):
                for place in table.step_shown(pages)[-1:]:
                    if place.place > 150 * len(columns):
                        columns.append(column(table, pages))
        else:
            while not table.happened(film.leads_to, since):
                table.advance()
        for kind in film.kinds:
            for page in pages:
                page.wait_for_function(f"kind => ({STAGED})() === kind", arg=kind)
            for instant_s in INSTANTS_S[: 3 if kind else 2]:
                for page in pages:
                    page.evaluate(HOLD, 1000 * instant_s)
                columns.append(column(table, pages))
            for page in pages:
                page.clock.run_for(page.evaluate(LASTS))
    finally:
        for page in pages:
            page.context.close()
    return columns


def column(table: ShownTable, pages: list[Any]) -> list[Image.Image]:
    """Return what the pages and the camera show now."""
    shown = [Image.open(io.BytesIO(page.screenshot())).convert("RGB") for page in pages]
    jpeg = table.twin.live.newest()
    if jpeg is None:
        frame = np.zeros((432, 768, 3), np.uint8)
    else:
        decoded = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert decoded is not None
        frame = np.asarray(decoded[:, :, ::-1], np.uint8)
    return [*shown, Image.fromarray(frame)]


def save(name: str, columns: list[list[Image.Image]]) -> None:
    """Write the strip as one picture."""
    rows = [[scaled(image) for image in row] for row in zip(*columns, strict=True)]
    high = [max(image.height for image in row) for row in rows]
    strip = Image.new("RGB", (COLUMN_PX * len(columns), sum(high)))
    for number, row in enumerate(rows):
        for at, image in enumerate(row):
            strip.paste(image, (COLUMN_PX * at, sum(high[:number])))
    file = OUT / f"{name}.webp"
    strip.save(file, quality=72, method=6)
    sys.stdout.write(f"{file.name} {len(columns)} instants, {file.stat().st_size // 1000} kB\n")


def scaled(image: Image.Image) -> Image.Image:
    """Return the image as wide as a column."""
    return image.resize((COLUMN_PX, round(image.height * COLUMN_PX / image.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main(sys.argv[1:])
