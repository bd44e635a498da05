"""The four guided calibrations as the touchscreen leads through them: each gathers what its fit needs."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.devices.scale_session import must_answer
from appliance.guided_calibration.devices import Bench, follow_ball, follow_board, follow_table
from appliance.guided_calibration.dialogue import Talk
from calibration.balls.fit import COLOURS, BallSeen, KnownBall
from calibration.balls.guide import BallGuide
from calibration.camera.guide import CameraGuide
from calibration.camera.intrinsics import BoardView
from calibration.live_guide import Image
from calibration.scale.coins import KnownMass
from calibration.scale.count_recording import CountRecording
from calibration.scale.guide import PointCollector
from calibration.scale.points import scale_silent
from calibration.track.guide import TrackGuide
from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig
from hardware.scale.load_cell import ReadFailure


def views_of_the_board(talk: Talk, bench: Bench) -> Sequence[BoardView]:
    """Lead the board through the picture and return the views worth fitting.

    :raises CalibrationStoppedError: it was stopped.
    :raises CameraError: there is no camera, or it was lost.
    """
    guide = CameraGuide()
    for state in follow_board(bench, guide):
        talk.tell(
            ask=f"calibrate.camera.{state.ask}",
            share=state.share,
            still=state.still,
            covered=state.covered,
            dots=state.corners,
        )
    return guide.views


def pictures_of_the_table(talk: Talk, bench: Bench, rig: Rig) -> Sequence[Image]:
    """Wait for the empty table and return pictures of it.

    :raises CalibrationStoppedError: it was stopped.
    :raises CameraError: there is no camera, or it was lost.
    """
    guide = TrackGuide(rig)
    for state in follow_table(bench, rig, guide):
        talk.tell(
            ask=f"calibrate.track.{state.ask}",
            values={"missing": ", ".join(map(str, state.missing))},
            share=state.share,
            still=state.calm,
            dots=tuple(corner for corners in state.seen.values() for corner in corners),
        )
    return guide.pictures


def balls_on_the_pan(talk: Talk, bench: Bench, rig: Rig, camera: CameraModel) -> Sequence[BallSeen]:
    """Ask for one known ball after the other and return what the camera made of them.

    :raises CalibrationStoppedError: it was stopped.
    :raises CameraError: there is no camera, or it was lost.
    :raises BallError: a ball could not be measured.
    """
    bench.table_camera(rig).close()  # where there is none, nobody is asked to lay a ball
    seen: list[BallSeen] = []
    while True:
        shown = tuple(each.known for each in seen)
        share = min(len(seen) / len(COLOURS), 0.9)
        known = talk.asked(ask="calibrate.balls.next", points=shown, dots=(), still=0.0, share=share)
        if not isinstance(known, KnownBall):
            return seen
        guide = BallGuide(known, rig, camera)
        talk.tell(stage="running", ask="calibrate.balls.hold")
        for state in follow_ball(bench, rig, guide):
            talk.tell(ask=f"calibrate.balls.{state.ask}", still=state.calm, dots=state.outline)
        seen.append(guide.seen())


def masses_on_the_pan(talk: Talk, bench: Bench) -> Sequence[tuple[KnownMass, CountRecording]]:
    """Ask for the empty pan, then for known masses, and return what the scale said of each.

    :raises CalibrationStoppedError: it was stopped.
    :raises LoadCellError: there is no scale.
    :raises FitError: `scale_silent`: it does not answer, which is seen before anything is asked.
    """
    must_answer(bench.samples())
    points: list[tuple[KnownMass, CountRecording]] = []
    while True:
        weighed = tuple(known for known, _ in points)
        ask = "calibrate.scale.empty" if not points else "calibrate.scale.next"
        known = talk.asked(ask=ask, points=weighed, still=0.0, share=min(len(points) / 3, 0.9))
        if not isinstance(known, KnownMass):
            return points
        known = known if points else KnownMass(0.0, 0.0, "0")
        bench.laid(known.mass_g)
        talk.tell(stage="running", ask="calibrate.scale.hold")
        points.append((known, _collected(talk, bench, known)))


def _collected(talk: Talk, bench: Bench, known: KnownMass) -> CountRecording:
    collector = PointCollector(known)
    for sample in bench.samples():
        if isinstance(sample, ReadFailure):
            talk.tell(ask="calibrate.scale.end_stop" if sample.saturated else "calibrate.scale.silent")
            continue
        progress = collector.feed(sample.t_s, sample.counts)
        talk.tell(ask="calibrate.scale.hold" if progress.still else "calibrate.scale.wait", still=progress.share)
        if progress.done:
            return collector.recording()
    raise scale_silent()
