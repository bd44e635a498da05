"""An experiment: a sphere's diameter from all frames of one roll. `tests.bench.rolled` prints how well it does.

The product does not use it: its errors are three times those on the pan, and a hard shadow may be taken for the ball.

A ball that rolls down the ramp turns about the table's X axis. The outlines of its frames sweep its whole surface, so
that lumps average out, which one outline cannot do. One fit by Gauss–Newton explains all frames
(`tests.bench.roll_picture`). Its unknowns are the mean radius, lumps that turn with the ball, where the ball is in
each frame, its light, the ground's shade, and the camera's blurs.

The middle's height follows from the radius, because the ball lies on a known plane. The turn follows from the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from tests.bench.roll_picture import (
    BLURS,
    LIGHT,
    LIGHT_DEGREE,
    LUMPS,
    SHADE_HARMONICS,
    SHADES,
    FramePicture,
    Gaps,
    Look,
    Place,
    lump_degrees,
)
from vision.linear_light import decoded
from vision.sphere.edge_model import TO_LUMA

MOST_FRAMES, FEWEST_FRAMES = 12, 5
ITERATIONS, ROUND_ITERATIONS = 9, 3  # all; those in which the ball is taken for round
FENCE_HIDES_MM = 14.0  # uphill of the fence from where the slanted camera sees all of a sphere
REST_MM = 1.0  # within which the first frames show a sphere at rest
USUAL_BLUR, BLUR_SCATTER = np.array([0.55, 0.22, 1.4]), np.array([0.15, 0.05, 0.15])  # px²
LEAST_BLUR, MOST_BLUR = np.array([0.1, 0.05, 0.4]), np.array([3.0, 2.0, 5.0])
# scatter of what is fitted: light relative to the ball's, logarithm of the shade, lumps relative to the radius
LIGHT_SCATTER, TINT_SCATTER, LIGHT_DRIFT = 0.5, 0.1, 0.125
SHADE_SCATTER, SHADE_TINT, SHADE_DRIFT, PLATFORM_SCATTER = 0.5, 0.07, 0.25, 0.5
LUMP_SCATTER, MIDDLE_MM, RADIUS_MM = 0.004, 2.0, 2.0
# set on the clips of SMUGGLERS_DATA and eight more path-traced rolls; no drawn roll was looked at
LUMPIEST = 5.0  # mean square of lumps ÷ their usual scatter: beyond it, a shadow was taken for the ball
SYSTEMATIC_PX, SCATTER = 0.17, 2.0  # error of the model; error by noise ÷ that of independent pixels


class RollFrame(msgspec.Struct, frozen=True):
    """One frame: BGR picture, stamp of the middle of its exposure, s, and the sphere's middle within 1 mm.

    `x_mm` is NaN where the sphere's place is not known or a hand is in the picture.
    """

    image: Image
    t_s: float
    x_mm: float
    y_mm: float


class RolledSphere(NamedTuple):
    """Diameter of the ball of equal volume and its standard deviation, mm; how many frames were fitted."""

    diameter_mm: float
    sd_mm: float
    frames: int


def measure_roll(
    frames: Sequence[RollFrame], view: CameraView, rig: Rig, diameter_mm: float, shutter_s: float
) -> RolledSphere | None:
    """Measure the sphere; return None where too few frames show it, or where the fit is not that of a ball.

    :param frames: all frames of the roll, from the sphere at rest on the platform on.
    :param diameter_mm: the diameter within 5 %.
    """
    pictures, places = _chosen(frames, view, rig, diameter_mm, shutter_s)
    if len(pictures) < FEWEST_FRAMES:
        return None
    fit = _Fit(pictures, places, diameter_mm)
    for iteration in range(ITERATIONS):
        covariance = fit.step(round_ball=iteration < ROUND_ITERATIONS)
    if fit.lumpiness > LUMPIEST:
        return None
    far = float(np.mean([np.linalg.norm(each.middle_mm - view.pose.camera_position_mm) for each in places]))
    by_noise = 2 * SCATTER * float(np.sqrt(covariance[fit.radius, fit.radius]))
    sd_mm = float(np.hypot(by_noise, SYSTEMATIC_PX * far / view.camera.focal_px[0]))
    return RolledSphere(diameter_mm + 2 * float(fit.look.lumps_mm[0]), sd_mm, len(pictures))


def _chosen(
    frames: Sequence[RollFrame], view: CameraView, rig: Rig, diameter_mm: float, shutter_s: float
) -> tuple[list[FramePicture], list[Place]]:
    """Return the frames that are fitted, and where the ball is about in them."""
    known = [each for each in frames if np.isfinite(each.x_mm)]
    if len(known) < FEWEST_FRAMES:
        return [], []
    times, ys = np.array([each.t_s for each in known]), np.array([each.y_mm for each in known])
    rests = int(np.argmax(np.abs(ys - ys[0]) > REST_MM))
    middles = np.array([_middle(rig, each.x_mm, each.y_mm, diameter_mm) for each in known])
    steps = np.linalg.norm(np.diff(middles[max(rests - 1, 0) :, 1:], axis=0), axis=1)
    path = np.concatenate([np.zeros(max(rests, 1)), np.cumsum(steps)])
    turned_at = rig.ramp_top[0] - 3.0, rig.ramp_top[0] + 0.13 * diameter_mm  # there it turns about the ramp's top
    seen = [
        k
        for k in range(max(rests, 1), len(known) - 2)
        if ys[k] > diameter_mm / 2 + FENCE_HIDES_MM and not turned_at[0] < ys[k] < turned_at[1]
    ]
    seen = [seen[k] for k in np.linspace(0, len(seen) - 1, min(len(seen), MOST_FRAMES)).astype(int)] if seen else []
    last = int(np.flatnonzero(ys > diameter_mm / 2 + 2.0)[-1]) + 1  # the fence may stop it after that
    pictures, places = [], []
    for k in [*([rests // 2] if rests else []), *seen]:
        empty = [each.image for each, at in zip(known, middles, strict=True) if _apart(at, middles[k], diameter_mm)]
        if len(empty) < 2:
            continue
        at_rest = k < rests
        picture = np.mean([each.image for each in known[:rests]], axis=0) if at_rest else known[k].image.astype(float)
        clear = np.stack(empty[:: max(1, len(empty) // 24)])
        ground = (np.median(clear, axis=0) + clear.mean(axis=0)) / 2
        light, before = (decoded(each[::7, ::7] / 255) + 0.002 for each in (picture, ground))
        gain = float(np.median(light / before))
        near = slice(max(k - 2, rests), min(k + 3, last))
        pace = np.zeros(2)
        if not at_rest:
            pixels = view.project(middles[near])
            degree = min(2, len(pixels) - 1)
            pace = np.polyfit(times[near] - times[k], pixels, degree)[-2] if degree else pace
        slope = 0.0 if ys[k] > rig.ramp_top[0] else _slope(rig)
        place = Place(middles[k], float(path[k]) / (diameter_mm / 2), (ys[k] - 110.0) / 90.0, slope)
        part = FramePicture(
            picture, ground, gain if abs(gain - 1) > 0.02 else 1.0, view, place, diameter_mm, pace * shutter_s
        )
        if part.whole:
            pictures.append(part)
            places.append(place)
    return pictures, places


def _apart(one_mm: Array, other_mm: Array, diameter_mm: float) -> bool:
    """Return whether a sphere and its shadow are away from where it is in another frame."""
    return bool(np.linalg.norm(one_mm - other_mm) > 1.6 * diameter_mm + 12.0)


def _slope(rig: Rig) -> float:
    return (rig.ramp_top[1] - rig.ramp_foot[1]) / (rig.ramp_top[0] - rig.ramp_foot[0])


def _middle(rig: Rig, x_mm: float, y_mm: float, diameter_mm: float) -> Array:
    """Return the middle of a ball that lies on the track, shape (3,), mm."""
    on_ramp = rig.ramp_z_mm(y_mm) + diameter_mm / 2 * np.hypot(1, _slope(rig))
    z_mm = min(on_ramp, rig.ramp_top[1] + diameter_mm / 2) if y_mm > 0 else on_ramp
    return np.array([x_mm, y_mm, z_mm])


class _Fit:
    """The unknowns of a roll: look, then x and y of the middle in each frame. Improved step by step."""

    def __init__(self, pictures: list[FramePicture], places: list[Place], diameter_mm: float) -> None:
        self.pictures, self.places = pictures, places
        from_luma = np.linalg.inv(TO_LUMA).T
        middle = [
            each.seen[(slice(each.side // 2 - 3, each.side // 2 + 4),) * 2].mean(axis=(0, 1)) for each in pictures
        ]
        own = [
            decoded(np.clip(code @ from_luma, 0, 1)) / each.gain for code, each in zip(middle, pictures, strict=True)
        ]
        self.own = np.mean(own, axis=0)
        self.look = Look(np.zeros((2, LIGHT, 3)), np.zeros((3, SHADES, 3)), np.zeros(LUMPS), USUAL_BLUR.copy())
        self.look.light[0, 0], self.look.shade[0, 0] = self.own, -0.1
        self.moved_mm = np.zeros((len(pictures), 2))
        self.noise = np.array([0.017, 0.009, 0.009])
        self.radius = self.look.light.size + self.look.shade.size
        self.lump_mm = _lump_scatter(diameter_mm / 2)
        self.prior = self._prior()

    @property
    def lumpiness(self) -> float:
        """The mean square of the lumps ÷ their usual scatter."""
        return float(((self.look.lumps_mm[1:] / self.lump_mm[1:]) ** 2).mean())

    def _prior(self) -> Array:
        """Return the prior's normal matrix."""
        level = np.maximum(self.own, 0.02)
        blocks: list[Array] = []
        common, tint = np.outer(level, level) * LIGHT_SCATTER**2, np.diag(level**2) * TINT_SCATTER**2
        degrees = np.repeat(np.arange(LIGHT_DEGREE + 1), 2 * np.arange(LIGHT_DEGREE + 1) + 1)
        for drift in (1.0, LIGHT_DRIFT):
            blocks += [(common + tint) / max(int(degree), 1) ** 2 * drift**2 for degree in degrees]
        blocks[0] = np.diag(level**2) * 9
        orders = np.array([0, *np.repeat(np.arange(1, SHADE_HARMONICS + 1), 2)])
        scatters = [0.7, *(SHADE_SCATTER / np.sqrt(orders[1:])), *(SHADE_SCATTER / (1 + orders))]
        for share in (1.0, SHADE_DRIFT, PLATFORM_SCATTER):
            blocks += [(share * each) ** 2 * (np.ones((3, 3)) + SHADE_TINT**2 * np.eye(3)) for each in scatters]
        rest = [*self.lump_mm, *BLUR_SCATTER, *np.full(self.moved_mm.size, MIDDLE_MM)]
        prior = np.zeros((3 * len(blocks) + len(rest),) * 2)
        for k, block in enumerate(blocks):
            prior[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = np.linalg.inv(block)
        tail = np.arange(3 * len(blocks), len(prior))
        prior[tail, tail] = 1 / np.array(rest) ** 2
        return prior

    def step(self, *, round_ball: bool) -> Array:
        """Move all unknowns by one step of Gauss–Newton; return their covariance before it."""
        look, count = self.look, len(self.prior)
        values = [look.light, look.shade, look.lumps_mm, look.blur - USUAL_BLUR, self.moved_mm]
        normal, right = self.prior.copy(), -self.prior @ np.concatenate([each.ravel() for each in values])
        gaps: list[Gaps] = []
        for k, (picture, place) in enumerate(zip(self.pictures, self.places, strict=True)):
            x, y = self.moved_mm[k]
            middle = place.middle_mm + np.array([x, y, place.slope * y]) + place.up * look.lumps_mm[0]
            own, towards, gap = picture.equations(place._replace(middle_mm=middle), look, self.noise)
            spread = self._spread(k, place, count)
            normal += spread.T @ (own @ spread)
            right += spread.T @ towards
            gaps.append(gap)
        if round_ball:
            held = np.arange(self.radius + 1, self.radius + LUMPS + BLURS)
            normal[held, held] += 1e9
        step = np.linalg.solve(normal, right)
        light, shade, lumps_mm, blur, moved = np.split(
            step,
            np.cumsum([look.light.size, look.shade.size, LUMPS, BLURS]),
        )
        look.light += np.clip(light, -0.5, 0.5).reshape(look.light.shape)
        look.shade += np.clip(shade, -0.5, 0.5).reshape(look.shade.shape)
        look.lumps_mm += np.clip(lumps_mm, -0.6, 0.6)
        look.blur = np.clip(look.blur + np.clip(blur, -0.3, 0.3), LEAST_BLUR, MOST_BLUR)
        self.moved_mm += np.clip(moved, -1, 1).reshape(-1, 2)
        luma, colour = (np.concatenate([gap[k] for gap in gaps]) for k in (0, 1))
        self.noise = 1.4826 * np.append(np.median(np.abs(luma)), np.median(np.abs(colour), axis=0)) + 1e-4
        return np.asarray(np.linalg.inv(normal))

    def _spread(self, frame: int, place: Place, count: int) -> Array:
        """Return the matrix from all unknowns to those of one frame, shape (LOCAL, count)."""
        light, shade = np.eye(3 * LIGHT), np.eye(3 * SHADES)
        rest = LUMPS + BLURS
        spread = np.zeros((len(light) + len(shade) + rest + 2, count))
        spread[: len(light), : 2 * len(light)] = np.hstack([light, place.along * light])
        rows = slice(len(light), len(light) + len(shade))
        flat = float(place.slope == 0)
        spread[rows, 2 * len(light) : self.radius] = np.hstack([shade, place.along * shade, flat * shade])
        spread[rows.stop : rows.stop + rest, self.radius : self.radius + rest] = np.eye(rest)
        first = self.radius + rest + 2 * frame
        spread[-2:, first : first + 2] = np.eye(2)
        return spread


def _lump_scatter(radius_mm: float) -> Array:
    """Return the usual size of each harmonic of the lumps, mm: the higher, the smaller."""
    degrees = lump_degrees()
    scatter = LUMP_SCATTER * radius_mm / np.maximum(degrees * (degrees - 1) / 2, 1)
    return np.asarray(np.where(degrees == 0, RADIUS_MM, scatter))
