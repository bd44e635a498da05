"""Background model of the empty track: finds the cells in which a sheet differs from it in colour.

Putty is coloured. A shadow or a flickering lamp scales a cell's brightness and keeps its colour. So a cell's
difference is the component of its colour that is perpendicular to the background's (the chromaticity distortion of
Horprasert, Harwood & Davis 1999). The common gain of the whole sheet in each channel is divided out first.

Levels are 8-bit codes, 0–255. Thresholds were set on the clips, staged rolls and conditions of
`tests/bench/hard_passages.py` (noise of 8 levels, flicker of ±25 %, a lamp that is switched on), which test them.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from vision.passages.sheet.lanes import Floats, Mask, TrackSheet
from vision.shadows import beyond_shadow

CHECK_S = 0.25
"""Interval at which the model learns: daylight takes seconds to change."""
STEADY_CHECKS = 12
"""A change that is still for this number of checks (3 s) becomes background, unless a sphere is there."""
STEADY_LEVELS = 9.0
"""A cell is still if no channel changes by more: four deviations of a difference at noise of 1.6 levels."""
BLEND = 0.12
"""Weight of a new sheet in the model at each check: a time constant of 2 s."""
SAMPLED_CELLS = 700
"""Number of cells for measuring gain and noise: the error of their median is a twentieth of the scatter."""
GAIN_RANGE = 0.05, 8.0
"""Gains outside this range come from a picture without light or without content."""
NOISE_AT_START, NOISE_BLEND = 2.0, 0.1
"""Initial median colour difference of a quiet sheet, levels, and the weight of each frame in learning it."""
THRESHOLD_SHARE, THRESHOLD_NOISES, THRESHOLD_LEAST = 0.085, 6.0, 7.0
"""A changed cell differs by this fraction of the sheet's level, this multiple of the noise, and this many levels."""
FOREIGN_LEAST, FOREIGN_SHARE = 14.0, 0.1
"""At the start a cell is foreign if it differs by more (levels, fraction of the level) from the other lanes. The limit
is twice `THRESHOLD_LEAST`, as lanes differ a little from each other."""
BRIGHTEST = 255.0
"""Highest code of a picture."""
COVERED_GAIN = 1.65
"""A sampled cell is covered if its brightness differs by more than this factor."""

_NO_GAIN = np.ones(3, dtype=np.float32)
_THIRDS = np.full(3, 1.0 / 3.0, dtype=np.float32)


class BackgroundDifference(NamedTuple):
    """Difference of one sheet from the background.

    `colour` (rows, columns) is the colour difference in levels. `changed` (rows, columns) marks cells where it is above
    the threshold, without shadows. `differs` is the same including shadows. `brightness` is that of the sheet divided
    by the background's. `covered_share` is the fraction of the track, 0–1, that something hides.
    """

    colour: Floats
    changed: Mask
    differs: Mask
    brightness: float
    covered_share: float


