"""The simulated table on a manual clock with its pages in a real browser: what is drawn beside what really is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hardware.readings import RollPlace
from hardware.twin.world.simulated_roll import SimulatedRoll
from tests.end_to_end.lockstep import LockstepTable
from tests.patience import GIVEN_UP_MS
from web.app import create_app
from web.live.serve import Server
from web.site import Site

DRAWN = "t => document.querySelector('[data-at]')?.dataset.at.split(' ')[2] === t"
HELD_AT = "2031-03-05T20:00:00"
NEWEST = "version => Number(document.body.dataset.version) >= version"


class ShownTable(LockstepTable):
    """Table, twin and robots in lockstep, and a server for their pages."""

    def __init__(self, folder: Path, *, seed: int, players: int = 4, **options: Any) -> None:
        super().__init__(folder, seed=seed, players=players, **options)
        site = Site(secret_key=b"k" * 32, pin="482913", port=0, address="192.0.2.7", host_file=folder / "host.json")
        app = create_app(
            self.table,
            settings=site,
            clock=self.clock,
            live_picture=self.twin.live.newest,
            rolls=self.rolls,
        )
        self.web = app.extensions["smugglers"]
        self.server = Server(app, site, host="127.0.0.1")
        self.server.start()
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.complaints: list[str] = []

    def page(self, browser: Any, path: str, size: tuple[int, int], *, held: bool = False, **more: Any) -> Any:
        """Open a page of this table. `held`: its own timers run only when the caller lets them (`page.clock`)."""
        wide, high = size
        context = browser.new_context(viewport={"width": wide, "height": high}, **{"locale": "en", **more})
        page = context.new_page()
        if held:
            page.clock.install()
            page.clock.pause_at(HELD_AT)
        page.set_default_timeout(GIVEN_UP_MS)
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.base + path)
        page.locator("body.streaming").wait_for()
        return page

    def true_roll(self) -> SimulatedRoll | None:
        """Return the path of the sphere that rolls, or rolled last and still lies there."""
        with self.twin.simulation.table() as world:
            rolls = [sphere.roll for sphere in world.spheres.values() if sphere.roll is not None]
        return max(rolls, key=lambda roll: roll.started_s, default=None)

    def happened(self, code: str, since: int = 0) -> bool:
        """Whether the open game's log says `code` after its first `since` lines."""
        return any(line.happening.code == code for line in self.table.snapshot().log[since:])

    def step_shown(self, pages: list[Any]) -> list[RollPlace]:
        """Let one camera period pass and wait until `pages` draw the newest place; return the places that were told."""
        before = len(self.told)
        self.advance()
        new = self.told[before:]
        if new:
            for page in pages:
                page.wait_for_function(DRAWN, arg=f"{round(new[-1].t_s, 3):g}")
        return new

    def settle(self, pages: list[Any]) -> None:
        """Wait until `pages` show the newest snapshot (each viewer of which changes with every one)."""
        version = self.table.snapshot().version
        for page in pages:
            page.wait_for_function(NEWEST, arg=version)

    def close(self) -> None:
        """Stop serving, and let go of files and pins."""
        self.server.stop()
        super().close()
