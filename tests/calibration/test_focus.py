"""Focus: how sharp a picture is, and the step of the lens's calibration that makes it sharp. Truth: drawn edges."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.following import follow_board
from calibration.camera.focus_guide import TRIES, FocusGuide, FocusState
from calibration.camera.guide import CameraGuide, GuideState
from hardware.cameras.camera import CameraError, Frame, NoControls
from hardware.clock import ManualClock
from vision.linear_light import encoded
from vision.sharpness import edge_blur_px

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

Picture = NDArray[np.uint8]
FINE = 4


def squares(blur_px: float, *, contrast: float = 0.55, noise: float = 2.0, turn_deg: float = 20.0) -> Picture:
    """Return a turned chessboard, drawn four times as fine and blurred in linear light by a known lens."""
    height, width = 160, 280
    y, x = np.mgrid[0 : height * FINE, 0 : width * FINE].astype(np.float32) / FINE
    turn = np.radians(turn_deg)
    u, v = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    light = ((np.floor(u / 34) + np.floor(v / 34)) % 2 * contrast + 0.05).astype(np.float32)
    light = cv2.GaussianBlur(light, (0, 0), max(blur_px, 0.05) * FINE).astype(np.float32)
    seen = 255 * encoded(cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA))
    grainy = seen + np.random.default_rng(3).normal(0, noise, seen.shape)
    return np.asarray(cv2.cvtColor(np.clip(grainy, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


@pytest.fixture(scope="module")
def seen() -> Callable[[float], Picture]:
    drawn: dict[float, Picture] = {}

    def picture(blur_px: float) -> Picture:
        key = round(blur_px, 1)
        return drawn.setdefault(key, squares(key))

    return picture


@pytest.mark.parametrize("blur_px", [0.5, 0.7, 1.0, 1.5])
@pytest.mark.parametrize("turn_deg", [5.0, 45.0])
def test_the_blur_of_edges_is_measured(blur_px: float, turn_deg: float) -> None:
    assert edge_blur_px(squares(blur_px, turn_deg=turn_deg)) == pytest.approx(blur_px, rel=0.12)


def test_a_dimmer_picture_is_not_called_blurred() -> None:
    dim = edge_blur_px(squares(0.7, contrast=0.2))
    assert dim is not None
    assert 0.5 < dim < 0.85


def test_where_there_are_no_edges_nothing_is_measured() -> None:
    noise = np.random.default_rng(1).normal(90, 4, (160, 280, 3)).clip(0, 255).astype(np.uint8)
    assert edge_blur_px(noise) is None
    assert edge_blur_px(squares(25.0)) is None
    assert edge_blur_px(np.zeros((8, 8, 3), dtype=np.uint8)) is None


def followed(guide: FocusGuide, blurs_px: list[float], seen: Callable[[float], Picture]) -> list[FocusState]:
    """Let the guide look at ten frames a second until it is done."""
    states = []
    for k, blur_px in enumerate(blurs_px):
        states.append(guide.look(seen(blur_px), k / 10))
        if guide.done:
            break
    return states


def test_a_lens_that_is_turned_by_hand_is_done_when_its_best_place_was_passed_and_found_again(
    seen: Callable[[float], Picture],
) -> None:
    guide = FocusGuide(motor=False)
    away = [3.0, 2.5, 2.0, 1.7, 1.4, 1.2, 1.2, 1.4, 1.7, 2.0]  # a lens that is never quite sharp
    back = [1.7, 1.4, *[1.2] * 20]
    states = followed(guide, away + back, seen)
    assert guide.done
    assert len(states) > len(away) + 15, "held there for a second and a half"
    assert [state.ask for state in states[:8]] == ["turn"] * 8
    assert states[-1].ask == "hold"
    bar = [state.sharpness for state in states[:6]]
    assert bar == sorted(bar)
    assert bar[-1] > 1.8 * bar[0]


def test_a_lens_that_is_sharp_already_needs_no_hand(seen: Callable[[float], Picture]) -> None:
    guide = FocusGuide(motor=False)
    assert len(followed(guide, [0.5] * 40, seen)) < 20
    assert guide.done


def test_a_blurred_lens_that_nobody_turns_is_not_done(seen: Callable[[float], Picture]) -> None:
    guide = FocusGuide(motor=False)
    followed(guide, [1.6] * 40, seen)
    assert not guide.done


class Motor(NoControls):
    """A camera whose motor finds a sharp place at the given try, a second after each is asked for."""

    def __init__(self, seen: Callable[[float], Picture], sharp_at_try: int) -> None:
        self._seen, self._sharp_at_try = seen, sharp_at_try
        self.tries = 0
        self.t_s = self._asked_s = 0.0
        self.lens_position: float | None = None

    def refocus(self) -> bool:
        self.tries, self.lens_position, self._asked_s = self.tries + 1, None, self.t_s
        return True

    def read(self, timeout_s: float) -> Frame | None:
        self.t_s += 0.25
        if self.t_s - self._asked_s >= 1.0:
            self.lens_position = float(self.tries)
        if self.t_s > 60:
            raise CameraError("camera_lost", "It never ended.")
        sharp = self.lens_position is not None and self.tries >= self._sharp_at_try
        return Frame(self.t_s, self._seen(0.5 if sharp else 1.8), round(self.t_s * 4))

    def still(self) -> Frame:
        raise CameraError("camera_lost", "No board was shown.")

    def close(self) -> None: ...


@pytest.mark.parametrize(("sharp_at_try", "tries"), [(1, 1), (2, 2), (99, TRIES)])
def test_a_motor_focuses_again_where_the_first_time_is_not_sharp_and_ends(
    sharp_at_try: int, tries: int, seen: Callable[[float], Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = Motor(seen, sharp_at_try)
    devices = SimulatedDevices(ManualClock(0.0), lambda seconds: None)
    monkeypatch.setattr(devices, "board_camera", lambda: camera)
    guide = CameraGuide()
    asks = []
    for state in follow_board(devices, guide):
        if isinstance(state, GuideState):
            break
        assert isinstance(state, FocusState), state
        asks.append(state.ask)
    assert set(asks) == {"wait", "hold"}
    assert camera.tries == tries
    assert guide.lens_position == tries
