"""The table's side of the hub's offers. It applies each offer once, between games, if the owner agreed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from appliance.hub.link.wanted import HOLDS_S, Consent, HouseSettings, Offered, OfferState, Wanted, decoded
from appliance.service.machine.asks import UpdateNote
from appliance.words.errors import where_raised
from hardware.files.regular_file import MOST_TEXT_BYTES, UNDECODABLE, read_ordinary, write_private

TAKEN = "hub-taken.json"
LOOK_S = 5.0
"""Interval at which the table checks whether it may apply the current offer."""
AGAIN_S = 600.0
"""Pause before another try of a release that no package source had, or that the machine did not begin to install."""
_WENT_WRONG: tuple[OfferState, ...] = ("failed", "went_back")
_log = logging.getLogger(__name__)


class House(Protocol):
    """The interface through which the outbox changes the table's settings and release."""

    def takes(self) -> tuple[Consent, ...]:
        """Return what the owner allows the hub to do."""
        ...

    def is_free(self) -> bool:
        """Return whether no game is being played."""
        ...

    def change(self, settings: HouseSettings) -> bool:
        """Use these settings from now on. Return False if the owner does not allow it or a setting is invalid.

        :raises OSError: they cannot be stored.
        """
        ...

    def install(self, release: str) -> str:
        """Begin to install a release from a package source. Return "", `gone` or `refused`."""
        ...

    def last_update(self) -> UpdateNote | None:
        """Return the result of the last update. One that has ended is not reported as running."""
        ...


class _Taken(msgspec.Struct, frozen=True):
    """The settings that were applied last. Later changes by the host stay until the hub offers other settings."""

    settings: HouseSettings | None = None


class Offers:
    """Applies the hub's offers at one table, in its own thread. `hear` may be called from any thread.

    :param folder: stores the settings that were applied.
    :param house: None: there is no owner who could agree, and nothing is applied.
    :param clock: monotonic seconds.
    :param running: the release that runs here.
    """

    def __init__(self, folder: Path, house: House | None, clock: Callable[[], float], running: str) -> None:
        self._file, self._house, self._clock, self._running = folder / TAKEN, house, clock, running
        self._heard: tuple[Wanted, float] | None = None
        self._tried: tuple[Offered, float] | None = None
        self._offered: Offered | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub offers", daemon=True)

    def hear(self, said: bytes) -> None:
        """Note the hub's current offer. Invalid bytes are ignored."""
        wanted = decoded(said)
        if wanted is not None:
            self._heard = wanted, self._clock()

    def takes(self) -> tuple[Consent, ...]:
        """Return what the owner allows the hub to do."""
        return () if self._house is None else self._house.takes()

    def offered(self) -> Offered | None:
        """Return the state of the last release that was offered."""
        return self._offered

    def start(self) -> None:
        """Begin to apply offers."""
        if self._house is not None:
            self._thread.start()

    def stop(self) -> None:
        """Stop applying offers."""
        self._stopping.set()

    def look(self) -> None:
        """Apply the current offer, if this is allowed now."""
        if self._house is None:
            return
        heard, takes = self._heard, self._house.takes()
        wanted = heard[0] if heard is not None and self._clock() - heard[1] <= HOLDS_S else Wanted()
        if wanted.settings is not None and "settings" in takes:
            self._set(self._house, wanted.settings)
        self._offered = self._follow(self._house, wanted.release if "updates" in takes else "")

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_S):
            try:
                self.look()
            except Exception as bug:
                # No offer of a hub may stop the table.
                _log.error("%s; what the hub offers is looked at again", where_raised(bug))

    def _set(self, house: House, settings: HouseSettings) -> None:
        if settings == self._taken() or not house.is_free():
            return
        try:
            if not house.change(settings):
                return
            write_private(self._file, msgspec.json.encode(_Taken(settings)))
        except OSError as error:
            _log.warning("the hub's settings cannot be kept: %s", error.strerror)
            return
        _log.info("the settings that the hub offers are taken")

    def _taken(self) -> HouseSettings | None:
        try:
            return msgspec.json.decode(read_ordinary(self._file, MOST_TEXT_BYTES), type=_Taken).settings
        except (OSError, *UNDECODABLE):
            return None

    def _follow(self, house: House, release: str) -> Offered | None:
        """Begin to install `release` if this is allowed now. Return its state; with "", that of the last update."""
        if not release:
            # When it is offered again, the cause of a failure may be gone.
            self._tried = None
        last = house.last_update()
        noted = None if last is None else Offered(last.version, last.result)
        if noted is not None and (noted.state == "running" or not release):
            return noted
        if not release:
            return None
        if release == self._running:
            return Offered(release, "installed")
        if noted is not None and noted.release == release and noted.state in ("installed", *_WENT_WRONG):
            # A release that failed here once is not tried again automatically.
            return noted
        if self._tried is not None and self._tried[0].release == release and self._clock() - self._tried[1] < AGAIN_S:
            return self._tried[0]
        if not house.is_free():
            return Offered(release, "waits")
        problem = house.install(release)
        state: OfferState = "gone" if problem == "gone" else "refused" if problem else "running"
        _log.info("the hub offers %s: %s", release, state)
        self._tried = Offered(release, state), self._clock()
        return self._tried[0]
