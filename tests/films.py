"""`python -m tests.films [NAME...]`: strips of the great moments of Smugglers on wall and touchscreen.

Each column is one instant: the wall, the touchscreen, and what the simulated camera saw then. Hands do on the
simulated table what the film shows, and the senses judge it. The table runs on a manual clock. The pages' animations
are held at the instant that is drawn, so a strip shows what a person would see.
"""

from __future__ import annotations

import io
import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from PIL import Image
from playwright.sync_api import sync_playwright

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted, Submission
from hardware.cameras.camera import Frame
from hardware.readings import Piece, PuttyColour
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.world import World
from tests.chromium import launched
from tests.end_to_end.served import caught_up
from tests.end_to_end.shown_table import ShownTable
from tests.places import DOCS

OUT = DOCS / "img" / "films"
SEED = 6
NAMES = ("Ann", "Ben", "Cleo", "Dan")
PUTTY: tuple[PuttyColour, ...] = ("yellow", "pink", "green", "orange")
WALL, KIOSK = (1920, 1080), (800, 480)
COLUMN_PX = 320
INSTANTS_S = (0.2, 0.6, 1.2)
"""Seconds after a moment began at which it is drawn."""
READY_S = 3.0
"""Simulated seconds in which the boss is put to its lane, and the camera knows the empty table."""
MOST_S = 40.0
"""Simulated seconds in which what a film shows must have happened."""
EVERY = 170
"""Thousandths of the way between two columns of a roll."""
GLIDED_MS = 300
"""On a page's held clock: what was told has glided to its place (roll.js), and the live picture was asked for once more
(live.js)."""
LIVE = """() => { const image = document.querySelector('[data-live]');
  return !image || !image.offsetParent || (!image.hidden && image.naturalWidth > 0); }"""
HOLD = """([kind, t]) => { for (const one of document.getAnimations()) {
  if (one.effect.getComputedTiming().endTime < Infinity && kind && !one.effect.target.closest('#stage')) one.finish();
  else { one.pause(); one.currentTime = t; }
} }"""
STAGED = "kind => (document.querySelector('#stage .moment')?.dataset.kind || '') === kind"
LASTS = "() => Number(document.querySelector('#stage .moment')?.dataset.lasts || 0)"


class Film(NamedTuple):
    """What was done before, what hands do, which happening that leads to, and the moments that are drawn of it."""

    name: str
    before: tuple[dict[str, Any], ...]
    hands: Callable[[World], HandAction] | None
    leads_to: str
    moments: tuple[str, ...]
    players: int = 2
    last: dict[str, Any] | None = None
    """What is tapped where no hand is needed."""


def rolled(diameter_mm: float, lane: int) -> Callable[[World], HandAction]:
    """Return hands that roll a sphere of the first player."""

    def hands(world: World) -> HandAction:
        world.sculpt(0, diameter_mm, ("sweet",))
        return world.start_roll(0, lane)

    return hands


def opened(seat: int, piece: Piece) -> Callable[[World], HandAction]:
    """Return hands that open a sphere over the tray."""

    def hands(world: World) -> HandAction:
        world.sculpt(seat, 30.0, (piece,))
        return world.open_sphere(seat)

    return hands


def done(do: str, seat: int | None = None, **more: Any) -> dict[str, Any]:
    return {"do": do, **({} if seat is None else {"seat": seat}), **more}


TO_THE_TRACK = (done("roll", 0, value=3), done("time_up"))
TO_A_NARROW_HOLE = (done("roll", 0, value=4), done("time_up"))
BOTH_PASSED = (*TO_THE_TRACK, done("attempt", 0, outcome="passed"), done("attempt", 1, outcome="passed"))
ONE_STUCK = (
    *TO_THE_TRACK,
    done("attempt", 0, outcome="passed"),
    done("attempt", 1, outcome="stuck"),
    done("decline", 1),
)


def inspected(guess: str) -> tuple[dict[str, Any], ...]:
    return (*ONE_STUCK, done("inspect", 0, target=1, guess=guess))


def nearly_won() -> tuple[dict[str, Any], ...]:
    """Return rounds in which the first player gets two red tokens each, up to one before the last."""
    rounds: list[dict[str, Any]] = []
    for number in range(2):
        start = number % 2
        tries = [done("attempt", 0, outcome="passed")], [done("attempt", 1, outcome="stuck"), done("decline", 1)]
        rounds += [done("roll", start, value=3), done("time_up"), *tries[start], *tries[1 - start]]
        rounds += [done("inspect", 0, target=1, guess="sweet"), done("open", 1, found=["sweet"])]
        rounds += [done("open", 0, found=["sweet"])]
    return tuple(rounds[:-1])


FILMS = (
    Film("passes", TO_THE_TRACK, rolled(26.0, 7), "sphere_passed", ("passed",), 4),
    Film("sticks", TO_A_NARROW_HOLE, rolled(36.0, 1), "sphere_stuck", ("stuck",), 4),
    Film("blind", (), lambda world: world.throw_die(6), "round_went_blind", ("die", "blind"), 4),
    Film(
        "tie",
        (*BOTH_PASSED, done("weigh", 0, mass_g=20.0), done("weigh", 1, mass_g=20.1), done("tie_roll", 0, value=2)),
        lambda world: world.throw_die(5),
        "chair_taken",
        ("duel",),
    ),
    Film("caught", inspected("sweet"), opened(1, "sweet"), "guess_right", ("opened", "caught", "")),
    Film("fooled", inspected("sour"), opened(1, "sweet"), "guess_wrong", ("opened", "fooled", "")),
    Film(
        "theft",
        (*inspected("sweet"), done("open", 1, found=["bomb"])),
        None,
        "token_stolen",
        ("stolen", ""),
        last=done("take", 1, token="sweet", source=0),
    ),
    Film("win", nearly_won(), opened(0, "sweet"), "game_won", ("opened", "", "won")),
)


