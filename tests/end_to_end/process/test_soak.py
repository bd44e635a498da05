"""Games back to back on one real server, with screens that come and go: memory and handles stay where they were."""

from __future__ import annotations

import gc
import os
import threading
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Rejection
from appliance.service.resource_limits import limit_resources
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.contract import play
from tests.patience import GIVEN_UP_S
from tests.web.crowd import OWN, connected, leave, served, status, stream
from tests.web.stand import Stand

pytestmark = pytest.mark.slow

SOAK_GAMES = int(os.environ.get("SOAK_GAMES", "200"))
ACTIONS_MOST, SCREENS = 60, 12
GROWTH_MOST_MB = 12.0
"""From a quarter of the games to their end: what allocators keep, and nothing for each game."""
STILL_CLOSING = 4
"""So many handles and threads may belong to connections that are just being closed. One game's screens have 16."""


class Held(NamedTuple):
    """What the process holds."""

    handles: int
    threads: int
    resident_mb: float


def held() -> Held:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    handles = len(list(Path("/proc/self/fd").iterdir()))
    return Held(handles, threading.active_count(), pages * os.sysconf("SC_PAGESIZE") / 2**20)


def one_game(stand: Stand, port: int, number: int, ids: count[int]) -> int:
    """Play one game with screens that watch and phones that join. Return how many actions were acknowledged."""
    random, name = Random(number), sorted(GAMES)[number % len(GAMES)]
    game = the_game(name)
    setup = play.a_setup(game, 4)
    assert isinstance(stand.table.open_game(setup, f"soak-{next(ids)}"), Accepted)
    screens = [stream(port, OWN, f"kind={('wall', 'kiosk')[screen % 2]}") for screen in range(SCREENS)]
    for seat in range(4):
        phone = connected(port)
        phone.sendall(f"GET {stand.join_path(seat)} HTTP/1.1\r\nHost: {OWN}\r\nConnection: close\r\n\r\n".encode())
        assert b"302" in phone.recv(4096).split(b"\r\n", 1)[0]
        screens.append(phone)
    done = 0
    for _ in range(ACTIONS_MOST):
        state = stand.table.snapshot().state
        if game.rules.outcome(state) is not None:
            break
        prompts = play.own_prompts(game, state, 4)
        action = play.answer(game, random.choice(prompts), random)
        answer = stand.table.submit(Submission(id=f"soak-{next(ids)}", action=action))
        # What the appliance draws by itself may have come first.
        assert isinstance(answer, Accepted | Rejection)
        done += isinstance(answer, Accepted)
    for path in ("/kiosk", "/seats", "/kiosk/table", "/kiosk/games"):
        assert status(port, path) == 200
    leave()
    assert isinstance(stand.table.close_game(f"soak-{next(ids)}"), Accepted)
    return done


def once_no_screen_is_left(before: Held) -> Held:
    """Wait until the server has closed what its clients closed. Return what the process holds then."""
    given_up_at = monotonic() + GIVEN_UP_S
    while (now := held()).handles > before.handles + STILL_CLOSING:
        assert monotonic() < given_up_at, f"{now} is what the process still holds, {before} what it held before"
    return now


def play_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, games: int, capsys: pytest.CaptureFixture[str] | None
) -> list[Held]:
    found: list[Held] = []
    # As every command does. Else each of the web's threads may get a malloc arena of its own, which keeps what it had.
    limit_resources()
    with served(folder, monkeypatch) as (stand, port):
        assert status(port, "/kiosk/games") == 200
        before, ids, done = held(), count(), 0
        for number in range(games):
            done += one_game(stand, port, number, ids)
            if (number + 1) % max(games // 20, 1) == 0:
                found.append(once_no_screen_is_left(before))
                if capsys is not None:
                    with capsys.disabled():
                        print(f"\n{number + 1} games, {done} actions: {found[-1]}", end="", flush=True)
    return found


@pytest.mark.soak
def test_two_hundred_games_back_to_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = play_on(tmp_path, monkeypatch, SOAK_GAMES, capsys)
    settled = found[len(found) // 4 :]
    assert max(one.handles for one in found) - min(one.handles for one in found) <= STILL_CLOSING
    assert len({one.threads for one in settled}) == 1
    assert settled[-1].resident_mb - settled[0].resident_mb < GROWTH_MOST_MB


def test_a_few_games_leave_no_handle_and_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The wait after each game has asserted the handles.
    first, *_, last = play_on(tmp_path, monkeypatch, 5, None)
    assert last.threads <= first.threads + STILL_CLOSING
