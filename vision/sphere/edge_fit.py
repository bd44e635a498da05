"""Edge fit: locates the rim of a ball to a hundredth of a pixel, by a model of the imaging process from scene to file.

`vision.sphere.edge_model` predicts profiles across the rim. The ratio of the blurs of lens, luma and colour determines
the apparent edge (between the half-way point of light and that of codes, half a pixel apart on a bright ball). So all
three are unknowns of the fit, shared by the whole rim; the shape of the profiles determines them. The darkening of the
limb cannot be fitted from one profile, so neighbouring profiles share it.

JPEG's quantisation is not a blur. It leaves residuals that are correlated along whole stretches of the rim. Their ratio
to independent noise is measured, and the weight of the samples is reduced accordingly.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.linear_light import decoded, sampled
from vision.sphere.edge_model import BASES, TO_LUMA, EdgeModel

RAYS = 3  # averaged for a profile, so that every pixel of a large rim is used
ITERATIONS = 10
SAMPLING_BLUR = 1 / 6  # px²: variance of the blur by sampling between pixels
# variances of lens, luma and colour blur in px²: least (a pixel integrates light), most, usual, scatter
LEAST_BLUR = np.array([1 / 12, 0.12, 0.12])
MOST_BLUR = np.array([6.0, 4.0, 6.0])
USUAL_BLUR = np.array([0.7, 0.5, 1.5])
BLUR_SCATTER = np.array([0.7, 0.5, 1.5])
PLAIN_ENOUGH = 12.0  # χ² up to which a camera is assumed not to blur codes, which leaves fewer unknowns
# Limb darkening and ground slope: scatter from the value shared round the rim, relative to the level of ball or ground.
# Near the contact with the pan, shadow and light from the ball change the slope from profile to profile.
LIMB_SCATTER, RAMP_SCATTER = 0.06, 0.5
HARMONICS = 4  # of both shared values round the rim; the ground lights the dark side's limb
OWN = 13  # unknowns of one profile: its edge, and its levels of all shapes but the last in three channels
STRETCH = 30  # profiles whose residuals are averaged together
DAMPING = 1e-3
LEAST_NOISE = 0.0015  # of full scale: noise of rounding to 8 bits


class EdgeFit(msgspec.Struct, frozen=True):
    """Edges found.

    Outward offsets, shape (n,) px; their standard deviations, shape (n,) px, infinite where there is no edge; the
    standard deviation of the error common to all of them, px.
    """

    offset_px: Array
    sd_px: Array
    shared_sd_px: float


def waves(turn: Array, harmonics: int) -> Array:
    """Return Fourier basis functions of angles round the rim, radians, shape (…, 2 · harmonics + 1)."""
    every = [f(k * turn) for k in range(1, harmonics + 1) for f in (np.cos, np.sin)]
    return np.stack([np.ones_like(turn), *every], axis=-1)


class _Shared:
    """Levels of one shape, given by a few harmonics round the rim. With `scatter`, each profile may differ a little."""

    def __init__(self, base: int, level: int, scatter: float | None, harmonics: int, count: int) -> None:
        self.base, self.level, self.scatter = base, level, scatter
        turn = np.arange(count, dtype=np.float64) * (2 * np.pi / count)
        # for lamps beside a ball the mean round the rim is 0
        self.waves = waves(turn, harmonics)[:, int(scatter is None) :]
        self.amounts = np.zeros((self.waves.shape[1], 3))

    def columns(self, rows: Array) -> Array:
        """Convert derivatives by the levels to derivatives by the amounts, shape (n, rows, waves · 3)."""
        own = rows[:, :, 1 + 3 * self.base : 4 + 3 * self.base]
        return (own[:, :, None, :] * self.waves[:, None, :, None]).reshape(*rows.shape[:2], -1)

    def hold(self, inner: Array, right: Array, levels: Array) -> None:
        """Add the prior that each profile's level is close to the shared one, to the normal equations."""
        if self.scatter is None:
            return
        apart = levels[:, self.base] - self.waves @ self.amounts
        weight = 1 / (self.scatter * np.maximum(levels[:, self.level], 0.01)) ** 2
        for channel in range(3):
            place = 1 + self.base * 3 + channel
            inner[:, place, place] += weight[:, channel]
            right[:, place] -= weight[:, channel] * apart[:, channel]

    def move(self, step: Array, levels: Array) -> None:
        """Add `step`, shape (waves · 3,), to the amounts, and update the levels."""
        step = step.reshape(-1, 3)
        self.amounts += step
        levels[:, self.base] += self.waves @ step


