"""Catches exceptions of our own code while sensing. Each is reported as the health of its device; sensing goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from appliance.words.errors import where_raised
from hardware.readings import Device, DeviceHealth

FAILED = "sensing_failed"
CALM_S = 5.0
"""Seconds without another error after which the device's own report of its health counts again."""

_log = logging.getLogger(__name__)


class Mishaps:
    """Keeps which devices' readings failed lately, and the newest report of each device of its own health.

    Exceptions pass through until `catch` is called: a caller that processes in its own thread wants to see them.

    :param tell: takes the health to report.
    """

    def __init__(self, tell: Callable[[DeviceHealth], None]) -> None:
        self._tell = tell
        self._catching = False
        self._own: dict[Device, DeviceHealth] = {}
        self._failed_s: dict[Device, float] = {}
        self._logged: set[str] = set()

    def catch(self) -> None:
        """Catch all exceptions from now on."""
        self._catching = True

    @contextmanager
    def of(self, device: Device | None, now_s: float, mend: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Catch an exception in work for `device`, log its place, and report it as health.

        :param device: None: no reading depends on the work, so an exception is only logged.
        :param mend: makes the processor of a failed device usable again.
        """
        try:
            yield
        except Exception as error:
            if not self._catching:
                raise
            self._log(error)
            if device is None:
                return
            news = device not in self._failed_s
            self._failed_s[device] = now_s
            if news:
                self._tell(_failed(device, now_s))
            mend()

    def word(self, said: DeviceHealth) -> DeviceHealth:
        """Return the health to report for a device that reports `said`: a device whose readings fail is not ok."""
        self._own[said.device] = said
        failing = said.device in self._failed_s and said.status == "ok"
        return _failed(said.device, said.t_s) if failing else said

    def tick(self, now_s: float) -> None:
        """Report the devices' own health again, `CALM_S` after their newest error."""
        for device, failed_s in list(self._failed_s.items()):
            if now_s - failed_s >= CALM_S:
                del self._failed_s[device]
                if (own := self._own.get(device)) is not None:
                    self._tell(msgspec.structs.replace(own, t_s=now_s))

    def _log(self, error: Exception) -> None:
        """Log each place once. The message is left out, because it may quote a secret."""
        place = where_raised(error)
        if place not in self._logged:
            self._logged.add(place)
            _log.error("%s; sensing goes on [%s]", place, FAILED)


def _failed(device: Device, t_s: float) -> DeviceHealth:
    return DeviceHealth(t_s=t_s, device=device, status="faulty", code=FAILED)
