"""Roll places of which a test hears each one; readers of the real `RollPlaces` skip to the newest."""

from __future__ import annotations

from collections.abc import Callable

from appliance.sensing.roll_places import RollPlaces
from appliance.sensing.roll_replays import RollReplays
from hardware.readings import RollPlace


class HeardPlaces(RollPlaces):
    """Calls `heard` with each place before the pages get it."""

    def __init__(self, heard: Callable[[RollPlace], None], replays: RollReplays | None = None) -> None:
        super().__init__(replays)
        self._heard = heard

    def tell(self, place: RollPlace) -> None:
        self._heard(place)
        super().tell(place)