class BackgroundModel:
    """The colour of each cell of the empty track. It follows slow changes of light and absorbs objects at rest."""

    def __init__(self, sheet: TrackSheet) -> None:
        self._sheet = sheet
        self._mean: Floats | None = None
        self._snapshot: Floats | None = None
        self._steady = np.zeros(sheet.shape, dtype=np.int32)
        self._checked_s = 0.0
        self._noise = NOISE_AT_START
        rng = np.random.default_rng(7)
        cells = np.flatnonzero(sheet.valid)
        self._sample = rng.choice(cells, size=min(SAMPLED_CELLS, len(cells)), replace=False)

    def start(self, sheet_bgr: Image, t_s: float) -> None:
        """Initialise the model with a sheet. A sphere on the ramp is replaced by the median of the other lanes.

        Where it hides the table beside the ramp, it is replaced by the median of that along the ramp.
        """
        mean = np.maximum(sheet_bgr.astype(np.float32), 1.0)
        reach_mm = (len(self._sheet.rig.lanes) * self._sheet.rig.lane_pitch_mm) / 2
        lanes = self._sheet.ramp & (np.abs(self._sheet.x_mm - self._middle_mm()) < reach_mm)
        beside = lanes & (np.abs(self._sheet.ground_x_mm - self._middle_mm()) >= reach_mm)
        others = self._other_lanes(mean)
        likeness = self._like_its_column(mean, beside, others)
        foreign = (
            _distortion(mean, likeness, likeness**2) > max(FOREIGN_LEAST, FOREIGN_SHARE * float(mean.mean()))
        ) & lanes
        wide = cv2.dilate(_open(foreign), np.ones((5, 5), np.uint8)).astype(bool) & lanes
        lit = self._lit_here(others, mean, lanes & ~beside & ~wide)
        mean[wide] = np.where(beside[..., np.newaxis], likeness, lit)[wide]
        self._mean = mean
        self._take_mean()
        self._snapshot = sheet_bgr.astype(np.float32)
        self._steady[:] = 0
        self._checked_s = t_s

    def compare(self, sheet_bgr: Image) -> BackgroundDifference:
        """Compare a sheet's colour with the background."""
        assert self._mean is not None, "start comes first"
        seen = sheet_bgr.astype(np.float32)
        flat_mean = self._sampled
        ratio = (np.take(seen.reshape(-1, 3), self._sample, axis=0) + 1.0) / (flat_mean + 1.0)
        gain = np.clip(_medians(ratio), *GAIN_RANGE)
        colour = _distortion(seen, self._mean, self._squares, gain.astype(np.float32))
        level = float(flat_mean.mean() * gain.mean())
        sampled = np.take(colour.reshape(-1), self._sample)
        self._noise += NOISE_BLEND * (float(_medians(sampled)) - self._noise)
        threshold = max(THRESHOLD_SHARE * level, THRESHOLD_NOISES * self._noise, THRESHOLD_LEAST)
        differs = (colour > threshold) & self._sheet.valid
        changed = differs.copy()
        self._leave_out_shadows(colour, changed, seen, gain.astype(np.float32), threshold)
        balance = (ratio / gain) @ _THIRDS
        hidden = (balance > COVERED_GAIN) | (balance < 1.0 / COVERED_GAIN) | (sampled > threshold)
        covered = np.count_nonzero(hidden) / len(hidden)
        return BackgroundDifference(colour, changed, differs, float(gain.mean()), covered)

    def _leave_out_shadows(self, colour: Floats, changed: Mask, seen: Floats, gain: Floats, threshold: float) -> None:
        """Remove from `colour` and `changed` the differences that the shadow of a lamp of another colour explains."""
        cells = np.flatnonzero(changed)
        if not len(cells):
            return
        assert self._mean is not None
        beyond = beyond_shadow(seen.reshape(-1, 3)[cells], self._mean.reshape(-1, 3)[cells] * gain)
        flat = colour.reshape(-1)
        flat[cells] = np.minimum(flat[cells], beyond)
        changed.reshape(-1)[cells] = beyond > threshold

    def learn(self, sheet_bgr: Image, difference: BackgroundDifference, keep: Mask | None, t_s: float) -> None:
        """Follow slow light in unchanged cells and absorb changes that were still for 3 s, except in `keep` cells."""
        if t_s - self._checked_s < CHECK_S:
            return
        assert self._mean is not None
        assert self._snapshot is not None
        self._checked_s = t_s
        seen = sheet_bgr.astype(np.float32)
        apart = cv2.absdiff(seen, self._snapshot)
        still = cv2.inRange(apart, (0.0, 0.0, 0.0), (STEADY_LEVELS,) * 3) != 0
        self._steady = np.where(still, self._steady + 1, 0)
        self._snapshot = seen
        quiet = ~difference.differs
        # Do not absorb a resting sphere's shadow: it leaves with the sphere, and a bright cell would remain.
        settled = (difference.differs if keep is None else difference.changed) & (self._steady >= STEADY_CHECKS)
        if keep is not None:
            quiet &= ~keep
            settled &= ~keep
        cv2.accumulateWeighted(seen, self._mean, BLEND, quiet.view(np.uint8))
        cv2.copyTo(seen, settled.view(np.uint8), self._mean)
        np.maximum(self._mean, 1.0, out=self._mean)
        self._take_mean()

    def _take_mean(self) -> None:
        """Cache the values that every frame needs until the model learns again."""
        assert self._mean is not None
        self._squares = np.asarray(cv2.multiply(self._mean, self._mean), dtype=np.float32)
        self._sampled: Floats = self._mean.reshape(-1, 3)[self._sample]

    def _middle_mm(self) -> float:
        lanes = self._sheet.rig.lanes
        return (lanes[0].x_mm + lanes[-1].x_mm) / 2

    def _other_lanes(self, mean: Floats) -> Floats:
        """Return, for each cell, the median of the cells at the same place in all lanes."""
        rig = self._sheet.rig
        period = rig.lane_pitch_mm / (self._sheet.x_mm[1] - self._sheet.x_mm[0])
        first = (rig.lanes[0].x_mm - rig.lane_pitch_mm / 2 - self._sheet.x_mm[0]) / (
            self._sheet.x_mm[1] - self._sheet.x_mm[0]
        )
        columns = np.arange(mean.shape[1])
        lanes = len(rig.lanes)
        inside = np.clip(columns, round(first), round(first + lanes * period) - 1)
        offset = np.mod(inside - round(first), round(period))
        across = np.arange(round(period))
        index = np.stack([np.round(first + k * period).astype(int) + across for k in range(lanes)])
        of_any_lane = np.median(mean[:, np.clip(index, 0, mean.shape[1] - 1)], axis=1)
        return np.asarray(of_any_lane[:, offset], dtype=np.float32)

    def _like_its_column(self, mean: Floats, beside: Mask, others: Floats) -> Floats:
        """Return `others` with the median of their own column in cells that show the table `beside` the ramp."""
        likeness = others.copy()
        rows = beside.any(axis=1)
        for column in np.flatnonzero(beside.any(axis=0)):
            likeness[beside[:, column], column] = np.median(mean[rows, column], axis=0)
        return likeness

    def _lit_here(self, likeness: Floats, mean: Floats, bare: Mask) -> Floats:
        """Return the likeness at the level of light that each lane has, with walls as bright as the ramp beside them.

        A shadow is known by its darkness, so its cells must not be compared with a ground that is too dark. A lamp at
        one side lights its side of the table more, and in its own colour. The logarithm of that is a straight line
        across the lanes in each channel, by the median of slopes (Theil 1950, Sen 1968): a lane with few `bare` cells
        does not bend it. Walls are not where the other lanes show them, as the sheet is level with the centres of
        spheres.
        """
        rig = self._sheet.rig
        across = np.ones((1, 2 * self._sheet.ground_aside_cells + 1), np.uint8)
        no_walls = np.asarray(cv2.dilate(likeness, across), dtype=np.float32)
        near = {lane.x_mm: bare & (np.abs(self._sheet.x_mm - lane.x_mm) < rig.lane_pitch_mm / 2) for lane in rig.lanes}
        x_mm = np.array([x for x, cells in near.items() if cells.any()])
        if len(x_mm) < 2:
            return no_walls
        levels = np.array([np.median(np.log(mean[near[x]] / likeness[near[x]]), axis=0) for x in x_mm])
        first, second = np.triu_indices(len(x_mm), 1)
        apart_mm = (x_mm[second] - x_mm[first])[:, np.newaxis]
        slope = np.median((levels[second] - levels[first]) / apart_mm, axis=0)
        level = np.median(levels - slope * x_mm[:, np.newaxis], axis=0) + slope * self._sheet.x_mm[:, np.newaxis]
        return np.asarray(np.minimum(no_walls * np.exp(level), BRIGHTEST), dtype=np.float32)


def _distortion(seen: Floats, background: Floats, squares: Floats, gain: Floats = _NO_GAIN) -> Floats:
    """Return the length of each colour's component perpendicular to the background's colour times `gain`, in levels.

    `squares` are the squares of the background. The gains are applied as weights in the sums over channels, which needs
    no extra pass over the sheet.
    """
    weights = gain[np.newaxis]
    across = cv2.transform(cv2.multiply(seen, background), weights)
    length = cv2.transform(squares, weights**2)
    whole = cv2.transform(cv2.multiply(seen, seen), np.ones_like(weights))
    rest = cv2.subtract(whole, cv2.divide(cv2.multiply(across, across), length))
    return np.asarray(cv2.sqrt(np.maximum(rest, 0.0)), dtype=np.float32)


def _medians(values: Floats) -> Floats:
    """Return the median along the first axis, as `np.median` does, without its checks."""
    across = np.ascontiguousarray(values.T)
    middle = across.shape[-1] // 2
    halves = np.partition(across, middle)
    upper = halves[..., middle]
    return np.asarray(upper if across.shape[-1] % 2 else (halves[..., :middle].max(axis=-1) + upper) / 2)


def _open(mask: Mask) -> Image:
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
