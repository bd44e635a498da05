"""However many ask of a hub's messages, and whenever it ends, no connection is left open; at a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import pytest

from appliance.hub.broker import messages
from appliance.hub.link.connection import connected, end_all
from tests.appliance.hub.conftest import HubStand, sockets
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


def test_a_worker_that_asks_while_the_hub_ends_makes_no_connection_anew(
    hub: HubStand, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.messages.pull(1, 0.05)
    told: list[str] = []

    def works() -> None:
        try:
            hub.messages.pull(1, 0.05)
        except Exception as error:
            told.append(type(error).__name__)

    worker = threading.Thread(target=works)

    async def when_the_worker_has_asked() -> None:
        """Let the worker ask between the end of the connection and the end of all else, as on a busy machine."""
        if worker.ident is None:
            worker.start()
        while worker.is_alive() and hub.messages._link is None:
            await asyncio.sleep(0)
        await end_all()

    before = len(sockets())
    monkeypatch.setattr(messages, "end_all", when_the_worker_has_asked)
    hub.messages.close()
    worker.join(GIVEN_UP_S)
    assert told == ["BrokerAwayError"]
    assert len(sockets()) < before


def test_two_who_ask_at_once_make_one_connection(hub: HubStand, monkeypatch: pytest.MonkeyPatch) -> None:
    async def when_both_have_asked(*to: Any) -> Any:
        while len(asyncio.all_tasks()) < len(asking):
            await asyncio.sleep(0)
        return await connected(*to)

    monkeypatch.setattr(messages, "connected", when_both_have_asked)
    before = len(sockets())
    asking = [threading.Thread(target=hub.messages.pull, args=(1, 0.05)) for _ in range(2)]
    for one in asking:
        one.start()
    for one in asking:
        one.join(GIVEN_UP_S)
    assert len(sockets()) == before + 1


def test_a_connection_that_is_made_in_spite_of_the_end_is_ended(hub: HubStand, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    async def in_spite(*to: Any) -> Any:
        """Connect, and lose a cancellation on the way, as `asyncio.wait_for` does at times."""
        begun.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(GIVEN_UP_S)
        return await connected(*to)

    def works() -> None:
        with contextlib.suppress(messages.BrokerAwayError):
            hub.messages.pull(1, 0.05)

    monkeypatch.setattr(messages, "connected", in_spite)
    before = len(sockets())
    worker = threading.Thread(target=works)
    worker.start()
    assert begun.wait(GIVEN_UP_S)
    hub.messages.close()
    worker.join(GIVEN_UP_S)
    assert not worker.is_alive()
    # The two of the loop that woke it are gone as well.
    assert len(sockets()) == before - 2
