"""Two hundred watch and twenty actions a second are tapped while a stranger floods: every action is acknowledged.

The floods come from a process of their own, over real connections, as fast as they can.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import socket
import statistics
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest

from tests.bench.games import endless_game
from tests.patience import GIVEN_UP_S
from tests.web.crowd import OWN, served, status, stream

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

WATCHERS, ACTIONS, A_SECOND = 200, int(os.environ.get("FLOODED_ACTIONS", "60")), 20
STRANGERS = ("127.0.9.9", "127.0.9.10")


def flood(pipe: Connection, port: int) -> None:
    """Ask for pages, open streams and connections, upload, from two addresses, without a pause, until told to stop."""
    halt = threading.Event()
    done = [0]

    def ask(source: str, text: bytes, wait: bool) -> None:
        kept: list[socket.socket] = []
        while not halt.is_set():
            with contextlib.suppress(OSError):
                there = socket.create_connection((OWN, port), timeout=2, source_address=(source, 0))
                kept.append(there)
                there.sendall(text)
                if wait:
                    there.recv(1 << 16)
                done[0] += 1
            while len(kept) > 30:
                kept.pop(0).close()
        for one in kept:
            one.close()

    heads = b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    body = b'{"id":"x","action":{"do":"time_up"}}'
    texts = (
        (b"GET /wall" + heads + b"\r\n", True),
        (b"GET /rules?game=haulers" + heads + b"\r\n" * 1, False),
        (b"GET /live?kind=wall" + heads + b"\r\n", False),
        (
            b"POST /api/v1/actions" + heads + b"Content-Type: application/json\r\nContent-Length: 36\r\n\r\n" + body,
            True,
        ),
        (b"POST /host/unlock" + heads + b"Content-Length: 1000000\r\n\r\n" + b"p" * 1000, False),
        (b"GET /" + b"x" * 20_000, False),
    )
    threads = [threading.Thread(target=ask, args=(source, *text)) for source in STRANGERS for text in texts]
    for thread in threads:
        thread.start()
    pipe.send("begun")
    pipe.recv()
    halt.set()
    for thread in threads:
        thread.join()
    pipe.send(done[0])


@pytest.mark.thorough
def test_every_action_is_acknowledged_while_a_stranger_floods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path, monkeypatch) as (stand, port):
        stand.open(4)
        _, actions = endless_game(ACTIONS)
        watchers = [stream(port, f"127.0.8.{number % 20 + 1}") for number in range(WATCHERS - 10)]
        watchers += [stream(port, OWN, "kind=kiosk") for _ in range(10)]
        here, there = multiprocessing.Pipe()
        flooder = multiprocessing.get_context("spawn").Process(target=flood, args=(there, port), daemon=True)
        flooder.start()
        assert here.recv() == "begun"
        kiosk = http.client.HTTPConnection(OWN, port, timeout=GIVEN_UP_S)
        answers, late_ms = [], []
        for number, action in enumerate(actions):
            body = json.dumps({"id": f"flooded-{number}", "action": msgspec.to_builtins(action)})
            begun_s = time.monotonic()
            kiosk.request("POST", "/api/v1/actions", body, {"Content-Type": "application/json"})
            with kiosk.getresponse() as answer:
                answers.append((answer.status, answer.read()))
            late_ms.append(1e3 * (time.monotonic() - begun_s))
            time.sleep(max(1 / A_SECOND - late_ms[-1] / 1e3, 0))
        page = status(port, "/kiosk")
        elsewhere = status(port, "/wall", "127.0.7.7")
        here.send("stop")
        tried = here.recv()
        kiosk.close()
        flooder.join(GIVEN_UP_S)
    assert [found for found in answers if found[0] != 200] == []
    assert (page, elsewhere) == (200, 200)
    assert tried > ACTIONS
    with capsys.disabled():
        print(
            f"\n{len(actions)} actions beside {len(watchers)} streams and {tried} tries of a stranger: answered in "
            f"{statistics.median(late_ms):.0f} ms, at the latest {max(late_ms):.0f} ms"
        )
