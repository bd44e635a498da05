"""A camera over the simulated table, empty or with one ball on the pan, to try calibrations without hardware."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, Frame
from hardware.clock import Clock
from hardware.readings import PuttyColour
from hardware.rig import Rig
from hardware.twin.cameras.paced_camera import PacedCamera
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.world.scene import Scene, VisibleSphere


class EmptyTableCamera(PacedCamera):
    """A camera over the table without players.

    :param rig: true geometry of the table.
    :param wait: waits the given seconds of the clock.
    :param hidden_s: seconds for which a beer mat covers marker 1 at the start.
    """

    def __init__(
        self, clock: Clock, rig: Rig, wait: Callable[[float], None], *, hidden_s: float = 0.0, seed: int = 0
    ) -> None:
        super().__init__(wait)
        self._clock, self._rig = clock, rig
        self._balls: tuple[VisibleSphere, ...] = ()
        self._renderers = {
            size: Renderer(rig, twin_view(*size), seed=seed + n)
            for n, size in enumerate((STREAM_SIZE_PX, STILL_SIZE_PX))
        }
        self._bare_from_s = clock.now_s() + hidden_s

    def lay(self, colour: PuttyColour, diameter_mm: float) -> None:
        """Put a round ball in the middle of the pan. It replaces the last one."""
        x, y = self._rig.pan_centre_mm
        z = self._rig.pan_z_mm + diameter_mm / 2
        self._balls = (VisibleSphere("known", colour, (x, y, z), np.eye(3) * (diameter_mm / 2)),)

    def _take(self, size_px: tuple[int, int]) -> Frame:
        now_s = self._clock.now_s()
        hidden = frozenset({1}) if now_s < self._bare_from_s else frozenset()
        return Frame(
            now_s,
            self._renderers[size_px].picture(Scene(now_s, self._balls, hidden_markers=hidden)),
            next(self._numbers),
        )
