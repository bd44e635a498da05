"""Whole games that differ in a secret leave the table alike: to its end, after it, and by every other way out.

`test_measured_secrets.py` compares what viewers get while a game goes on. Compared here are the pages around a game,
what other programs and the hub are told, the log, the file for help, the figures for monitoring, and the sizes of what
lies on the card.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import re
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import tag_of
from appliance.journal import sealing
from appliance.journal.journal import Journal
from appliance.service.outside.home_assistant import Topics, state
from appliance.service.outside.table_status import status_of
from appliance.settings import Settings
from appliance.snapshot import Accepted
from tests.appliance.games.contract import play
from tests.appliance.games.contract.play import Played
from tests.appliance.games.contract.test_secrets import Twin, seeing, twins
from tests.appliance.hub.journals import teller
from tests.web.doors.test_offers import Table
from tests.web.event_streams import followed, sent
from tests.web.stand import PIN, Elsewhere
from tests.web.upkept import upkept

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

PUBLIC = (
    "/", "/seats", "/overlay", "/widget", "/league", "/rules?back=/", "/privacy?back=/", "/language", "/after",
    "/after/picture.png", "/replays/1", "/replays/1/pictures", "/api/v1/view", "/api/v1/table", "/metrics",
    "/host/support/file", "/kiosk/games", "/no-such-page",
)  # fmt: skip
HOST = (
    "/kiosk", "/kiosk/table", "/kiosk/corrections", "/kiosk/games", "/kiosk/games/1", "/kiosk/games/1/transcript",
    "/kiosk/setup/smugglers", "/after", "/host", "/host/check", "/host/guests", "/host/support", "/host/files",
)  # fmt: skip
SEAT = ("/seat/{0}", "/seat/{0}/object", "/api/v1/view?seat={0}", "/after", "/after/picture.png", "/seats")
OF_THE_MACHINE = re.compile(
    r"^.*(_seconds|_bytes|threads|open_handles|temperature|requests_total|tap_seconds).*\n", re.MULTILINE
)
"""Figures that two tables of the same story have of their own: memory, time, and what was asked of each."""
NOW_S = 1_700_000_000.0

Seen = dict[str, Any]


class Doors:
    """One table on which a whole game is played, and what comes out of it to those that may not know the secret."""

    def __init__(self, folder: Path, played: Played, actions: Sequence[Any], knowing: set[int]) -> None:
        folder.mkdir()
        (folder / "phones.json").write_bytes(b'{"start":"alike"}')
        self.table = Table(folder, played.setup, actions)
        self.stand, self.actions = self.table.stand, actions
        self.seats = [seat for seat in played.seats if seat not in knowing]
        settings = Settings(data_dir=str(folder), host_pin=PIN)
        self.upkeep, self.app = upkept(self.stand, settings)
        self.feed = self.stand.app.extensions["smugglers"].feed
        self.feed.start()
        for phone in self.table.phones:
            assert phone.put(f"/api/v1/seats/{self.table.phones.index(phone)}/lessons", json={"on": True}).status_code

    def played(self, looked_at: set[int]) -> Iterator[tuple[str, Any]]:
        """Play the game to its end, close it, and yield all that comes out."""
        yield "sent at its opening", self.told()
        for number, action in enumerate(self.actions):
            self.table.do(action)
            self.stand.table.step()
            yield f"{number} sent", self.told()
            if number in looked_at:
                yield from ((f"{number} {what}", got) for what, got in self.looked())
        assert isinstance(self.stand.table.close_game("closed"), Accepted)
        yield "sent at its close", self.told()
        yield from ((f"closed {what}", got) for what, got in self.looked())
        followed(self.feed, self.stand)
        yield "events, which webhooks post too", sent(self.feed)
        yield "envelopes for a hub", list(teller(self.stand.journal).after(0, 100_000))
        rows = self.stand.journal.rows_after(0, 100_000)
        yield "rows of the journal and sizes of seals", [(row.unchained[:-1], len(row.sealed or b"")) for row in rows]

    def told(self) -> Any:
        """Tell the log, and return what a broker is told."""
        snapshot = self.stand.table.snapshot()
        self.upkeep.story.take(snapshot)
        return [list(state(Topics("0a1b2c3d4e5f"), status_of(snapshot), language)) for language in ("en", "de")]

    def looked(self) -> Iterator[tuple[str, Any]]:
        stranger = Elsewhere(self.app, self.app.response_class, use_cookies=True)
        host = self.app.test_client()
        unlocked = host.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://localhost"})
        assert unlocked.status_code == 302
        for path in PUBLIC:
            yield f"stranger {path}", answer(stranger, path)
        for path in HOST:
            yield f"host {path}", answer(host, path)
        for seat in self.seats:
            for path in SEAT:
                yield f"phone {path.format(seat)}", answer(self.table.phones[seat], path.format(seat))
        yield "figures", OF_THE_MACHINE.sub("", host.get("/metrics").text)
        yield from self.file_for_help(host.get("/host/support/file").data)

    def file_for_help(self, content: bytes) -> Iterator[tuple[str, Any]]:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            for name in file.namelist():
                text = file.read(name)
                if name == "about.json":
                    continue  # of the machine, with the seconds since it started
                if name == "settings.json":
                    text = json.dumps(json.loads(text) | {"data_dir": ""}).encode()
                text = re.sub(rb'"changed_(h|days)_ago": [-.\d]+', b"", text)
                yield f"file for help: {name}", (text, len(gzip.compress(text, mtime=0)))


def answer(client: Any, path: str) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return status, headers and the bytes as they are sent, compressed."""
    got = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert got.status_code < 500, path
    return got.status_code, sorted(got.headers), got.data


