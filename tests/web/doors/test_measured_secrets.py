"""Lengths, compressed sizes, order, moments and work: all the same to a viewer whose secrets they are not.

Two games that tell everybody the same story, with another secret in one of them, are played on real tables.
Everything that each viewer can get of them is compared: pages, API answers, errors, events, headers, in bytes as sent.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from tests.appliance.games.contract import play
from tests.appliance.games.contract.play import Played
from tests.appliance.games.contract.test_secrets import Twin, seeing, twins
from tests.web.calls import calls_of
from tests.web.doors.test_offers import Table
from tests.web.event_streams import followed, sent
from web.pages.render import PageRenderer
from web.words.viewer import Viewer

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

LOOKS = 3
"""At so many steps of a game every page is fetched. Events are compared at every step."""
PATHS = (
    "/", "/wall", "/seats", "/rules", "/nowhere", "/live/picture.jpg", "/api/v1/view", "/api/v1/view?seat=9",
    "/api/v1/table", "/api/v1/nothing",
)  # fmt: skip
KIOSK = ("/kiosk", "/kiosk/table", "/kiosk/corrections", "/kiosk/games", "/kiosk/corrections/9999")
GZIP = {"Accept-Encoding": "gzip"}

Seen = list[tuple[str, Any]]


class Watched:
    """One table on which a game is played, and what every viewer but those of `knowing` gets of it."""

    def __init__(self, folder: Path, played: Played, actions: Any, knowing: set[int]) -> None:
        folder.mkdir()
        self.table = Table(folder, played.setup, list(actions))
        self.stand = self.table.stand
        self.web = self.stand.app.extensions["smugglers"]
        self.seats = [seat for seat in played.seats if seat not in knowing]
        self.viewers = [Viewer(kind, None, "en") for kind in ("wall", "kiosk")]
        self.viewers += [Viewer("seat", seat, "de") for seat in self.seats]
        self.has = {viewer: self.web.live.pages.of(self.stand.table.snapshot(), viewer) for viewer in self.viewers}

    def after(self, action: Any) -> Iterator[tuple[str, Any]]:
        """Play one action. Yield each viewer's event, which versions there were, and when the table wakes next."""
        before = self.stand.table.snapshot().version
        self.table.do(action)
        self.stand.table.step()
        snapshot = self.stand.table.snapshot()
        yield "versions", (before, snapshot.version, snapshot.journal_seq)
        yield "wakes", self.stand.table._state.next_due_s()
        for viewer in self.viewers:
            page = self.web.live.pages.of(snapshot, viewer)
            yield f"event of {viewer}", self.web.live._events.news(self.has[viewer], page)
            self.has[viewer] = page

    def looked(self, number: int) -> Iterator[tuple[str, Any]]:
        """Fetch everything that can be fetched."""
        kiosk, stranger = self.stand.kiosk(), self.stand.stranger()
        self.web.feed.start()
        followed(self.web.feed, self.stand)
        yield "events for other programs", sent(self.web.feed)
        for path in PATHS:
            yield f"stranger {path}", answer(stranger.get(path, headers=GZIP))
        for path in KIOSK:
            yield f"kiosk {path}", answer(kiosk.get(path, headers=GZIP))
        for deed in self.stand.table.snapshot().correctable[-3:]:
            for asked in ("", "?action=null"):
                path = f"/kiosk/corrections/{deed.seq}{asked}"
                yield f"kiosk {path}", answer(kiosk.get(path, headers=GZIP))
        for seat in self.seats:
            phone = self.table.phones[seat]
            for path in (f"/seat/{seat}", f"/api/v1/view?seat={seat}"):
                yield f"phone {path}", answer(phone.get(path, headers=GZIP))
            refused = {"id": f"refused-{number}-{seat}", "prompt": "no", "action": {"do": "leave", "seat": seat}}
            yield f"refused {seat}", answer(phone.post("/api/v1/actions", json=refused))
        yield "work of the wall", self.work(Viewer("wall", None, "en"))

    def work(self, viewer: Viewer) -> int:
        """Return how many functions are called to draw a page anew, its caches warm."""
        snapshot = self.stand.table.snapshot()
        self.web.renderer.regions(snapshot, viewer)
        return calls_of(lambda: self.web.renderer.regions(snapshot, viewer))


