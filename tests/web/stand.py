"""A table with the real rules, the real journal and no sensors, for the tests of the web."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from flask import Flask
from flask.testing import FlaskClient

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Setup
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.choices import mend_choices
from appliance.journal.safekeeping.evening import EVENING, mend_evening
from appliance.journal.safekeeping.keys import seal_key
from appliance.sensing.roll_places import RollPlaces
from appliance.sensing.roll_replays import RollReplays
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from appliance.table.table import Table
from hardware.clock import Clock, ManualClock
from tests.patience import GIVEN_UP_S
from web.app import create_app
from web.site import Site

PIN = "482913"
NAMES = ("Ann", "Ben", "Cleo", "Dan")
PUTTY = ("yellow", "pink", "green", "orange")


ADDRESS = "192.0.2.7"


class Elsewhere(FlaskClient):
    """A browser on another machine of the network, which reaches the table by its IP."""

    def open(self, *args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault("base_url", f"http://{ADDRESS}")
        kwargs.setdefault("environ_overrides", {"REMOTE_ADDR": "192.0.2.99"})
        return super().open(*args, **kwargs)

    def set_cookie(self, key: str, value: str = "", **kwargs: Any) -> None:
        super().set_cookie(key, value, **{"domain": ADDRESS, **kwargs})


class Stand:
    """One table and its web application."""

    def __init__(
        self,
        folder: Path,
        clock: Clock | None = None,
        *,
        hardware: str = "twin",
        dealer: Dealer | None = None,
        answer_within_s: float = GIVEN_UP_S,
        wall: Callable[[], float] = time.time,
        **site: Any,
    ) -> None:
        self.clock = clock or ManualClock(100.0)
        self.journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0], wall)
        self.table = Table(
            journal=self.journal,
            games=the_game,
            clock=self.clock,
            hardware=hardware,
            dealer=dealer,
            answer_within_s=answer_within_s,
        )
        self.rolls = RollPlaces(RollReplays(self.table.replay_scope, self.table.sense))
        self.picture: Callable[[], bytes | None] = lambda: None
        usual: dict[str, Any] = {
            "secret_key": b"k" * 32,
            "pin": PIN,
            "address": ADDRESS,
            "host_file": folder / "host.json",
            "phones_file": folder / "phones.json",
            "evening_file": folder / EVENING,
        }
        mend_evening(folder, ())
        mend_choices(folder)
        self.site = Site(**(usual | site))
        self.app: Flask = create_app(
            self.table,
            settings=self.site,
            clock=self.clock,
            live_picture=lambda: self.picture(),
            rolls=self.rolls,
        )
        self._phones: dict[int, FlaskClient] = {}
        self._ids = (f"test-{number}" for number in itertools.count())

    @property
    def keys(self) -> Any:
        return self.app.extensions["smugglers"].keys

    def kiosk(self) -> FlaskClient:
        return self.app.test_client()

    def host(self) -> FlaskClient:
        """Return a browser on the touchscreen in which the PIN was entered. Browsers name the origin of a form."""
        client = self.kiosk()
        client.environ_base["HTTP_ORIGIN"] = "http://localhost"
        assert client.post("/host/unlock", data={"pin": PIN}).status_code == 302
        return client

    def stranger(self) -> FlaskClient:
        return Elsewhere(self.app, self.app.response_class, use_cookies=True)

    def phone(self, seat: int) -> FlaskClient:
        """Return the phone of `seat`, which scanned its code."""
        client = self._phones.setdefault(seat, self.stranger())
        assert client.get(self.join_path(seat)).status_code == 302
        return client

    def join_path(self, seat: int) -> str:
        """Return what the code of `seat` leads to."""
        from web.doors.phones import Seat

        url = self.keys.join_url(Seat(str(self.table.snapshot().seating), seat))
        return "/join/" + str(url.rsplit("/", 1)[1])

    def open(self, players: int = 2, **options: Any) -> None:
        seats = tuple(Player(name=name, putty=putty) for name, putty in zip(NAMES[:players], PUTTY, strict=False))
        setup = Setup(format=1, game="smugglers", players=seats, options=options)
        answer = self.table.open_game(setup, next(self._ids))
        assert isinstance(answer, Accepted), answer

    def let_chance_draw(self) -> None:
        """Wait until the running table has drawn what it leaves to nobody else."""
        while (now := self.table.snapshot()).game is not None and any(
            prompt.chance == "must" for prompt in the_game(now.game).rules.expects(now.state, None)
        ):
            assert self.table.wait_newer(now.version, GIVEN_UP_S) is not None

    def do(self, **action: Any) -> None:
        answer = self.table.submit(
            Submission(
                id=next(self._ids),
                action=msgspec.convert(action, the_game(str(self.table.snapshot().game)).rules.action_type),
            )
        )
        assert isinstance(answer, Accepted), (action, answer)

    def play(self, *actions: dict[str, Any]) -> None:
        for action in actions:
            self.do(**action)

    def close(self) -> None:
        self.table.stop()
        self.journal.close()
