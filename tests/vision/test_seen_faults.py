"""What is told of a camera that cannot see: a spoilt picture, covered markers, a camera that was moved."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from appliance.games.protocol import Area
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.cameras.camera_model import CameraView, Pose
from hardware.readings import (
    DeviceHealth,
    PassageSeen,
)
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from tests.vision.staged import LANE_X, Ball, Frame, Stage, way_down
from tests.vision.watched import RIG, STAGED_CAMERA, Simulated, Staged, codes, shot
from vision.markers import LEAST_WIDTH_PX

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("camera_covered", lambda frame: np.full_like(frame, 30)),
        ("camera_dark", lambda frame: (frame * 0.12).astype(np.uint8)),
        ("camera_frozen", None),
    ],
)
def test_a_spoilt_picture_is_told_once_and_so_is_its_end(code: str, spoil: Callable[[Frame], Frame] | None) -> None:
    table = Staged("track")
    assert codes(table.for_s(1.0, table.stage.draw)) == ["camera_ok"]
    frozen = table.stage.draw()
    rng = np.random.default_rng(1)

    def bad() -> Frame:
        if spoil is None:
            return frozen.copy()
        noisy = spoil(table.stage.draw()) + rng.integers(-2, 3, frozen.shape)
        return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)

    assert codes(table.for_s(3.0, bad)) == [code]
    assert table.senses.live_picture(shot(table.t_s, bad())) is None
    assert codes(table.for_s(2.0, table.stage.draw)) == ["camera_ok"]


def without_markers(frame: Frame) -> Frame:
    for x, y in ((77, 373), (627, 382), (144, 65), (580, 72)):
        cv2.rectangle(frame, (x - 32, y - 32), (x + 32, y + 32), (60, 70, 90), -1)
    return frame


def test_covered_markers_are_told_after_a_while_but_a_passing_hand_is_not() -> None:
    table = Staged("track")
    table.for_s(1.0, table.stage.draw)

    def covered() -> Frame:
        frame = table.stage.draw()
        frame[:, :180] = frame[:, 520:] = 60
        frame[300:, 500:] = 60
        return frame

    assert codes(table.for_s(0.8, covered) + table.for_s(1.0, table.stage.draw)) == []
    assert codes(table.for_s(5.0, lambda: without_markers(table.stage.draw()))) == ["markers_lost"]
    assert codes(table.for_s(2.0, table.stage.draw)) == ["camera_ok"]


@pytest.mark.parametrize("watched_s", [1.0, 1.2, 1.4])
def test_a_hand_that_passes_after_the_lens_was_covered_is_not_told(watched_s: float) -> None:
    table = Staged("track")
    table.for_s(watched_s, table.stage.draw)
    noise = np.random.default_rng(1)

    def covered() -> Frame:
        return (30 + noise.integers(-2, 3, table.stage.draw().shape)).astype(np.uint8)

    assert codes(table.for_s(3.0, covered)) == ["camera_covered"]
    passing = table.for_s(0.8, lambda: without_markers(table.stage.draw()))
    assert codes(passing + table.for_s(2.0, table.stage.draw)) == ["camera_ok"]


def test_a_camera_that_was_moved_finds_its_place_again_and_judges_on() -> None:
    table = Staged("track")
    table.for_s(1.0, table.stage.draw)
    shift = (9.0, -6.0)

    def elsewhere(*balls: Ball) -> Frame:
        return table.stage.draw(*balls, shift=shift)

    assert codes(table.for_s(3.0, elsewhere)) == ["camera_moved", "camera_ok"]
    ys, _ = way_down(table.fps)
    frames = [elsewhere(Ball(LANE_X[3], y, 14.0, "pink")) for y in [ys[0]] * 8 + ys] + [elsewhere()] * 8
    readings = [reading for frame in frames for reading in table.show(frame)]
    assert [(r.outcome, r.lane) for r in readings if isinstance(r, PassageSeen)] == [("passed", 3)]


def test_a_picture_that_is_too_small_is_told_with_the_width_that_is_enough() -> None:
    senses = CameraPipeline(RIG, STAGED_CAMERA)
    small = np.asarray(cv2.resize(Stage().draw(), (192, 108), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    readings = [reading for second in range(3) for reading in senses.feed(shot(float(second), small))]
    assert codes(readings) == ["picture_too_small"]
    for language in LANGUAGES:
        assert f"{LEAST_WIDTH_PX} px" in words_for(language).say("health.picture_too_small")


def test_a_picture_without_a_table_is_no_table() -> None:
    senses = CameraPipeline(RIG, STAGED_CAMERA)
    rng = np.random.default_rng(5)
    wall = cv2.resize(rng.integers(60, 200, (27, 48, 3), dtype=np.uint8), (768, 432), interpolation=cv2.INTER_CUBIC)
    readings = [
        reading
        for n in range(60)
        for reading in senses.feed(
            shot(n / 15, np.clip(wall + rng.integers(0, 4, wall.shape), 0, 255).astype(np.uint8))
        )
    ]
    assert codes(readings) == ["markers_lost"]
    assert len(readings) == 1


@pytest.mark.slow
def test_each_fault_of_the_picture_is_told_within_two_seconds_at_every_rate_of_frames() -> None:
    """Truth: when the picture was spoilt. Two frames a second, the slowest, is the rate between games."""
    true = twin_view()
    rng = np.random.default_rng(2)
    x, y, z = true.pose.rvec
    turned = CameraView(true.camera, Pose((x, y + 0.012, z + 0.006), true.pose.tvec))
    here, there = (Renderer(RIG, view, seed=3).picture(Scene(0.0)) for view in (true, turned))
    dark, covered = (
        Renderer(RIG, true, seed=3).picture(scene) for scene in (Scene(0.0, light=0.015), Scene(0.0, covered=True))
    )

    noises = [rng.integers(-2, 3, here.shape, np.int16) for _ in range(8)]

    def noisy(frame: Frame) -> Frame:
        noise = np.roll(noises[rng.integers(8)], int(rng.integers(here.shape[0])), axis=0)  # no two frames are alike
        return np.asarray(np.clip(frame + noise, 0, 255).astype(np.uint8))

    greasy, far_off = (
        np.asarray(cv2.GaussianBlur(here, (0, 0), spread_px), dtype=np.uint8) for spread_px in (2.0, 4.0)
    )
    aside = np.roll(here, 300, axis=1)

    spoilt: dict[str, tuple[str, Callable[[], Frame]]] = {
        "frozen": ("camera_frozen", lambda: here),
        "covered": ("camera_covered", lambda: noisy(covered)),
        "dark": ("camera_dark", lambda: noisy(dark)),
        "greasy": ("camera_blurred", lambda: noisy(greasy)),
        "far out of focus": ("camera_blurred", lambda: noisy(far_off)),
        "nudged": ("camera_moved", lambda: noisy(there)),
        "turned away": ("markers_lost", lambda: noisy(aside)),
    }
    watched: tuple[tuple[Area, ...], ...] = ((), ("tray", "boss", "pan"), ("track",))
    for areas in watched:
        for name, (code, picture) in spoilt.items():
            for late in (0.05, 0.95) if areas != ("track",) else (0.05,):
                senses = CameraPipeline(RIG, twin_camera())
                senses.attend(areas)
                step_s = 1 / (senses.wanted_fps or 28.0)
                stamps = [10.0 + k * step_s for k in range(round(4.5 / step_s))]
                broke_s = 12.0 + late * step_s
                told = [
                    (reading.t_s - broke_s, reading.code)
                    for t_s in stamps
                    for reading in senses.feed(shot(t_s, noisy(here) if t_s < broke_s else picture()))
                    if isinstance(reading, DeviceHealth) and t_s >= broke_s
                ]
                assert told, (areas, name)
                assert told[0][1] == code, (areas, name, told)
                assert told[0][0] <= 2.0, (areas, name, told)


def test_a_marker_that_something_covers_is_told_while_the_camera_goes_on_seeing() -> None:
    table = Simulated(seed=1, fps=4.0)
    table.for_s(1.5)
    table.world.faults.switch("marker hidden", True)
    covered = table.health_for_s(2.0)
    assert [(said.status, said.codes) for said in covered] == [("ok", ("camera_ok", "camera_marker_hidden"))]
    table.world.faults.switch("marker hidden", False)
    assert [said.codes for said in table.health_for_s(1.0)] == [("camera_ok",)]


def test_a_marker_that_is_covered_from_the_start_is_told_and_found_once_it_is_free() -> None:
    table = Simulated(seed=1, fps=4.0)
    table.world.faults.switch("marker hidden", True)
    assert [said.codes for said in table.health_for_s(2.5)][-1] == ("camera_ok", "camera_marker_hidden")
    table.world.faults.switch("marker hidden", False)
    assert [said.codes for said in table.health_for_s(2.0)] == [("camera_ok",)]
