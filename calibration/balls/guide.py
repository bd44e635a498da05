"""The guided measurement of one known ball, without user interface: is it there, is it at rest, is it measured."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.balls.fit import BallError, BallSeen, KnownBall, untaught
from calibration.stillness import Stillness
from hardware.cameras.camera_model import Array, CameraModel, CameraView
from hardware.rig import Rig
from vision.colour import log_ratios
from vision.markers import find_view
from vision.observations import SightError
from vision.sphere.ball import Ball
from vision.sphere.sphere import pan_light, read_pan

Image = NDArray[np.uint8]
Outline = tuple[tuple[float, float], ...]
Ask = Literal["markers", "lay", "hold", "centre", "enough"]

PICTURES = 3
FAILURES = 2  # failed pictures after which the guide asks to move the ball
_OUTLINE_POINTS, _USUAL_MM = 36, 30.0


class BallState(msgspec.Struct, frozen=True, kw_only=True):
    """Progress with one ball. `ask`: uncover the `markers`, `lay` it on the pan, `hold` on, or move it to the `centre`.

    `outline` is where the ball is expected, in fractions of the picture's width. `still`, 0–1, is how long nothing has
    moved. `wanted`: a full-size picture should be taken now.
    """

    ask: Ask
    outline: Outline
    still: float
    wanted: bool
    pictures: int

    @property
    def share(self) -> float:
        """Progress, 0–1."""
        return self.pictures / PICTURES


class BallGuide:
    """Watches frames until a ball is at rest on the pan, then measures it in full-size pictures.

    :param rig: the calibrated rig; its correction of diameters is not used.
    """

    def __init__(self, known: KnownBall, rig: Rig, camera: CameraModel) -> None:
        self.known = known
        self._rig, self._camera = untaught(rig), camera
        self._stillness = Stillness()
        self._diameters_mm: list[float] = []
        self._tints: list[Array] = []
        self._failures = 0
        self._seen: tuple[Ask, Outline] = ("lay", ())

    @property
    def done(self) -> bool:
        """Whether the ball has been measured."""
        return len(self._diameters_mm) >= PICTURES

    def look(self, image: Image, t_s: float) -> BallState:
        """Process a frame (BGR uint8) of the stream. The ball is searched only in a frame without movement."""
        moved = self._stillness.moved(image)
        if moved:
            self._failures = 0
        else:
            self._seen = self._searched(image)
        ask, outline = self._seen
        still = self._stillness.share(t_s, still=not moved and ask == "hold")
        if ask == "hold" and self._failures >= FAILURES:
            ask = "centre"
        return BallState(
            ask="enough" if self.done else ask,
            outline=outline,
            still=still,
            wanted=still >= 1.0 and not self.done,
            pictures=len(self._diameters_mm),
        )

    def keep(self, image: Image) -> bool:
        """Measure the ball in a full-size picture; return whether that succeeded."""
        try:
            self.measure(image)
        except (SightError, BallError):
            self._stillness.begin_again()
            self._failures += 1
            return False
        return True

    def measure(self, image: Image) -> None:
        """Measure the ball in a full-size picture.

        :raises SightError: the picture does not show the table through this lens.
        :raises BallError: `ball_not_seen`: no ball on the pan could be measured.
        """
        view = find_view(image, self._rig, self._camera)
        sphere, light = read_pan(image, view, self._rig), pan_light(image, view, self._rig)
        if sphere is None or sphere.diameter_mm is None or light is None:
            raise _not_seen()
        self._diameters_mm.append(sphere.diameter_mm)
        self._tints.append(log_ratios(light[0][None], light[1])[0])

    def seen(self) -> BallSeen:
        """Return the measurement of the ball, from all its pictures.

        :raises BallError: `ball_not_seen`: it was measured in no picture.
        """
        if not self._diameters_mm:
            raise _not_seen()
        red, blue = np.median(self._tints, axis=0).tolist()
        scatter_mm = float(np.std(self._diameters_mm)) / len(self._diameters_mm) ** 0.5
        return BallSeen(self.known, float(np.median(self._diameters_mm)), scatter_mm, (red, blue))

    def _searched(self, image: Image) -> tuple[Ask, Outline]:
        try:
            view = find_view(image, self._rig, self._camera)
        except SightError:
            return "markers", ()
        there = pan_light(image, view, self._rig) is not None
        return "hold" if there else "lay", self._ring(view)

    def _ring(self, view: CameraView) -> Outline:
        x, y = self._rig.pan_centre_mm
        ball = Ball(x, y, self.known.diameter_mm or _USUAL_MM, self._rig.pan_z_mm)
        places = view.project(ball.outline_mm(view, _OUTLINE_POINTS)[0]) / view.camera.width_px
        return tuple((float(x), float(y)) for x, y in places)


def _not_seen() -> BallError:
    return BallError("ball_not_seen", "no ball could be measured on the pan; lay it in the middle, in good light")