def everything(
    folder: Path, played: Played, actions: Sequence[Any], twin: Twin, patch: pytest.MonkeyPatch, log: Any
) -> Seen:
    """Play one of the two games. What is random on purpose, and the time, are alike in both."""
    drawn = Random(1)
    patch.setattr("secrets.token_hex", lambda size=32: drawn.randbytes(size).hex())
    patch.setattr("secrets.token_urlsafe", lambda size=32: drawn.randbytes(size).hex())
    log.clear()
    doors = Doors(folder, played, actions, seeing(played, twin))
    try:
        found = dict(doors.played({twin.at + 1, len(actions) - 1}))
    finally:
        doors.feed.close()
        doors.stand.close()
    return found | {"log": [line for line in log.messages if str(folder) not in line]}


def check(name: str, seed: int, folder: Path, patch: pytest.MonkeyPatch, log: Any, most: int = 1) -> int:
    """Compare a whole game with as many of its twins. Return how many things were compared."""
    log.set_level("DEBUG")
    at_once = Journal.__init__
    patch.setattr(
        Journal, "__init__", lambda self, path, sealer, _=time.time: at_once(self, path, sealer, lambda: NOW_S)
    )
    played, compared = a_game(name, seed), 0
    for number, twin in enumerate(itertools.islice(twins(played, Random(seed)), most)):
        one, other = (
            everything(folder / f"{which}-{seed}-{number}", played, actions, twin, patch, log)
            for which, actions in (("a", played.actions), ("b", twin.actions))
        )
        assert one.keys() == other.keys()
        for what, got in one.items():
            assert got == other[what], (what, played.actions[twin.at], twin.actions[twin.at])
        compared += len(one)
    return compared


def a_game(name: str, seed: int) -> Played:
    return play.play(the_game(name), seed, players=3)


def at_a_table(played: Played) -> bool:
    """Whether a table plays it so: nobody leaves at a moment at which the table itself draws at once."""
    gone = [step for step, action in zip(played.steps, played.actions, strict=False) if tag_of(action) == "leave"]
    return not any(prompt.chance == "must" for step in gone for prompt in played.game.rules.expects(step.state, None))


def seed_of(name: str) -> int:
    """Return the seed of the shortest of some whole games, of those with a secret that could differ unseen."""
    games = {seed: played for seed in range(1, 16) if at_a_table(played := a_game(name, seed))}
    shortest = sorted(games, key=lambda seed: len(games[seed].actions))
    return next(seed for seed in shortest if any(twins(games[seed], Random(seed))))


@pytest.mark.parametrize("name", GAMES)
def test_whole_games_that_differ_in_a_secret_leave_the_table_alike(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert check(name, seed_of(name), tmp_path, monkeypatch, caplog) > 150


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_many_whole_games_that_differ_in_a_secret(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seeds = itertools.islice((seed for seed in itertools.count(2) if at_a_table(a_game(name, seed))), 4)
    compared = sum(check(name, seed, tmp_path, monkeypatch, caplog, 3) for seed in seeds)
    with capsys.disabled():
        print(f"\n{name}: {compared} things of whole games compared")
    assert compared > 300


# -- the suite bites


def as_long_as_it_is(plain: bytes) -> bytes:
    return len(plain).to_bytes(4, "big") + plain


def test_seals_as_long_as_their_secrets_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sealing, "_padded", as_long_as_it_is)
    with pytest.raises(AssertionError, match="sizes of seals"):
        check("smugglers", seed_of("smugglers"), tmp_path, monkeypatch, caplog, 4)
