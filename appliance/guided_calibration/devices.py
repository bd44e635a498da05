"""The devices of a guided calibration: the real table's camera and scale, or simulated ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from appliance.devices.real_table import open_camera
from appliance.devices.scale_session import LiveSample, live_samples
from appliance.settings import Settings
from calibration.balls.fit import KnownBall
from calibration.camera.guide import GuideState
from hardware.cameras.camera import Camera
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.clock import Clock, MonotonicClock
from hardware.rig import Rig

if TYPE_CHECKING:
    from calibration.camera.board_twin import SimulatedBoardHand

_BALL_MM = 30.0  # diameter of a simulated ball without a given size


class CalibrationDevices(Protocol):
    """The devices of one table, opened one at a time."""

    def board_camera(self, lens_position: float | None = None) -> Camera:
        """Open the camera for pictures of the board that a person holds.

        :param lens_position: where the lens is held; None: it focuses.
        :raises CameraError: there is none.
        """
        ...

    def table_camera(self, rig: Rig) -> Camera:
        """Open the camera over the empty table.

        :raises CameraError: there is none.
        """
        ...

    def samples(self) -> Generator[LiveSample]:
        """Open the scale.

        :raises LoadCellError: there is none.
        """
        ...

    def asked(self, state: GuideState) -> None:
        """Take what the guide asks for. A simulated hand carries it out."""
        ...

    def laid(self, mass_g: float) -> None:
        """Take the mass that is on the pan now. A simulated hand puts it there."""
        ...

    def shown(self, ball: KnownBall) -> None:
        """Take the ball that is shown next. A simulated hand lays it on the pan."""
        ...

    def wait(self, seconds: float) -> None:
        """Let seconds pass."""
        ...


class RealDevices:
    """This machine's own camera and scale. A person does what the guide asks."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def board_camera(self, lens_position: float | None = None) -> Camera:
        """Open the camera that the settings name."""
        return self._camera(lens_position)

    def table_camera(self, rig: Rig) -> Camera:
        """Open the camera that the settings name, with its lens in the position of the lens calibration."""
        lens_position = None
        with suppress(CameraFileError):
            lens_position = load_camera(self._settings.camera_path).lens_position
        return self._camera(lens_position)

    def _camera(self, lens_position: float | None) -> Camera:
        settings = self._settings
        return open_camera(settings.camera, MonotonicClock(), mains_hz=settings.mains_hz, lens_position=lens_position)

    def samples(self) -> Generator[LiveSample]:
        """Read the load cell on the pins of the settings, for as long as no game is open."""
        return live_samples(self._settings)

    def asked(self, state: GuideState) -> None:
        """Do nothing: people read it on the screen."""

    def laid(self, mass_g: float) -> None:
        """Do nothing: people did it."""

    def shown(self, ball: KnownBall) -> None:
        """Do nothing: people did it."""

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


class SimulatedDevices:
    """A simulated camera, hand, table and scale. The simulation is imported on use: a real table does not need it.

    :param clock: gives the time stamps; `wait` lets its seconds pass.
    """

    def __init__(self, clock: Clock | None = None, wait: Callable[[float], None] = time.sleep) -> None:
        from hardware.twin.wires.scale_wiring import TwinLoad

        self._clock = clock or MonotonicClock()
        self._wait = wait
        self._hand: SimulatedBoardHand | None = None
        self._load = TwinLoad()
        self._ball: KnownBall | None = None
        self._openings = 0

    def board_camera(self, lens_position: float | None = None) -> Camera:
        """Return a camera, and create the hand that holds the board in front of it as asked."""
        from calibration.camera.board_twin import SimulatedBoardHand, board_camera

        camera = board_camera(self._clock, self._wait)
        self._hand = SimulatedBoardHand(camera)
        return camera

    def table_camera(self, rig: Rig) -> Camera:
        """Return a camera over a table with a beer mat on marker 1 for the first 2 s."""
        from hardware.twin.cameras.table_camera import EmptyTableCamera

        camera = EmptyTableCamera(self._clock, rig, self._wait, hidden_s=2.0)
        if self._ball is not None:
            camera.lay(self._ball.colour or "orange", self._ball.diameter_mm or _BALL_MM)
        return camera

    def samples(self) -> Generator[LiveSample]:
        """Yield conversions of the simulated load cell."""
        from hardware.twin.wires.scale_wiring import OpenTwinCell

        self._openings += 1  # each opening has its own noise
        cell = OpenTwinCell(load=self._load, seed=self._openings)(self._clock)
        try:
            while True:
                yield cell.sample()
        finally:
            cell.close()

    def asked(self, state: GuideState) -> None:
        """Hold the board as asked."""
        if self._hand is not None:
            self._hand.follow(state.ask, state.views)

    def laid(self, mass_g: float) -> None:
        """Lay that much on the pan."""
        self._load.set_mass_g(mass_g)

    def shown(self, ball: KnownBall) -> None:
        """Lay that ball on the pan. Call it before the camera over the table is opened."""
        self._ball = ball

    def wait(self, seconds: float) -> None:
        """Let seconds of the simulation pass."""
        self._wait(seconds)
