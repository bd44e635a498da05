"""A league night of 24 guests on four tables, as its page on the hub shows it."""

from __future__ import annotations

import re
from html import unescape

from tests.web.hub.conftest import ORIGIN, StandingHub

GUESTS = [f"Robo{n:02}" for n in range(24)]
TABLES = ("bay", "mole", "pier", "quay")
PATH = "/night/1"


class Night:
    """The page of a night, and its taps."""

    def __init__(self, hub: StandingHub, game: str = "haulers") -> None:
        self.hub, self.client = hub, hub.client("chain")
        for name in TABLES:
            hub.table(name)
        self.tap("/night/begin", cafe="", game=game, size="6")
        for name in TABLES:
            self.tap(f"{PATH}/table", table=name)

    def tap(self, path: str, **fields: str | int) -> None:
        assert self.client.post(path, data=fields, headers=ORIGIN).status_code == 302

    @property
    def page(self) -> str:
        return self.client.get(PATH).text

    def boards(self) -> dict[str, tuple[str, list[str]]]:
        """Who is called to, or plays at, which table, and how it stands."""
        shown = re.findall(
            r'<li class="(\w+)"><h2>(\w+)</h2>(.*?)(?=<li class="\w+"><h2>|</ul>\n)', self.page, re.DOTALL
        )
        return {
            name: (state, [unescape(one) for one in re.findall(r"<li><b>(.*?)</b>", part)])
            for state, name, part in shown
        }

    def call(self) -> dict[str, list[str]]:
        (after,) = set(re.findall(r'name="after" value="(\d+)"', self.page))
        self.tap(f"{PATH}/call", after=after)
        return {name: guests for name, (state, guests) in self.boards().items() if state == "up"}

    def standings(self) -> dict[str, tuple[int, int, int]]:
        rows = re.findall(
            r'<tr><td>(\d+)</td><th scope="row">(\w+)(?: <small>.*?</small>)?</th><td>(\d+)</td><td>(\d+)</td>',
            self.page,
        )
        return {name: (int(place), int(won), int(played)) for place, name, won, played in rows}
