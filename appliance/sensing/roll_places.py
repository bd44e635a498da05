"""Where a rolling sphere is, for the pages that draw it: only the newest place, and nothing while nothing rolls."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.sensing.roll_replays import RollReplays
from appliance.table.broadcast import Broadcast
from hardware.readings import RollPlace


class RollPlaces:
    """Places on their way from the sensors to the pages. Who is slow skips to the newest. Nothing is kept.

    The camera's places count. Those of the beams do only while it does not see the track.

    :param replays: keeps the seconds at the fence, to be shown again; None where nothing is.
    """

    def __init__(self, replays: RollReplays | None = None) -> None:
        self.replays = replays
        self._newest: Broadcast[tuple[int, RollPlace]] = Broadcast()
        self._count = 0

    def tell(self, place: RollPlace) -> None:
        """Make `place` the newest; called on the thread of the sensors alone."""
        self._count += 1
        self._newest.publish(self._count, (self._count, place))

    def tell_by_beams(self, places: Iterable[RollPlace], *, camera_sees: bool) -> None:
        """Make the beams' places the newest, one after the other, where no camera sees them."""
        for place in () if camera_sees else places:
            self.tell(place)

    def wait_next(self, count: int, timeout_s: float) -> tuple[int, RollPlace] | None:
        """Return the newest place and its number once that is above `count`; None after `timeout_s` or at the end."""
        return self._newest.wait_newer(count, timeout_s)

    def close(self) -> None:
        """Let nobody wait any more."""
        self._newest.close()