class _Equations(msgspec.Struct, frozen=True):
    """Normal equations of one step. The unknowns of each profile are eliminated, so that the shared ones can be solved.

    `own` (n, 13, 13) are the equations of each profile's own unknowns. `solved` (n, 13, m + 1) are their solutions: how
    they change with each of the m shared unknowns, and last what they are when those do not change. `common` (m, m) and
    `towards` (m,) are the equations of the shared unknowns: the three blurs, then the amounts of each shared shape.
    `good` (n,) tells profiles that count for these from those with something else in them, such as a scratch.
    """

    own: Array
    solved: Array
    common: Array
    towards: Array
    good: NDArray[np.bool_]


class _Fit:
    """The unknowns of all profiles round a rim, improved step by step (Gauss–Newton)."""

    def __init__(self, model: EdgeModel, code: Array) -> None:
        count = len(code)
        self.model, self.seen = model, code @ TO_LUMA.T
        self.edge = np.zeros(count)
        self.levels = _first_levels(code, model.position, self.edge)
        self.blur: Array = USUAL_BLUR.copy()
        self.noise = np.full(3, 0.02)
        self.shared = [
            _Shared(1, 0, LIMB_SCATTER, HARMONICS, count),
            _Shared(3, 2, RAMP_SCATTER, HARMONICS, count),
            _Shared(4, 0, None, 1, count),
        ]
        self.usual, self.scatter = USUAL_BLUR.copy(), BLUR_SCATTER.copy()

    def equations(self, *, first: bool) -> _Equations:
        """Return the equations at the present values. The `first` step keeps the blurs and the noise as assumed."""
        code, by_own, by_blur = self.model.slopes(self.edge, self.levels, self.blur)
        gap = self.seen - code
        if not first:
            self.noise = _noise(gap)
        count = len(gap)
        worst = np.sqrt(((gap / self.noise) ** 2).mean(axis=(1, 2)))
        good = worst < 3 * np.median(worst)
        every = (by_own / self.noise[:, None]).reshape(count, -1, 1 + 3 * BASES)
        rows = every[..., :OWN]
        rest = (gap / self.noise).reshape(count, -1)
        by_shared = [
            (by_blur / self.noise[:, None]).reshape(count, -1, 3),
            *(each.columns(every) for each in self.shared),
        ]
        across = np.concatenate(by_shared, axis=2)
        own = np.swapaxes(rows, 1, 2) @ rows
        mixed = np.swapaxes(rows, 1, 2) @ across
        right = (np.swapaxes(rows, 1, 2) @ rest[..., None])[..., 0]
        for each in self.shared:
            each.hold(own, right, self.levels)
        own += np.eye(OWN) * 1e-6 + np.einsum("nii,ij->nij", own, np.eye(OWN)) * DAMPING
        solved = np.linalg.solve(own, np.concatenate([mixed, right[..., None]], axis=2))
        flat = across[good].reshape(-1, across.shape[2])
        common = flat.T @ flat - np.tensordot(mixed[good], solved[good][..., :-1], axes=((0, 1), (0, 1)))
        towards = flat.T @ rest[good].ravel() - np.tensordot(mixed[good], solved[good][..., -1], axes=((0, 1), (0, 1)))
        common += np.diag(np.concatenate([1 / self.scatter**2, np.full(len(towards) - 3, 1e-2)]))
        towards[:3] += (self.usual - self.blur) / self.scatter**2
        if first:
            common[:3, 3:], common[3:, :3], towards[:3] = 0, 0, 0
        return _Equations(own, solved, common, towards, good)

    def step(self, equations: _Equations) -> None:
        """Move all unknowns to what solves the equations, by limited steps."""
        half_px = self.model.half_px
        shared_step = np.asarray(np.linalg.solve(equations.common, equations.towards), dtype=np.float64)
        blur = np.clip(self.blur + np.clip(shared_step[:3], -0.5, 0.5), LEAST_BLUR, MOST_BLUR)
        shared_step[:3] = blur - self.blur
        own_step = equations.solved[..., -1] - equations.solved[..., :-1] @ shared_step
        self.blur = self.blur + shared_step[:3]
        self.edge = np.clip(self.edge + np.clip(own_step[:, 0], -0.7, 0.7), -half_px * 0.6, half_px * 0.6)
        self.levels[:, : BASES - 1] += own_step[:, 1:].reshape(len(self.edge), BASES - 1, 3)
        start = 3
        for each in self.shared:
            each.move(shared_step[start : start + each.amounts.size], self.levels)
            start += each.amounts.size

    def assume_plain_camera(self, equations: _Equations) -> None:
        """Take the prior of a camera that does not blur codes from now on, if the blurs allow it."""
        covariance = np.asarray(np.linalg.inv(equations.common)[1:3, 1:3], dtype=np.float64)
        self.usual, self.scatter = _plain_camera(self.blur, covariance)


