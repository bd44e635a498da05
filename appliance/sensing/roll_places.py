"""Publishes the place of a rolling sphere for the pages that draw it: only the newest, and none while nothing rolls."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.sensing.roll_replays import RollReplays
from appliance.table.broadcast import Broadcast
from hardware.readings import RollPlace


class RollPlaces:
    """Passes places from the sensors to the pages. Slow readers skip to the newest place. No older one is kept.

    Places come from the camera, or from the beams while the camera does not see the track.

    :param replays: keeps the seconds at the fence as replays; None: there are no replays.
    """

    def __init__(self, replays: RollReplays | None = None) -> None:
        self.replays = replays
        self._newest: Broadcast[tuple[int, RollPlace]] = Broadcast()
        self._count = 0

    def tell(self, place: RollPlace) -> None:
        """Make `place` the newest. Call it on the sensors' thread only."""
        self._count += 1
        self._newest.publish(self._count, (self._count, place))

    def tell_by_beams(self, places: Iterable[RollPlace], *, camera_sees: bool) -> None:
        """Publish the beams' places in order, unless the camera sees the track."""
        for place in () if camera_sees else places:
            self.tell(place)

    def wait_next(self, count: int, timeout_s: float) -> tuple[int, RollPlace] | None:
        """Return the newest place and its number once that is above `count`; None after `timeout_s` or at the end."""
        return self._newest.wait_newer(count, timeout_s)

    def close(self) -> None:
        """Wake all waiting threads. Later calls of `wait_next` return at once."""
        self._newest.close()
