"""The table's side of what its hub offers: taken where the owner agreed, between games, each thing once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from appliance.hub.link.wanted import HOLDS_S, Consent, HouseSettings, Offered, OfferState, Wanted, decoded
from appliance.service.machine.asks import UpdateNote
from hardware.regular_file import write_private

TAKEN = "hub-taken.json"
LOOK_S = 5.0
"""How often the table looks whether it may take what is offered."""
AGAIN_S = 600.0
"""How long until a release that no source has, or that the machine did not begin to install, is asked for again."""
_WENT_WRONG: tuple[OfferState, ...] = ("failed", "went_back")
_log = logging.getLogger(__name__)


class House(Protocol):
    """The table's house, as its outbox changes it."""

    def takes(self) -> tuple[Consent, ...]:
        """Return what the owner lets the hub do."""
        ...

    def is_free(self) -> bool:
        """Return whether no game is played."""
        ...

    def change(self, settings: HouseSettings) -> bool:
        """Use these settings from now on; return whether the owner lets the hub, and the table can use them.

        :raises OSError: they cannot be stored.
        """
        ...

    def install(self, release: str) -> str:
        """Begin to install a release from a source of packages; return "", `gone` or `refused`."""
        ...

    def last_update(self) -> UpdateNote | None:
        """Return what came of the last update; one that has ended does not seem to run."""
        ...


class _Taken(msgspec.Struct, frozen=True):
    """The settings that were taken last: what a host changes afterwards stays, until the hub offers others."""

    settings: HouseSettings | None = None


class Offers:
    """One table's. `hear` what is offered, in any thread; another one takes it.

    :param folder: keeps what was taken.
    :param house: None: nobody can agree to anything here.
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
        """Take note of what the hub offers; what is no offer is none."""
        wanted = decoded(said)
        if wanted is not None:
            self._heard = wanted, self._clock()

    def takes(self) -> tuple[Consent, ...]:
        """Return what the owner lets the hub do."""
        return () if self._house is None else self._house.takes()

    def offered(self) -> Offered | None:
        """Return what came of the last release that was offered."""
        return self._offered

    def start(self) -> None:
        """Begin to take what is offered."""
        if self._house is not None:
            self._thread.start()

    def stop(self) -> None:
        """Take nothing more."""
        self._stopping.set()

    def look(self) -> None:
        """Take what is offered now, if it may be taken."""
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
            except Exception:
                # A table plays on whatever its hub offers.
                _log.exception("bug while taking what the hub offers")

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
            return msgspec.json.decode(self._file.read_bytes(), type=_Taken).settings
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def _follow(self, house: House, release: str) -> Offered | None:
        """Begin to install `release` where it may be; return what came of it, "": of the last one."""
        if not release:
            # Whoever offers it anew may have mended what prevented it.
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
            # What went wrong here once is not tried again by itself.
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
