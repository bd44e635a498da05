"""Watchers of the regions that are read when they have come to rest: tray, pan, boss.

A watcher looks at its region a few times a second while the region is watched. It costs little while nothing changes.
It reports a fact once: after movement, at rest, and when two reads agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.readings import BossSeen, DieSettled, GemsSettled, Piece, PuttyColour, Reading, SphereOnPan, TrayCleared
from hardware.rig import Rig
from vision.boss.boss import read_boss
from vision.motion import RestDetector
from vision.observations import Boss, Die, Gems
from vision.sphere.sphere import pan_colour
from vision.tray.die import read_die
from vision.tray.gems import read_gems

_UNCLEAR_READS = 6
"""After so many unclear reads in a row the region is reported as unclear: 0.75 s at 8 frames a second."""
_PIECES: dict[str, Piece] = {"red": "sweet", "yellow": "sour", "purple": "bomb"}
_PUTTIES: dict[str, PuttyColour] = {"yellow": "yellow", "green": "green", "orange": "orange", "pink": "pink"}


class RegionWatcher(Protocol):
    """Turns frames into the readings of one region."""

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        ...

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose, with what is known of it. `moved`: the camera was; else its pose is refined."""
        ...


class _Confirmation:
    """Confirms reads of a resting region. A region that stays unclear is confirmed as unclear in the end."""

    def __init__(self) -> None:
        self._last: object = None
        self._unclear = 0

    def add(self, read: object, clear: bool) -> bool:
        """Return True once two consecutive clear reads agree, or `_UNCLEAR_READS` in a row were unclear."""
        same, self._last = read == self._last, read
        self._unclear = 0 if clear else self._unclear + 1
        if (same and clear) or self._unclear >= _UNCLEAR_READS:
            self._last, self._unclear = None, 0
            return True
        return False


class TrayWatcher:
    """Die and gems in the tray.

    A die is reported once per throw: again when it lies differently, even with the same face up, and not again when
    only a hand went over it. What lay there at the first look was not thrown and is not reported. What was still moving
    then is.
    """

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self._rig = rig
        self._read: tuple[object, ...] | None = None
        self._rearranged = False
        self._watch(view)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose. A die of the same value is the one that lay there."""
        self._rearranged |= self._area.rearranged and not moved  # when the camera moves, everything seems to
        self._watch(view)

    def _watch(self, view: CameraView) -> None:
        x, y = self._rig.tray_centre_mm
        self._view = view
        low, high = self._rig.tray_z_mm, self._rig.tray_z_mm + 18.0
        self._area = RestDetector(view, _box(x, y, self._rig.tray_side_mm / 2, low, high))
        self._confirmation = _Confirmation()
        self._pending = True
        self._reported: NDArray[np.float32] | None = None

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        if not self._area.at_rest(image, t_s):
            self._pending = True
            return []
        if not self._pending:
            return []
        die = read_die(image, self._view, self._rig)
        gems = Gems(confidence=1.0, colours=(), state="unknown")  # nobody looks for gems beside a die
        if die.state != "seen":
            gems = read_gems(image, self._view, self._rig)
        clear = die.state != "unknown" and "unknown" not in gems.colours
        read = (die.state, die.value, gems.colours)
        if not self._confirmation.add(read, clear):
            return []
        self._pending = False
        if self._reported is not None:
            untouched = self._area.looks_like(self._reported)
        elif self._read is not None:
            untouched = read == self._read
        else:
            occupied = die.state != "absent" or bool(gems.colours)
            untouched = occupied and not (self._rearranged or self._area.rearranged)
        self._reported, self._read = self._area.snapshot(), read
        return [] if untouched else [_tray_reading(die, gems, t_s)]


def _tray_reading(die: Die, gems: Gems, t_s: float) -> Reading:
    if die.state == "seen" or (die.state == "unknown" and not gems.colours):
        return DieSettled(t_s=t_s, value=die.value, confidence=die.confidence)
    if gems.colours:
        pieces = tuple(sorted(_PIECES[colour] for colour in gems.colours if colour in _PIECES))
        clear = len(pieces) == len(gems.colours)
        return GemsSettled(t_s=t_s, pieces=pieces, clear=clear, confidence=gems.confidence)
    return TrayCleared(t_s=t_s)


class PanWatcher:
    """A sphere on the pan: its colour, reported once each time a sphere is put down."""

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self._rig = rig
        self._watch(view)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose. A sphere that lies there is reported again."""
        self._watch(view)

    def _watch(self, view: CameraView) -> None:
        x, y = self._rig.pan_centre_mm
        self._view = view
        low, high = self._rig.pan_z_mm, self._rig.pan_z_mm + 45.0
        self._area = RestDetector(view, _box(x, y, self._rig.pan_diameter_mm / 2, low, high))
        self._confirmation = _Confirmation()
        self._pending = True
        self._reported: NDArray[np.float32] | None = None

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        if not self._area.at_rest(image, t_s):
            self._pending = True
            return []
        if not self._pending:
            return []
        seen = pan_colour(image, self._view, self._rig)
        colour = None if seen is None else seen[0]
        if not self._confirmation.add(colour, colour != "unknown"):
            return []
        self._pending = False
        untouched = self._reported is not None and self._area.looks_like(self._reported)
        self._reported = self._area.snapshot()
        if seen is None or untouched:
            return []
        return [SphereOnPan(t_s=t_s, colour=_PUTTIES.get(seen[0]), confidence=seen[1])]


class BossWatcher:
    """The boss figure: its lane, reported whenever it changed."""

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self._rig = rig
        self._has_reported = False
        self._lane: int | None = None
        self._watch(view)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose."""
        self._watch(view)

    def _watch(self, view: CameraView) -> None:
        reach = max(abs(lane.x_mm) for lane in self._rig.lanes) + self._rig.lane_pitch_mm / 2
        base, y = self._rig.boss_base_z_mm, self._rig.boss_slot_y_mm
        corners = [[x, y, z] for x in (-reach, reach) for z in (base, base + self._rig.boss_size_mm[2])]
        self._view = view
        self._area = RestDetector(view, np.array(corners, dtype=np.float64))
        self._confirmation = _Confirmation()
        self._pending = True

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        if not self._area.at_rest(image, t_s):
            self._pending = True
            return []
        if not self._pending:
            return []
        boss: Boss = read_boss(image, self._view, self._rig)
        if not self._confirmation.add((boss.state, boss.lane), boss.state != "unknown"):
            return []
        self._pending = False
        if self._has_reported and boss.lane == self._lane:
            return []
        self._has_reported, self._lane = True, boss.lane
        return [BossSeen(t_s=t_s, lane=boss.lane, confidence=boss.confidence)]


REGION_WATCHERS: dict[str, Callable[[CameraView, Rig], RegionWatcher]] = {
    "tray": TrayWatcher,
    "pan": PanWatcher,
    "boss": BossWatcher,
}


def _box(x: float, y: float, reach: float, low: float, high: float) -> Array:
    corners = [[x + sx * reach, y + sy * reach, z] for sx in (-1, 1) for sy in (-1, 1) for z in (low, high)]
    return np.array(corners, dtype=np.float64)