class Studio(ShownTable):
    """A shown table whose robots rest; `frame` is what its camera saw last."""

    def __init__(self, folder: Path, film: Film) -> None:
        self.frame: Frame | None = None
        super().__init__(folder, seed=SEED, players=film.players)
        self.robots_play = False
        players = tuple(Player(name=name, putty=putty) for name, putty in zip(NAMES, PUTTY, strict=True))
        setup = Setup(format=1, game="smugglers", players=players[: film.players], options={"goal": "short"})
        self._ids = (f"film-{number}" for number in itertools.count())
        assert isinstance(self.table.open_game(setup, next(self._ids)), Accepted)
        with self.twin.simulation.table() as world:
            world.seat(PUTTY[: film.players])
        for action in film.before:
            self.tap(action)
        with self.twin.simulation.table() as world:
            world.place_boss(self.view.boss_lane)

    def take(self, frame: Frame) -> None:
        self.frame = frame
        super().take(frame)

    def tap(self, action: dict[str, Any]) -> None:
        given = msgspec.convert(action, self.rules.action_type)
        answer = self.table.submit(Submission(id=next(self._ids), action=given))
        assert isinstance(answer, Accepted), (action, answer)

    def let_hands(self, do: Callable[[World], HandAction]) -> None:
        with self.twin.simulation.table() as world:
            do(world)


def main(names: list[str]) -> None:
    """Make the strips that are named, or all."""
    OUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for film in FILMS:
            if names and film.name not in names:
                continue
            with tempfile.TemporaryDirectory() as folder:
                table = Studio(Path(folder), film)
                try:
                    save(film.name, shot(table, browser, film))
                finally:
                    table.close()
        browser.close()


def shot(table: Studio, browser: Any, film: Film) -> list[list[Image.Image]]:
    """Return the columns of a film."""
    table.play_until(lambda: table.frame is not None and table.twin.camera_pipeline.view is not None, MOST_S)
    ready_s = table.clock.now_s() + READY_S
    table.play_until(lambda: table.clock.now_s() > ready_s, MOST_S)
    screens = (("/", WALL), ("/kiosk", KIOSK))
    pages = [table.page(browser, path, size, held=True, color_scheme="dark") for path, size in screens]
    for page in pages:
        caught_up(page)
    columns: list[list[Image.Image]] = []
    if film.hands is None:
        columns.append(column(table, pages))
        assert film.last is not None
        table.tap(film.last)
        table.table.step()
    else:
        since = len(table.table.snapshot().log)
        table.let_hands(film.hands)
        until_s, told = table.clock.now_s() + MOST_S, -EVERY
        while not table.happened(film.leads_to, since):
            assert table.clock.now_s() < until_s, f"{film.name}: {film.leads_to} did not happen"
            for place in table.step_shown(pages)[-1:]:
                if place.place - told >= EVERY:
                    told = place.place
                    for page in pages:
                        page.clock.run_for(GLIDED_MS)
                        page.wait_for_function(LIVE)
                    columns.append(column(table, pages))
    for kind in film.moments:
        for page in pages:
            page.wait_for_function(STAGED, arg=kind)
        for instant_s in INSTANTS_S if kind else INSTANTS_S[:1]:
            for page in pages:
                page.evaluate(HOLD, [kind, 1000 * instant_s])
            columns.append(column(table, pages))
        for page in pages:
            page.clock.run_for(page.evaluate(LASTS))
    for page in pages:
        page.context.close()
    return columns


def column(table: Studio, pages: list[Any]) -> list[Image.Image]:
    """Return what the pages and the camera show now."""
    shown = [Image.open(io.BytesIO(page.screenshot())).convert("RGB") for page in pages]
    assert table.frame is not None
    return [*shown, Image.fromarray(table.frame.image[:, :, ::-1].copy())]


def save(name: str, columns: list[list[Image.Image]]) -> None:
    """Write the strip as one picture."""
    rows = [[scaled(image) for image in row] for row in zip(*columns, strict=True)]
    high = [max(image.height for image in row) for row in rows]
    strip = Image.new("RGB", (COLUMN_PX * len(columns), sum(high)))
    for number, row in enumerate(rows):
        for at, image in enumerate(row):
            strip.paste(image, (COLUMN_PX * at, sum(high[:number])))
    file = OUT / f"{name}.webp"
    strip.save(file, quality=62, method=6)
    sys.stdout.write(f"{file.name} {len(columns)} instants, {file.stat().st_size // 1000} kB\n")
    sys.stdout.flush()


def scaled(image: Image.Image) -> Image.Image:
    """Return the image as wide as a column."""
    return image.resize((COLUMN_PX, round(image.height * COLUMN_PX / image.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main(sys.argv[1:])