def fit_edge(image: NDArray[np.uint8], points: Array, normals: Array, half_px: float, radius_px: float) -> EdgeFit:
    """Locate a ball's edge on profiles across it.

    :param image: BGR uint8.
    :param points: RAYS per profile, shape (n · RAYS, 2) px, evenly round the rim, within a pixel of it. The offsets
        found are those of the middle rays.
    :param normals: outward unit vectors, shape (n · RAYS, 2).
    """
    model = EdgeModel(half_px, radius_px)
    grid = points[:, None, :] + normals[:, None, :] * model.position[None, :, None]
    code = sampled(image, grid).astype(np.float64).reshape(-1, RAYS, len(model.position), 3).mean(axis=1) / 255.0
    fit = _Fit(model, code)
    for iteration in range(ITERATIONS):
        equations = fit.equations(first=not iteration)
        fit.step(equations)
        if iteration == ITERATIONS - 4:
            fit.assume_plain_camera(equations)
    sd = np.sqrt(np.maximum(np.linalg.inv(equations.own)[:, 0, 0], 1e-12))
    # the half-way line of a blurred disc lies inside its rim, because the rim is curved
    edge = fit.edge + fit.blur[0] / (2 * radius_px)
    lost = ~equations.good | (np.abs(edge) >= half_px * 0.59) | (sd > 1.0)
    by_shared = -np.mean(equations.solved[equations.good][:, 0, :-1], axis=0)
    shared_sd = float(np.sqrt(by_shared @ np.linalg.solve(equations.common, by_shared)))
    return EdgeFit(edge, np.where(lost, np.inf, sd), shared_sd)


def _plain_camera(blur: Array, covariance: Array) -> tuple[Array, Array]:
    """Return the prior of the blurs, usual value and scatter, shape (3,) px².

    It is that of a camera that does not blur codes, if `blur`, with the `covariance` (2, 2) of its last two, allows it.
    """
    apart = blur[1:] - SAMPLING_BLUR
    if float(apart @ np.linalg.solve(covariance, apart)) > PLAIN_ENOUGH:
        return USUAL_BLUR, BLUR_SCATTER
    usual, scatter = USUAL_BLUR.copy(), BLUR_SCATTER.copy()
    usual[1:], scatter[1:] = SAMPLING_BLUR, 1e-3
    return usual, scatter


def _noise(gap: Array) -> Array:
    """Return the effective noise of a sample in each channel, shape (3,), from residuals (n, k, 3).

    JPEG and smoothing correlate neighbouring samples, those of colour most, so they carry less information. Errors of
    the model correlate whole stretches of the rim likewise. The noise is increased for both.
    """
    scatter = 1.4826 * np.median(np.abs(gap), axis=(0, 1))
    rough = np.clip(gap, -3 * scatter, 3 * scatter)
    power = np.maximum((rough**2).mean(axis=(0, 1)), 1e-12)
    likeness = np.clip((rough[:, 1:] * rough[:, :-1]).mean(axis=(0, 1)) / power, 0.0, 0.95)
    stretches = rough[: len(rough) // STRETCH * STRETCH].reshape(-1, STRETCH, *rough.shape[1:]).mean(axis=1)
    alike = np.maximum(STRETCH * (stretches**2).mean(axis=(0, 1)) / power, 1.0)
    return np.asarray(np.maximum(scatter, LEAST_NOISE) * np.sqrt(alike * (1 + likeness) / (1 - likeness)))


def _first_levels(code: Array, position: Array, edge: Array) -> Array:
    light = decoded(code)
    beyond = position[None, :] - edge[:, None]
    levels = np.zeros((len(code), BASES, 3))
    for base, side in ((0, beyond < -2.0), (2, beyond > 2.0)):
        levels[:, base] = (light * side[..., None]).sum(axis=1) / np.maximum(side.sum(axis=1), 1)[:, None]
    return levels
