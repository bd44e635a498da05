"""The guided calibrations before a simulated camera. Truth: the simulated lens, hand and table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from appliance.cli import main
from appliance.commands.calibrate.camera import command as calibrate_camera
from appliance.commands.calibrate.track import command as calibrate_track
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.dialogue import GuideStep
from appliance.guided_calibration.following import follow_board, follow_table
from appliance.guided_calibration.procedures import masses_on_the_pan
from calibration.balls import guide as ball_guide
from calibration.balls.fit import BallError, KnownBall, parse_ball
from calibration.balls.guide import BallGuide
from calibration.camera.board_twin import board_camera
from calibration.camera.guide import CameraGuide, GuideState
from calibration.live_guide import followed
from calibration.scale.coins import KnownMass
from calibration.track.guide import PICTURES, TrackGuide, TrackState
from hardware.cameras.camera import CameraError, Frame, NoControls
from hardware.clock import ManualClock
from hardware.rig import Rig
from hardware.twin.cameras.table_camera import EmptyTableCamera
from hardware.twin.drawing.viewpoint import twin_camera
from tests.narrowed import of_kind
from vision.markers import find_view

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


class Time:
    """A clock that waiting moves."""

    def __init__(self) -> None:
        self.clock = ManualClock(100.0)

    def wait(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now_s() + seconds)


def simulated_devices() -> SimulatedDevices:
    time = Time()
    return SimulatedDevices(time.clock, time.wait)


@pytest.fixture(scope="module")
def guided() -> tuple[CameraGuide, list[GuideState]]:
    guide = CameraGuide()
    return guide, [state for state in follow_board(simulated_devices(), guide) if isinstance(state, GuideState)]


@pytest.mark.thorough
def test_following_what_is_asked_finds_the_lens(guided: tuple[CameraGuide, list[GuideState]]) -> None:
    guide, _ = guided
    fit, truth = guide.fit(), twin_camera(1536, 864)
    assert fit.grade == "good"
    for found, true, error in zip(fit.camera.focal_px, truth.focal_px, fit.errors[:2], strict=True):
        assert abs(found - true) < max(4 * error, 2.0)
    assert fit.camera.centre_px == pytest.approx(truth.centre_px, abs=3.0)
    assert fit.camera.distortion[0] == pytest.approx(truth.distortion[0], abs=0.01)


def test_it_asks_for_each_corner_and_each_tilt_once_and_ends(guided: tuple[CameraGuide, list[GuideState]]) -> None:
    _, states = guided
    asked = [state.ask for before, state in zip([None, *states], states, strict=False) if before is None
             or before.ask != state.ask]  # fmt: skip
    for wish in ("upper_left", "upper_right", "lower_left", "lower_right", "tilt_left", "tilt_bottom"):
        assert asked.count(wish) == 1, asked
    shares = [state.share for state in states]
    assert shares == sorted(shares)
    assert shares[-1] > 0.9
    assert len(states) < 400


def test_a_board_that_is_not_moved_is_taken_once() -> None:
    time = Time()
    guide = CameraGuide()
    camera = board_camera(time.clock, time.wait)
    camera.hold((0.0, 0.0, 430.0), (0.0, 0.0))
    for _, state in zip(range(90), followed(camera, guide), strict=False):
        assert state.views <= 1
    assert len(guide.views) == 1


def test_a_board_in_motion_is_not_taken() -> None:
    time = Time()
    guide = CameraGuide()
    camera = board_camera(time.clock, time.wait)
    for number, _ in zip(range(60), followed(camera, guide), strict=False):
        if number % 12 == 0:
            camera.hold((60.0 * (-1) ** (number // 12), 0.0, 430.0), (0.0, 0.0))
    assert not guide.views


class SilentCamera(NoControls):
    def read(self, timeout_s: float) -> Frame | None:
        return None

    def still(self) -> Frame:
        raise AssertionError("nothing was seen")

    def close(self) -> None: ...


def test_a_camera_without_pictures_is_told_and_not_waited_for() -> None:
    with pytest.raises(CameraError) as lost:
        list(followed(SilentCamera(), CameraGuide()))
    assert lost.value.code == "camera_silent"


def test_the_track_waits_until_the_mat_is_off_the_marker_and_nothing_moves() -> None:
    guide = TrackGuide(Rig())
    states = [of_kind(TrackState, state) for state in follow_table(simulated_devices(), Rig(), guide)]
    assert states[0].ask == "markers"
    assert states[0].missing == (1,)
    assert states[-1].missing == ()
    assert len(guide.pictures) == PICTURES
    asks = [state.ask for state in states]
    assert asks.index("hands_off") < asks.index("hold")
    assert all(state.pictures == 0 for state in states if state.ask != "hold")


def test_the_dark_is_named() -> None:
    state = TrackGuide(Rig()).look(np.full((432, 768, 3), 6, np.uint8), 1.0)
    assert state.ask == "light"
    assert not state.wanted


def ball_on_the_pan() -> tuple[BallGuide, NDArray[np.uint8]]:
    """A guide for a ball, and a picture of the table with it on the pan."""
    time = Time()
    camera = EmptyTableCamera(time.clock, Rig(), time.wait, seed=0)
    camera.lay("orange", 30.0)
    return BallGuide(parse_ball("orange:30"), Rig(), twin_camera()), camera.still().image


def test_a_ball_is_searched_for_only_while_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    guide, image = ball_on_the_pan()
    searched: list[int] = []

    def searching(*given: Any) -> Any:
        searched.append(1)
        return find_view(*given)

    monkeypatch.setattr(ball_guide, "find_view", searching)
    guide.look(image, 0.0)
    for number in range(1, 6):
        moving = image.copy()
        moving[:, 200 * number : 200 * number + 150] = 255
        state = guide.look(moving, 0.1 * number)
        assert (state.still, state.wanted) == (0.0, False)
    assert len(searched) == 1
    assert guide.look(image, 1.0).still == 0.0, "the hand has just left"
    assert guide.look(image, 1.1).ask == "hold"
    assert guide.look(image, 2.2).wanted


def test_a_ball_that_cannot_be_measured_is_said_and_not_waited_for_in_silence() -> None:
    guide, image = ball_on_the_pan()
    dark = np.zeros_like(image)
    asks = []
    for number in range(40):
        state = guide.look(image, 0.25 * number)
        asks.append(state.ask)
        if state.wanted:
            assert not guide.keep(dark)
    assert asks[0] == "hold"
    assert asks[-1] == "centre"
    with pytest.raises(BallError) as refused:
        guide.seen()
    assert refused.value.code == "ball_not_seen"


@pytest.mark.parametrize("command", [calibrate_camera, calibrate_track], ids=["camera", "track"])
def test_ctrl_c_leaves_nothing_behind(command: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("calibration.live_guide.followed", interrupted)
    monkeypatch.setattr("appliance.guided_calibration.following.followed", interrupted)
    out = tmp_path / "out.toml"
    result = CliRunner().invoke(command, ["--twin", "--out", str(out)])  # type: ignore[arg-type]  # a click command
    assert result.exit_code == 1
    assert "as it was" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_simulated_lens_never_becomes_the_tables_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    for kind in ("camera", "track"):
        result = CliRunner().invoke(main, ["calibrate", kind, "--twin"])
        assert result.exit_code == 2
        assert "--out" in result.stderr
    assert list(tmp_path.iterdir()) == []


class Answering:
    """A person at the scale who lays down what they answer."""

    def __init__(self, *answers: KnownMass | None) -> None:
        self._answers = iter(answers)
        self.asked: list[str] = []
        self.shown: list[str] = []

    def show(self, step: GuideStep) -> None:
        self.shown.append(step.ask)

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        self.asked.append(step.ask)
        return next(self._answers)

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        raise AssertionError("nobody asked for a ball")


def test_a_mass_at_the_end_stop_is_asked_for_again_and_not_measured() -> None:
    heavy, light = KnownMass(100_000.0, 0.0, "100 kg"), KnownMass(50.0, 0.0, "50")
    person = Answering(KnownMass(0.0, 0.0, "0"), heavy, light, None)
    points = masses_on_the_pan(person, simulated_devices())
    assert [known.mass_g for known, _ in points] == [0.0, 50.0]
    ends = "calibrate.scale.end_stop"
    assert person.asked == ["calibrate.scale.empty", "calibrate.scale.next", ends, "calibrate.scale.next"]
    assert ends in person.shown


def test_an_answer_to_another_question_is_asked_for_again() -> None:
    """The empty pan comes first and once, whatever an old page has sent."""
    empty, light = KnownMass(0.0, 0.0, "0"), KnownMass(50.0, 0.0, "50")
    person = Answering(light, empty, empty, light, None)
    points = masses_on_the_pan(person, simulated_devices())
    assert [known.mass_g for known, _ in points] == [0.0, 50.0]
    begins, known = ["calibrate.scale.empty"] * 2, "calibrate.scale.empty_is_known"
    assert person.asked == [*begins, "calibrate.scale.next", known, "calibrate.scale.next"]
