"""The four guided calibrations: each collects the data of its fit in a dialogue with a person."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

import msgspec

from appliance.devices.scale_session import must_answer
from appliance.guided_calibration.devices import CalibrationDevices
from appliance.guided_calibration.dialogue import FEWEST, Dialogue, Fact, GuideStep, Tick
from appliance.guided_calibration.following import (
    follow_ball,
    follow_board,
    follow_table,
    samples_despite_losses,
)
from calibration.balls.fit import BallSeen
from calibration.balls.guide import PICTURES as BALL_PICTURES
from calibration.balls.guide import BallGuide, BallState
from calibration.camera.focus_guide import FocusState
from calibration.camera.guide import TILTS, CameraGuide, GuideState
from calibration.camera.intrinsics import ENOUGH_VIEWS, BoardView
from calibration.live_guide import Image
from calibration.messages import Message
from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.guide import PointCollector
from calibration.scale.points import scale_silent
from calibration.track.guide import PICTURES, TrackGuide, TrackState
from hardware.cameras.camera import CameraError
from hardware.cameras.camera_model import CameraModel
from hardware.readings import PUTTY_COLOURS
from hardware.rig import Rig
from hardware.scale.load_cell import LoadCellError, ReadFailure

END_STOP_S = 2.0
"""Seconds at the end stop after which a mass is too heavy: longer than a hand presses while it lays one down."""
_UNFINISHED = 0.9
"""Greatest progress that is shown while the person may still name another mass or ball."""


class BoardViews(msgspec.Struct, frozen=True):
    """The views of the board that are worth fitting, and where the lens was held (`CameraModel.lens_position`)."""

    views: Sequence[BoardView]
    lens_position: float | None = None


def views_of_the_board(dialogue: Dialogue, devices: CalibrationDevices) -> BoardViews:
    """Focus the lens, then guide the board through the picture, and return the views of it.

    :raises CalibrationStoppedError: it was stopped.
    :raises GameOpenError: a game was opened.
    :raises CameraError: there is no camera. One that is lost meanwhile is shown and waited for.
    """
    guide = CameraGuide()
    _show_all(dialogue, follow_board(devices, guide), _board_step)
    return BoardViews(guide.views, guide.lens_position)


def _show_all(dialogue: Dialogue, states: Generator[Any], step_of: Callable[[Any], GuideStep]) -> None:
    """Show every state; a camera that is lost by its sentence, with the progress so far. Then it is closed."""
    share = 0.0
    with closing(states):
        for state in states:
            step = _lost_step(state, share) if isinstance(state, CameraError) else step_of(state)
            share = step.share
            dialogue.show(step)


def _lost_step(error: CameraError | LoadCellError, share: float) -> GuideStep:
    return GuideStep(ask=f"calibrate.why.{error.code}", share=share, lost=error)


def _board_step(state: FocusState | GuideState) -> GuideStep:
    if isinstance(state, FocusState):
        return GuideStep(ask=f"calibrate.focus.{state.ask}", share=0.0, still=state.held, sharpness=state.sharpness)
    tilts = tuple(Tick(Message(f"calibrate.tilt.{tilt}"), tilt in state.tilts) for tilt in TILTS)
    taken = {"taken": state.views, "wanted": ENOUGH_VIEWS, "rms_px": state.rms_px}
    pictures = Message(f"calibrate.screen.{'of_or_more' if state.rms_px is None else 'off'}", taken)
    return GuideStep(
        ask=f"calibrate.camera.{state.ask}",
        share=state.share,
        still=state.still,
        covered=state.covered,
        dots=state.corners,
        facts=(Fact("calibrate.screen.tilted", ticks=tilts), Fact("calibrate.screen.pictures", pictures)),
    )


def pictures_of_the_table(dialogue: Dialogue, devices: CalibrationDevices, rig: Rig) -> Sequence[Image]:
    """Wait for the empty table and return pictures of it.

    :raises CalibrationStoppedError: it was stopped.
    :raises GameOpenError: a game was opened.
    :raises CameraError: there is no camera. One that is lost meanwhile is shown and waited for.
    """
    guide = TrackGuide(rig)
    _show_all(dialogue, follow_table(devices, rig, guide), _table_step)
    return guide.pictures


def _table_step(state: TrackState) -> GuideStep:
    known = sorted({*state.seen, *state.missing})
    markers = tuple(Tick(Message("calibrate.screen.marker", {"marker": one}), one in state.seen) for one in known)
    return GuideStep(
        ask=f"calibrate.track.{state.ask}",
        values={"missing": ", ".join(map(str, state.missing))},
        share=state.share,
        still=state.still,
        dots=tuple(corner for corners in state.seen.values() for corner in corners),
        facts=(Fact("calibrate.screen.markers", ticks=markers), _taken(state.pictures, PICTURES)),
    )


def balls_on_the_pan(
    dialogue: Dialogue, devices: CalibrationDevices, rig: Rig, camera: CameraModel
) -> Sequence[BallSeen]:
    """Ask for one known ball after the other and return the camera's measurements.

    :raises CalibrationStoppedError: it was stopped.
    :raises GameOpenError: a game was opened.
    :raises CameraError: there is no camera. One that is lost meanwhile is shown and waited for.
    :raises BallError: a ball could not be measured.
    """
    devices.table_camera(rig).close()  # without a camera, fail before anybody is asked to lay a ball
    seen: list[BallSeen] = []
    while True:
        share = min(len(seen) / len(PUTTY_COLOURS), _UNFINISHED)
        known = dialogue.ask_ball(GuideStep(ask="calibrate.balls.next", share=share), [each.known for each in seen])
        if known is None:
            return seen
        seen.append(_seen(dialogue, devices, BallGuide(known, rig, camera), rig, share))


def _seen(dialogue: Dialogue, devices: CalibrationDevices, guide: BallGuide, rig: Rig, share: float) -> BallSeen:
    dialogue.show(GuideStep(ask="calibrate.balls.hold", share=share))

    def step_of(state: BallState) -> GuideStep:
        return GuideStep(
            ask=f"calibrate.balls.{state.ask}",
            share=share,
            still=state.still,
            dots=state.outline,
            facts=(_taken(state.pictures, BALL_PICTURES),),
        )

    _show_all(dialogue, follow_ball(devices, rig, guide), step_of)
    return guide.seen()


def masses_on_the_pan(dialogue: Dialogue, devices: CalibrationDevices) -> Sequence[tuple[KnownMass, CountRecording]]:
    """Ask for the empty pan, then for known masses, and return the scale's samples of each.

    :raises CalibrationStoppedError: it was stopped.
    :raises GameOpenError: a game was opened.
    :raises LoadCellError: there is no scale. One that is lost meanwhile is shown and waited for.
    :raises FitError: `scale_silent`: it does not answer. This is checked before anything is asked.
    """
    must_answer(devices.samples())
    points: list[tuple[KnownMass, CountRecording]] = []
    ask = "calibrate.scale.empty"
    while True:
        share = min(len(points) / (FEWEST["scale"] + 1), _UNFINISHED)
        known = dialogue.ask_mass(GuideStep(ask=ask, share=share), [known for known, _ in points])
        if known is None:
            return points
        if (known.mass_g == 0) == bool(points):  # such as a tap on a page that shows an earlier question
            ask = "calibrate.scale.empty_is_known" if points else ask
            continue
        devices.laid(known.mass_g)
        recording = _collected(dialogue, devices, known, share)
        if recording is None:
            ask = "calibrate.scale.end_stop"
        else:
            points.append((known, recording))
            ask = "calibrate.scale.next"


def _collected(
    dialogue: Dialogue, devices: CalibrationDevices, known: KnownMass, share: float
) -> CountRecording | None:
    """Return the samples of a mass; None if it is too heavy: what will lie there then is another mass."""
    collector, stuck_s = PointCollector(known), None
    dialogue.show(GuideStep(ask="calibrate.scale.wait", share=share))
    for sample in samples_despite_losses(devices):
        if isinstance(sample, LoadCellError):
            dialogue.show(_lost_step(sample, share))
            continue
        if isinstance(sample, ReadFailure):
            ask = "calibrate.scale.end_stop" if sample.saturated else "calibrate.scale.silent"
            dialogue.show(GuideStep(ask=ask, share=share))
            stuck_s = sample.t_s if sample.saturated and stuck_s is None else stuck_s
            if stuck_s is not None and sample.t_s - stuck_s >= END_STOP_S:
                return None
            continue
        stuck_s = None
        progress = collector.feed(sample.t_s, sample.counts)
        noise = Message("calibrate.screen.counts", {"counts": progress.scatter_counts})
        dialogue.show(
            GuideStep(
                ask="calibrate.scale.hold" if progress.still else "calibrate.scale.wait",
                share=share,
                still=progress.share,
                facts=(Fact("calibrate.screen.noise", noise),),
            )
        )
        if progress.done:
            return collector.recording()
    raise scale_silent()


def _taken(pictures: int, wanted: int) -> Fact:
    return Fact("calibrate.screen.pictures", Message("calibrate.screen.of", {"taken": pictures, "wanted": wanted}))
