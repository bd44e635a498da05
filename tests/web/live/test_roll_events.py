"""Where something rolls, on its way to the screens that draw it."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import MonotonicClock
from hardware.readings import RollPlace
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand
from web.live.serve import Server


class Stream:
    """One open live page."""

    def __init__(self, port: int, path: str, cookie: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GIVEN_UP_S)
        self._connection.request("GET", path, headers={"Cookie": cookie})
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        self.until("page")

    def until(self, event: str) -> list[tuple[str, Any]]:
        """Read events up to the next `event`, heartbeats left out."""
        heard: list[tuple[str, Any]] = []
        name = ""
        while line := self._answer.readline().decode().strip() or " ":
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name != "beat":
                heard.append((name, json.loads(line.removeprefix("data: "))))
                if name == event:
                    return heard
        raise AssertionError("the stream ended")

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Stand, int]]:
    stand = Stand(tmp_path, clock=MonotonicClock(), port=0)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    yield stand, server.port
    server.stop()
    stand.close()


def joined(stand: Stand, port: int, seat: int) -> str:
    """Return the cookie of a phone that has joined."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GIVEN_UP_S)
    connection.request("GET", stand.join_path(seat))
    answer = connection.getresponse()
    cookies = [value.split(";")[0] for name, value in answer.getheaders() if name == "Set-Cookie"]
    connection.close()
    return "; ".join(cookies)


def test_wall_and_touchscreen_are_told_lane_and_place_and_nothing_else(served: tuple[Stand, int]) -> None:
    stand, port = served
    stand.open(2)
    wall, kiosk = Stream(port, "/live?kind=wall"), Stream(port, "/live?kind=kiosk")
    phone = Stream(port, "/live?kind=seat&seat=1", joined(stand, port, 1))
    for following in stand.app.extensions["smugglers"].live._followings:
        while not following.idle:  # a place that comes before its stream listens is missed, as it should be
            os.sched_yield()
    stand.rolls.tell(RollPlace(t_s=101.25, lane=4, place=510))
    for screen in (wall, kiosk):
        assert screen.until("roll")[-1] == ("roll", {"lane": 4, "place": 510, "t_s": 101.25})
    stand.do(do="roll", seat=0, value=3)
    assert "roll" not in [name for name, _ in phone.until("page")], "phones draw no track"
    for stream in (wall, kiosk, phone):
        stream.close()


def test_places_are_no_part_of_the_game(served: tuple[Stand, int]) -> None:
    stand, port = served
    stand.open(2)
    wall = Stream(port, "/live?kind=wall")
    before = stand.table.snapshot()
    for number in range(200):
        stand.rolls.tell(RollPlace(t_s=100.0 + number, lane=1, place=5 * number))
    assert stand.table.snapshot() == before
    wall.close()