def answer(got: Any) -> tuple[int, list[tuple[str, str]], int, bytes]:
    return got.status_code, sorted(got.headers), len(got.data), got.data


def everything(folder: Path, played: Played, twin: Twin, actions: Any, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Play one of the two games. Return all that those who may not know the secret get, in order.

    What is random on purpose (names of streams, forms and phones) is drawn alike in both.
    """
    drawn = Random(1)
    monkeypatch.setattr(secrets, "token_hex", lambda size=32: drawn.randbytes(size).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size=32: drawn.randbytes(size).hex())
    watched = Watched(folder, played, actions, seeing(played, twin))
    looks = {round(number * (len(actions) - 1) / (LOOKS - 1)) for number in range(LOOKS)} | {twin.at, twin.at + 1}
    seen: Seen = []
    for number, action in enumerate(actions):
        seen += [(f"{number} {what}", got) for what, got in watched.after(action)]
        if number in looks:
            seen += [(f"{number} {what}", got) for what, got in watched.looked(number)]
    names = sorted(path.name for path in folder.iterdir())
    seen.append(("names of files", names))
    watched.stand.close()
    return seen


def check(name: str, seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> int:
    """Compare a game with as many of its twins. Return how many things were compared."""
    played = a_game(name, seed)
    compared = 0
    for number, twin in enumerate(itertools.islice(twins(played, Random(seed)), most)):
        first, second = (
            everything(folder / f"{seed}-{number}-{which}", played, twin, actions, monkeypatch)
            for which, actions in (("a", played.actions), ("b", twin.actions))
        )
        assert [what for what, _ in first] == [what for what, _ in second]
        for (what, one), (_, other) in zip(first, second, strict=True):
            assert one == other, (what, played.actions[twin.at], twin.actions[twin.at])
        compared += len(first)
    return compared


def seed_of(name: str) -> int:
    """Return the first seed whose game has secrets that could differ unseen."""
    found = (seed for seed in itertools.count(1) if any(twins(a_game(name, seed), Random(seed))))
    return next(found)


def a_game(name: str, seed: int) -> Played:
    return shortened(play.play(the_game(name), seed, players=3))


def shortened(played: Played, most: int = 30) -> Played:
    """Return the beginning of a game."""
    return Played(played.game, played.setup, played.actions[:most], played.steps[: most + 1])


@pytest.mark.parametrize("name", GAMES)
def test_games_that_differ_in_a_secret_are_the_same_to_everybody_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(name, seed_of(name), tmp_path, monkeypatch, 1) > 100


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_many_games_that_differ_in_secrets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = sum(check(name, seed, tmp_path, monkeypatch, 4) for seed in range(2, 8))
    with capsys.disabled():
        print(f"\n{name}: {compared} things of 24 pairs of games compared")
    assert compared > 1000


def test_the_measure_bites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is longer by one sign where a secret number is longer is found."""
    draw, do, last = PageRenderer.regions, Table.do, [b""]

    def noted(self: Table, action: Any) -> None:
        last[0] = msgspec.json.encode(action)
        do(self, action)

    def longer(self: PageRenderer, snapshot: Any, viewer: Viewer) -> dict[str, str]:
        return {**draw(self, snapshot, viewer), "head": " " * len(last[0])}

    monkeypatch.setattr(PageRenderer, "regions", longer)
    monkeypatch.setattr(Table, "do", noted)
    with pytest.raises(AssertionError, match="event of"):
        check("smugglers", seed_of("smugglers"), tmp_path, monkeypatch, 4)
