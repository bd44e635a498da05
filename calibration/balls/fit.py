"""Calibrates with known balls on the pan: their colour sets the palette, their diameter corrects the camera's bias.

The error that remains after the calibration of lens and table is the same for every ball of one set-up. Compression and
sharpening of this camera shift each rim by the same fraction of a pixel (an offset). A pan that is higher or lower than
the rig says makes all balls look larger or smaller (a scale). Two balls of known diameter determine both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import numpy as np

from calibration.messages import CodedError, Speaker
from hardware.cameras.camera_model import Array
from hardware.readings import PUTTY_COLOURS, PuttyColour
from hardware.rig import Putty, Rig
from vision.colour import DEFAULT, Palette, palette_of
from vision.observations import Colour

SMALLEST_KNOWN_MM, LARGEST_KNOWN_MM = 10.0, 50.0
"""Least and largest diameter that a known ball may have."""
PRIOR_OFFSET_MM, PRIOR_SCALE = 0.2, 0.01  # standard deviations: a third of a pixel at each rim, a pan 5 mm off
CALLIPERS_MM = 0.03  # standard deviation of a ball's diameter measured by hand
FARTHEST_MM, FARTHEST_SHARE = 0.8, 0.04  # four deviations of the prior: with a larger error it is another ball
LEAST_GAP = 2.0  # colours nearer than this many spreads are classified "unknown" too often


class BallError(CodedError):
    """The balls give no calibration."""


class KnownBall(msgspec.Struct, frozen=True):
    """A known ball: its putty, its diameter in mm, or both; `label` in words."""

    label: str
    colour: PuttyColour | None = None
    diameter_mm: float | None = None


class BallSeen(msgspec.Struct, frozen=True):
    """Measurements of a known ball: diameter and its scatter in mm over some pictures, and ln(R/G), ln(B/G)."""

    known: KnownBall
    diameter_mm: float
    scatter_mm: float
    tint: tuple[float, float]


class BallFit(msgspec.Struct, frozen=True):
    """One ball of known diameter: measured diameter, and error after the correction, in mm."""

    known: KnownBall
    measured_mm: float
    left_mm: float


class BallsFit(msgspec.Struct, frozen=True):
    """A calibrated rig. `balls` are those of known diameter.

    `alike` are the two putties with the most similar colours. `gap` is their distance in spreads of one putty's colour.
    """

    rig: Rig
    balls: tuple[BallFit, ...]
    alike: tuple[Colour, Colour]
    gap: float


def parse_ball(text: str) -> KnownBall:
    """Parse `orange`, `20.5` or `orange:20.5`: a putty, a diameter in mm, or both.

    :raises BallError: `no_such_ball`.
    """
    colour, _, size = text.strip().lower().partition(":") if not re.match(r"[\d.,]", text.strip()) else ("", "", text)
    found = next((name for name in PUTTY_COLOURS if name == colour), None)
    diameter_mm = _millimetres(size) if size else None
    if (colour and found is None) or (size and diameter_mm is None) or (found is None and diameter_mm is None):
        raise BallError(
            "no_such_ball",
            f"{text!r} is not a ball: write its putty ({', '.join(PUTTY_COLOURS)}), its diameter in mm from "
            f"{SMALLEST_KNOWN_MM:g} to {LARGEST_KNOWN_MM:g}, or both, such as orange:20.5",
            text=text,
            smallest_mm=SMALLEST_KNOWN_MM,
            largest_mm=LARGEST_KNOWN_MM,
        )
    said = [found or "", f"{diameter_mm:g} mm" if diameter_mm is not None else ""]
    return KnownBall(" ".join(part for part in said if part), found, diameter_mm)


def ball_said(known: KnownBall, speaker: Speaker) -> str:
    """Return a ball in the speaker's language, such as `orange 20,5 mm`."""
    putty = speaker.say(f"putty.{known.colour}") if known.colour is not None else ""
    size = f"{speaker.number(known.diameter_mm, 'g')} mm" if known.diameter_mm is not None else ""
    return f"{putty} {size}".strip()


def _millimetres(text: str) -> float | None:
    if not re.fullmatch(r"\d{1,2}([.,]\d{1,3})?", text.strip()):
        return None
    value = float(text.strip().replace(",", "."))
    return value if SMALLEST_KNOWN_MM <= value <= LARGEST_KNOWN_MM else None


def untaught(rig: Rig) -> Rig:
    """Return the rig without the correction of diameters. Known balls are measured with this rig."""
    return msgspec.structs.replace(rig, ball_scale=1.0, ball_offset_mm=0.0, ball_sd_mm=0.0)


