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


class _RestingRegion:
    """One region from one pose: when it is to be read, and when a read of it counts."""

    def __init__(self, view: CameraView, outline_mm: Array) -> None:
        self.view = view
        self.motion = RestDetector(view, outline_mm)
        self.reported: NDArray[np.float32] | None = None
        """What it looked like when it was last reported from this pose."""
        self._last: object = None
        self._unclear = 0
        self._confirmed = False

    def is_due(self, image: Image, t_s: float) -> bool:
        """Take a frame; return whether the region is at rest, and what lies there is not confirmed yet."""
        if not self.motion.at_rest(image, t_s):
            self._confirmed = False
            return False
        return not self._confirmed

    def confirms(self, read: object, clear: bool) -> bool:
        """Return True once two consecutive clear reads agree, or `_UNCLEAR_READS` in a row were unclear."""
        same, self._last = read == self._last, read
        self._unclear = 0 if clear else self._unclear + 1
        if (same and clear) or self._unclear >= _UNCLEAR_READS:
            self._last, self._unclear, self._confirmed = None, 0, True
        return self._confirmed


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
        self._region = _tray(view, rig)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose. A die of the same value is the one that lay there."""
        self._rearranged |= self._region.motion.rearranged and not moved  # when the camera moves, everything seems to
        self._region = _tray(view, self._rig)

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        region = self._region
        if not region.is_due(image, t_s):
            return []
        die = read_die(image, region.view, self._rig)
        gems = Gems(confidence=1.0, colours=(), state="unknown")  # nobody looks for gems beside a die
        if die.state != "seen":
            gems = read_gems(image, region.view, self._rig)
        clear = die.state != "unknown" and "unknown" not in gems.colours
        read = (die.state, die.value, gems.colours)
        if not region.confirms(read, clear):
            return []
        if region.reported is not None:
            untouched = region.motion.looks_like(region.reported)
        elif self._read is not None:
            untouched = read == self._read
        else:
            occupied = die.state != "absent" or bool(gems.colours)
            untouched = occupied and not (self._rearranged or region.motion.rearranged)
        region.reported, self._read = region.motion.snapshot(), read
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
        self._region = _pan(view, rig)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose. A sphere that lies there is reported again."""
        self._region = _pan(view, self._rig)

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        region = self._region
        if not region.is_due(image, t_s):
            return []
        seen = pan_colour(image, region.view, self._rig)
        colour = None if seen is None else seen[0]
        if not region.confirms(colour, colour != "unknown"):
            return []
        untouched = region.reported is not None and region.motion.looks_like(region.reported)
        region.reported = region.motion.snapshot()
        if seen is None or untouched:
            return []
        return [SphereOnPan(t_s=t_s, colour=_PUTTIES.get(seen[0]), confidence=seen[1])]


class BossWatcher:
    """The boss figure: its lane, reported whenever it changed."""

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self._rig = rig
        self._has_reported = False
        self._lane: int | None = None
        self._region = _boss_slot(view, rig)

    def look_from(self, view: CameraView, *, moved: bool) -> None:
        """Go on from another pose."""
        self._region = _boss_slot(view, self._rig)

    def look(self, image: Image, t_s: float) -> list[Reading]:
        """Take a frame and return the readings that it confirmed."""
        region = self._region
        if not region.is_due(image, t_s):
            return []
        boss: Boss = read_boss(image, region.view, self._rig)
        if not region.confirms((boss.state, boss.lane), boss.state != "unknown"):
            return []
        if self._has_reported and boss.lane == self._lane:
            return []
        self._has_reported, self._lane = True, boss.lane
        return [BossSeen(t_s=t_s, lane=boss.lane, confidence=boss.confidence)]


REGION_WATCHERS: dict[str, Callable[[CameraView, Rig], RegionWatcher]] = {
    "tray": TrayWatcher,
    "pan": PanWatcher,
    "boss": BossWatcher,
}


def _tray(view: CameraView, rig: Rig) -> _RestingRegion:
    low, high = rig.tray_z_mm, rig.tray_z_mm + 18.0
    return _RestingRegion(view, _box(*rig.tray_centre_mm, rig.tray_side_mm / 2, low, high))


def _pan(view: CameraView, rig: Rig) -> _RestingRegion:
    low, high = rig.pan_z_mm, rig.pan_z_mm + 45.0
    return _RestingRegion(view, _box(*rig.pan_centre_mm, rig.pan_diameter_mm / 2, low, high))


def _boss_slot(view: CameraView, rig: Rig) -> _RestingRegion:
    reach = max(abs(lane.x_mm) for lane in rig.lanes) + rig.lane_pitch_mm / 2
    base, y = rig.boss_base_z_mm, rig.boss_slot_y_mm
    corners = [[x, y, z] for x in (-reach, reach) for z in (base, base + rig.boss_size_mm[2])]
    return _RestingRegion(view, np.array(corners, dtype=np.float64))


def _box(x: float, y: float, reach: float, low: float, high: float) -> Array:
    corners = [[x + sx * reach, y + sy * reach, z] for sx in (-1, 1) for sy in (-1, 1) for z in (low, high)]
    return np.array(corners, dtype=np.float64)
