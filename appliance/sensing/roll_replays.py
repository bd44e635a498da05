"""Replays of rolls: pictures of the track around the fence, and the events of camera and beams, in memory only.

A replay is kept until its scope ends (for Smugglers a round of one game). It is never written to a file. A moment is
given by the picture that it belongs to, not in seconds: how long a beam stays broken would reveal a size (AP-4).
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera_model import Image
from hardware.readings import (
    AT_HOLE,
    BEYOND_FENCE,
    BeamPassage,
    PassageSeen,
    Reading,
    RollKept,
    RollPlace,
    SphereOnTrack,
)
from vision.live_picture import Packed, encoded, packed, packed_size_px, unpacked

BEFORE_S, AFTER_S = 1.5, 0.7
"""Seconds that are shown before and after a sphere reaches the fence, or a roll ends without reaching it."""
JUDGED_S = 2.0
"""Longest time from the sphere's arrival at the fence to the camera's verdict."""
LATE_S = 0.3
"""Longest time from the taking of a picture to its arrival here."""
PICTURES_MOST = 90
"""Most pictures of one replay: 2.2 s at 40 frames a second."""
KEPT_MOST = 8
"""Most replays of one scope. Each is about 1 MB; the oldest is removed first."""
MOMENTS_MOST = 24
ENCODED_AT_ONCE = 4
"""Pictures of a new replay that are encoded per incoming picture: 2 ms, so that no passage waits."""

Sense = Literal["camera", "beams"]
MomentCode = Literal[
    "started", "fence", "beyond", "passed", "stuck", "short", "astray", "unknown",
    "front_broken", "front_clear", "back_broken", "back_clear",
]  # fmt: skip
_PLACES: dict[int, MomentCode] = {AT_HOLE: "fence", BEYOND_FENCE: "beyond"}
_EDGES: dict[tuple[str, bool], MomentCode] = {
    ("front", True): "front_broken",
    ("front", False): "front_clear",
    ("back", True): "back_broken",
    ("back", False): "back_clear",
}


class Moment(msgspec.Struct, frozen=True):
    """An event that a sensor noticed, in `lane` if it is known, at the picture of index `at` (the number of the moment
    where there are no pictures)."""

    sense: Sense
    code: MomentCode
    at: int
    lane: int | None = None


class RollReplay:
    """One roll to be shown again: JPEGs of the track, each with its milliseconds since the first, and the moments.

    `still` is the index of the picture at which the sphere reached the fence; None where there are no pictures.
    """

    def __init__(
        self, number: int, scope: str, taken: list[tuple[float, Packed]], noticed: list[_Noticed], at_s: float
    ) -> None:
        self.number, self.scope = number, scope
        times = [t_s for t_s, _ in taken]
        self.offsets_ms = tuple(round(1000 * (t_s - times[0])) for t_s in times)
        self.moments = tuple(
            Moment(one.sense, one.code, _index(times, one.t_s) if times else order, one.lane)
            for order, one in enumerate(sorted(noticed, key=lambda one: one.t_s))
        )
        self.still = _index(times, at_s + 0.05) if times else None
        self.size_px = packed_size_px(taken[0][1]) if taken else (0, 0)
        self._packed = deque(picture for _, picture in taken)
        self._jpegs: list[bytes] = []
        self._encoding = threading.Lock()

    def jpegs(self) -> tuple[bytes, ...]:
        """Return the pictures, after encoding those that are left. Any thread may call it."""
        self.encode(len(self.offsets_ms))
        return tuple(self._jpegs)

    def encode(self, most: int) -> None:
        """Encode the next `most` pictures: packed ones take more than ten times the memory."""
        with self._encoding:
            while self._packed and most > 0:
                self._jpegs.append(encoded(unpacked(self._packed.popleft())))
                most -= 1


class _Noticed(msgspec.Struct, frozen=True):
    t_s: float
    sense: Sense
    code: MomentCode
    lane: int | None = None


def _index(times: list[float], t_s: float) -> int:
    """Return the index of the picture that was the newest at `t_s`."""
    return min(max(bisect_right(times, t_s) - 1, 0), len(times) - 1)


class RollReplays:
    """Keeps the replays of the current scope. One thread feeds it; any thread may call `of`.

    :param scope: returns the current scope; None: nothing may be kept.
    :param tell: gets `RollKept` once a replay is complete.
    """

    def __init__(self, scope: Callable[[], str | None], tell: Callable[[Reading], None]) -> None:
        self._scope_now, self._tell = scope, tell
        self._scope: str | None = None
        self._pictures: deque[tuple[float, Packed]] = deque(maxlen=PICTURES_MOST)
        self._noticed: deque[_Noticed] = deque(maxlen=MOMENTS_MOST)
        self._at_s: float | None = None
        """When the recorded roll reached the fence or ended; None before that."""
        self._rolling = self._judged = self._hangs = False
        self._kept_s = float("-inf")
        self._kept: dict[int, RollReplay] = {}
        self._count = 0

    @property
    def wanted(self) -> bool:
        """Whether pictures are needed."""
        return self._scope is not None

    def of(self, number: int) -> RollReplay | None:
        """Return a replay, or None where it is gone. Any thread."""
        return self._kept.get(number)

    def see(self, t_s: float, picture: Image | None) -> None:
        """Take a picture of the track, taken at `t_s`; None: nothing may be shown of it."""
        if self._at_s is None or t_s <= self._at_s + AFTER_S:
            if picture is not None:
                self._pictures.append((t_s, packed(picture)))
            while self._pictures and self._pictures[0][0] < t_s - BEFORE_S - AFTER_S - LATE_S:
                self._pictures.popleft()
        for replay in list(self._kept.values())[-1:]:
            replay.encode(ENCODED_AT_ONCE)
        self._keep_by(t_s)

    def note(self, reading: Reading) -> None:
        """Take a reading of the sensors; most kinds are ignored."""
        match reading:
            case SphereOnTrack():
                self._note(_Noticed(reading.t_s, "camera", "started", reading.lane))
                self._rolling = True
            case RollPlace(place=place, lane=int()) if place in _PLACES:
                self._note(_Noticed(reading.t_s, "camera", _PLACES[place], reading.lane))
                if self._rolling or (self._hangs and place == BEYOND_FENCE):
                    self._reached(reading.t_s)
            case PassageSeen():
                self._note(_Noticed(reading.t_s, "camera", reading.outcome, reading.lane))
                self._judged = True
                if self._rolling:
                    self._reached(reading.t_s)
            case BeamPassage() if reading.outcome == "passed" or not self._pictures:
                # While the camera takes pictures, only a clean pass counts: a hand at the fence may cause other edges.
                if reading.first_broken_s > self._kept_s:
                    self._reached(reading.first_broken_s)

    def note_edges(self, edges: Iterable[BeamEdge]) -> None:
        """Take debounced edges of the beams."""
        for edge in edges:
            if (code := _EDGES.get((edge.beam, edge.broken))) is not None:
                self._note(_Noticed(edge.t_s, "beams", code))

    def tick(self, now_s: float) -> None:
        """Let time pass. When the scope changes, everything of the old scope is deleted."""
        scope = self._scope_now()
        if scope != self._scope:
            self.forget()
            self._scope = scope
        self._keep_by(now_s - LATE_S)

    def forget(self) -> None:
        """Forget everything."""
        self._kept = {}
        self._clear()
        self._scope = None

    def _note(self, noticed: _Noticed) -> None:
        if self._scope is not None:
            self._noticed.append(noticed)

    def _reached(self, t_s: float) -> None:
        if self._scope is not None and self._at_s is None:
            self._at_s = t_s

    def _keep_by(self, t_s: float) -> None:
        """Create the replay once all of its data has arrived."""
        if self._at_s is None or self._scope is None or t_s < self._at_s + AFTER_S:
            return
        if self._rolling and not self._judged and t_s < self._at_s + JUDGED_S:
            return
        from_s, until_s = self._at_s - BEFORE_S, self._at_s + AFTER_S
        taken = [one for one in self._pictures if from_s <= one[0] <= until_s]
        noticed = [one for one in self._noticed if one.t_s >= from_s]
        self._count += 1
        replay = RollReplay(self._count, self._scope, taken, noticed, self._at_s)
        for before in list(self._kept.values())[-1:]:
            before.jpegs()
        kept = [*self._kept.values(), replay][-KEPT_MOST:]
        self._kept = {one.number: one for one in kept}
        told = RollKept(t_s=t_s, number=replay.number, scope=self._scope, at_s=self._at_s)
        hangs = not any(one.code == "beyond" for one in noticed)
        self._kept_s = self._at_s + AFTER_S
        self._clear()
        self._hangs = hangs
        self._tell(told)

    def _clear(self) -> None:
        self._pictures.clear()
        self._noticed.clear()
        self._at_s, self._rolling, self._judged, self._hangs = None, False, False, False