def fit_balls(seen: Sequence[BallSeen], rig: Rig) -> BallsFit:
    """Fit offset and scale of the diameters, and store the putties' colours.

    Without a ball of known diameter the rig's correction is kept. Putties that were not shown keep the rig's colour.

    :param seen: balls measured with `untaught(rig)`.
    :raises BallError: `no_balls`; `ball_far_off`: the measured diameter of a ball is far from its stated one; or
        `ball_other_colour`: a ball looks like another putty than the stated one.
    """
    if not seen:
        raise BallError("no_balls", "no ball was shown; lay one on the pan and say what it is")
    sized = [each for each in seen if each.known.diameter_mm is not None]
    balls: tuple[BallFit, ...] = ()
    if sized:
        rig, balls = _sizes(sized, rig)
    tints: dict[PuttyColour, list[tuple[float, float]]] = {}
    for each in seen:
        if each.known.colour is not None:
            tints.setdefault(each.known.colour, []).append(each.tint)
    learnt = {name: np.mean(shown, axis=0).tolist() for name, shown in tints.items()}
    for name, tint in learnt.items():
        _must_not_be_another(name, tint, rig)
    kept = {putty.name: putty for putty in rig.putties}
    kept |= {name: Putty(name, round(red, 3), round(blue, 3)) for name, (red, blue) in learnt.items()}
    rig = msgspec.structs.replace(rig, putties=tuple(kept[name] for name in PUTTY_COLOURS if name in kept))
    alike, gap = _nearest(rig)
    return BallsFit(rig, balls, alike, gap)


def _must_not_be_another(stated: PuttyColour, tint: Sequence[float], rig: Rig) -> None:
    """Check that the table would not take a putty for another one of its palette.

    A putty that looks like the usual one of its name passes, so that a palette learnt wrongly can be corrected.

    :raises BallError: `ball_other_colour`.
    """
    looks = _look(tint, palette_of(rig))
    if looks in (None, stated) or _look(tint, DEFAULT) == stated:
        return
    raise BallError(
        "ball_other_colour",
        f"the ball that was named {stated} looks like {looks}: show the {stated} one; if your own {looks} has another "
        f"colour, calibrate {looks} alone first",
        putty=stated,
        other_putty=looks,
    )


def _look(tint: Sequence[float], palette: Palette) -> Colour | None:
    """Return the putty whose colour is nearest, or None if it is too far away to be confused with it."""
    gaps = {name: float(np.hypot(*np.subtract(tint, mean))) for name, mean in palette.means.items()}
    nearest: Colour = min(PUTTY_COLOURS, key=gaps.__getitem__)
    return nearest if gaps[nearest] < LEAST_GAP * palette.spread else None


def _sizes(seen: Sequence[BallSeen], rig: Rig) -> tuple[Rig, tuple[BallFit, ...]]:
    """Fit measured = scale · true + offset by weighted least squares, with typical camera errors as prior."""
    true = np.array([each.known.diameter_mm for each in seen], dtype=np.float64)
    measured = np.array([each.diameter_mm for each in seen])
    for each in seen:
        said_mm = each.known.diameter_mm or 0.0
        if abs(each.diameter_mm - said_mm) > FARTHEST_MM + FARTHEST_SHARE * said_mm:
            raise BallError(
                "ball_far_off",
                f"the ball of {said_mm:g} mm was seen as {each.diameter_mm:.1f} mm: measure it with callipers again, "
                "or calibrate the track if the pan was moved",
                is_mm=said_mm,
                seen_mm=each.diameter_mm,
            )
    error_mm = np.hypot(CALLIPERS_MM, [each.scatter_mm for each in seen])
    rows = np.column_stack([np.ones_like(true), true]) / error_mm[:, None]
    rows = np.vstack([rows, np.diag([1 / PRIOR_OFFSET_MM, 1 / PRIOR_SCALE])])
    wanted = np.concatenate([(measured - true) / error_mm, [0.0, 0.0]])
    offset_mm, scale_gain = np.linalg.lstsq(rows, wanted, rcond=None)[0].tolist()
    covariance: Array = np.linalg.inv(rows.T @ rows)
    middle = np.array([1.0, float(true.mean())])
    taught = msgspec.structs.replace(
        rig,
        ball_scale=round(1.0 + scale_gain, 5),
        ball_offset_mm=round(offset_mm, 3),
        ball_sd_mm=round(float(np.sqrt(middle @ covariance @ middle)), 3),
    )
    balls = tuple(
        BallFit(each.known, each.diameter_mm, (each.diameter_mm - taught.ball_offset_mm) / taught.ball_scale - size)
        for each, size in zip(seen, true.tolist(), strict=True)
    )
    return taught, balls


def _nearest(rig: Rig) -> tuple[tuple[Colour, Colour], float]:
    palette = palette_of(rig)
    names = PUTTY_COLOURS
    gap, first, second = min(
        (float(np.hypot(*np.subtract(palette.means[a], palette.means[b]))) / palette.spread, a, b)
        for n, a in enumerate(names)
        for b in names[n + 1 :]
    )
    return (first, second), gap
