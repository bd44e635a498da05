"""Follows the devices of a guided calibration until its guides have what they need, also where a device is lost."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import TypeVar

from appliance.devices.scale_session import LiveSample
from appliance.guided_calibration.devices import CalibrationDevices
from calibration.balls.guide import BallGuide, BallState
from calibration.camera.focus_guide import FocusGuide, FocusState
from calibration.camera.guide import CameraGuide, GuideState
from calibration.live_guide import followed, frames
from calibration.track.guide import TrackGuide, TrackState
from hardware.cameras.camera import REOPEN_CAMERA_AFTER_S, Camera, CameraError
from hardware.rig import Rig
from hardware.scale.load_cell import LoadCellError
from hardware.scale.process.child import REOPEN_CELL_AFTER_S

S = TypeVar("S")


def follow_board(devices: CalibrationDevices, guide: CameraGuide) -> Generator[FocusState | GuideState | CameraError]:
    """Yield the progress of the camera's calibration, first its focus, frame by frame, until it is done.

    A camera that is lost meanwhile is yielded as its error, and opened again.

    :raises CameraError: there is no camera.
    """
    focused = False

    def follow(camera: Camera) -> Iterator[FocusState | GuideState]:
        nonlocal focused
        if not focused:
            yield from _focused(camera)
            guide.lens_position, focused = camera.lens_position, True
        for state in followed(camera, guide):
            devices.asked(state)
            yield state

    first = devices.board_camera()
    yield from _despite_losses(devices, first, lambda: devices.board_camera(guide.lens_position), follow)


def _focused(camera: Camera) -> Iterator[FocusState]:
    """Yield the sharpness of the picture until the lens is in focus, by its motor or turned by a person."""
    focus = FocusGuide(motor=camera.refocus())
    for frame in frames(camera):
        state = focus.look(frame.image, frame.t_s, found=camera.lens_position is not None)
        if state.refocus:
            camera.refocus()
        yield state
        if focus.done:
            return


def follow_table(devices: CalibrationDevices, rig: Rig, guide: TrackGuide) -> Generator[TrackState | CameraError]:
    """Yield the progress of the track's calibration, frame by frame, until it is done; losses as `follow_board`.

    :raises CameraError: there is no camera.
    """
    first = devices.table_camera(rig)
    yield from _despite_losses(
        devices, first, lambda: devices.table_camera(rig), lambda camera: followed(camera, guide)
    )


def follow_ball(devices: CalibrationDevices, rig: Rig, guide: BallGuide) -> Generator[BallState | CameraError]:
    """Yield the progress of measuring one known ball, frame by frame, until it is measured; losses as `follow_board`.

    The camera may also be lost since the ball before.
    """
    devices.shown(guide.known)
    yield from _despite_losses(devices, None, lambda: devices.table_camera(rig), lambda camera: followed(camera, guide))


def samples_despite_losses(devices: CalibrationDevices) -> Generator[LiveSample | LoadCellError]:
    """Yield the samples of the scale. One that is lost is yielded as its error, and opened again."""
    while True:
        try:
            yield from devices.samples()
            return
        except LoadCellError as error:
            lost = error
        yield lost
        devices.wait(REOPEN_CELL_AFTER_S)


def _despite_losses(
    devices: CalibrationDevices,
    camera: Camera | None,
    open_camera: Callable[[], Camera],
    follow: Callable[[Camera], Iterator[S]],
) -> Generator[S | CameraError]:
    """Yield what `follow` yields of the camera, until it ends; whenever the camera is lost, its error.

    :param camera: the camera if it is open already.
    """
    while True:
        try:
            camera = camera or open_camera()
            try:
                yield from follow(camera)
                return
            finally:
                # One that does not close is told when it is opened again. What it has shown counts.
                with suppress(CameraError):
                    camera.close()
        except CameraError as error:
            lost = error
        camera = None
        yield lost
        devices.wait(REOPEN_CAMERA_AFTER_S)
