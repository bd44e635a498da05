"""Frames → readings: what a game would be told, on staged frames and on the simulated table's own truth."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import msgspec
import numpy as np
import pytest

from appliance.sensing.camera_pipeline import IDLE_FPS, CameraPipeline
from appliance.words import LANGUAGES, words
from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.readings import (
    BossSeen,
    DeviceHealth,
    DieSettled,
    GemsSettled,
    PassageSeen,
    Reading,
    RollPlace,
    SphereOnPan,
    SphereOnTrack,
    TrayCleared,
)
from hardware.rig import Rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from hardware.twin.world.world import World
from tests.vision.staged import CAMERA, LANE_X, Ball, Frame, Stage, way_down
from vision.markers import LEAST_WIDTH_PX

pytestmark = pytest.mark.slow

RIG = Rig()
STAGED_CAMERA = CameraModel(
    width_px=768,
    height_px=432,
    focal_px=tuple(CAMERA["focal_px"]),
    centre_px=tuple(CAMERA["centre_px"]),
    distortion=tuple(CAMERA["distortion"]),
)


class Shot(msgspec.Struct, frozen=True):
    t_s: float
    image: Frame


class Staged:
    """Senses over staged frames, with a clock that only the frames move."""

    def __init__(self, *areas: str, fps: float = 30.0) -> None:
        self.stage = Stage()
        self.senses = CameraPipeline(RIG, STAGED_CAMERA)
        self.senses.attend(areas)  # type: ignore[arg-type]
        self.fps, self.t_s = fps, 100.0

    def show(self, image: Frame) -> list[Reading]:
        self.t_s += 1 / self.fps
        return self.senses.feed(Shot(self.t_s, image))

    def for_s(self, seconds: float, draw: Callable[[], Frame]) -> list[Reading]:
        return [reading for _ in range(round(seconds * self.fps)) for reading in self.show(draw())]

    def roll(self, lane: int) -> list[Reading]:
        ys, _ = way_down(self.fps)
        balls = [Ball(LANE_X[lane], y, 10.0, "orange") for y in [ys[0]] * 8 + ys]
        out = [reading for ball in balls for reading in self.show(self.stage.draw(ball))]
        return out + self.for_s(0.3, self.stage.draw)


class Simulated:
    """Senses over the simulated table; `truth` is what its world says happened."""

    def __init__(self, *areas: str, seed: int = 3, fps: float = 12.0) -> None:
        self.world = World(RIG, colours=("yellow", "green", "orange", "pink"), seed=seed)
        self._renderer = Renderer(RIG, twin_view(), seed=seed)
        self.senses = CameraPipeline(RIG, twin_camera())
        self.senses.attend(areas)  # type: ignore[arg-type]
        self.fps, self.t_s = fps, 0.0
        self.nudged_px = 0

    def for_s(self, seconds: float) -> list[Reading]:
        return [reading for reading in self._for_s(seconds) if not isinstance(reading, DeviceHealth)]

    def health_for_s(self, seconds: float) -> list[DeviceHealth]:
        return [reading for reading in self._for_s(seconds) if isinstance(reading, DeviceHealth)]

    def _for_s(self, seconds: float) -> list[Reading]:
        out: list[Reading] = []
        for _ in range(round(seconds * self.fps)):
            self.t_s += 1 / self.fps
            self.world.advance_to(self.t_s)
            picture = np.roll(self._renderer.picture(self.world.scene()), self.nudged_px, axis=1)
            out += self.senses.feed(Shot(self.t_s, picture))
        return out

    def after(self, deed: object) -> list[Reading]:
        out: list[Reading] = []
        while not deed.done:  # type: ignore[attr-defined]
            out += self.for_s(0.25)
        return out + self.for_s(1.5)


def codes(readings: list[Reading]) -> list[str]:
    return [reading.code for reading in readings if isinstance(reading, DeviceHealth)]


def test_a_roll_is_told_when_it_starts_and_when_it_ends() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    started, ended = (reading for reading in table.roll(5) if not isinstance(reading, RollPlace))
    assert isinstance(started, SphereOnTrack)
    assert (started.lane, started.colour) == (5, "orange")
    assert isinstance(ended, PassageSeen)
    assert (ended.outcome, ended.lane, ended.colour) == ("passed", 5, "orange")
    assert ended.crossed_s is not None
    assert started.t_s < ended.crossed_s < ended.t_s


def test_what_is_not_attended_is_not_looked_at() -> None:
    table = Staged("tray", "boss", "pan")
    readings = table.for_s(0.5, table.stage.draw) + table.roll(5)
    assert not [reading for reading in readings if isinstance(reading, SphereOnTrack | PassageSeen)]
    idle = Simulated()
    idle.for_s(0.5)
    assert idle.after(idle.world.throw_die(3)) == []
    idle.world.sculpt(0, 28.0, ("sour",))
    assert idle.after(idle.world.put_on_pan(0)) == []


def test_the_camera_is_asked_for_no_more_frames_than_the_game_needs() -> None:
    senses = CameraPipeline(RIG, STAGED_CAMERA)
    assert senses.wanted_fps == IDLE_FPS
    senses.attend({"tray", "boss"})
    assert senses.wanted_fps is not None
    assert 5 <= senses.wanted_fps <= 10
    senses.attend({"track"})
    assert senses.wanted_fps is None


def test_every_throw_is_told_once_even_with_the_same_face_up() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    told: list[int | None] = []
    for face in (3, 3, 6, 6, 1):
        told += [r.value for r in table.after(table.world.throw_die(face)) if isinstance(r, DieSettled)]
    assert told == [3, 3, 6, 6, 1]
    assert [type(reading) for reading in table.after(table.world.clear_tray())] == [TrayCleared]


def test_a_die_that_lay_there_before_anybody_looked_was_not_thrown() -> None:
    table = Simulated("tray")
    deed = table.world.throw_die(4)
    table.world.advance_to(3.0)
    table.t_s = 3.0
    assert deed.done
    assert table.for_s(3.0) == []


@pytest.mark.parametrize("before_s", [0.2, 0.5, 0.8, 1.0])
def test_a_throw_that_is_on_its_way_when_the_tray_is_first_looked_at_is_told(before_s: float) -> None:
    """The hand holds the die, lets it go, or is away and the die still tumbles."""
    table = Simulated("tray")
    deed = table.world.throw_die(4)
    table.world.advance_to(before_s)
    table.t_s = before_s
    assert not deed.done
    assert [r.value for r in table.after(deed) if isinstance(r, DieSettled)] == [4]


def test_a_hand_over_a_die_that_lay_there_at_the_first_look_is_no_throw() -> None:
    table = Simulated("tray")
    table.world.throw_die(4)
    table.world.advance_to(3.0)
    table.t_s = 3.0
    table.for_s(0.2)
    table.world._reach((0.2, (205.0, -45.0, 60.0)), (0.4, (205.0, -45.0, 60.0)))
    assert table.for_s(4.0) == []


@pytest.mark.parametrize("thrown_for_s", [0.3, 0.6, 0.9, 1.2])
def test_a_throw_during_which_the_camera_is_nudged_is_told(thrown_for_s: float) -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    deed = table.world.throw_die(5)
    readings = table.for_s(thrown_for_s)
    table.nudged_px = 3
    readings += table.after(deed) + table.for_s(1.0)
    assert [r.value for r in readings if isinstance(r, DieSettled)] == [5]


def test_a_die_that_lies_is_not_told_again_when_the_camera_has_found_its_place_anew() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.after(table.world.throw_die(5))
    table.senses.attend(())
    table.nudged_px = 3
    assert [said.code for said in table.health_for_s(3.0)] == ["camera_moved", "camera_ok"]
    table.senses.attend({"tray"})
    assert table.for_s(3.0) == []
    assert [r.value for r in table.after(table.world.throw_die(5)) if isinstance(r, DieSettled)] == [5]


def test_a_hand_over_a_lying_die_is_no_throw() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.after(table.world.throw_die(5))
    table.world._reach((0.4, (205.0, -45.0, 60.0)), (0.9, (205.0, -45.0, 60.0)))
    assert table.for_s(3.0) == []


def test_a_die_is_read_though_the_track_was_left_in_the_middle_of_a_roll() -> None:
    """People tapped the verdict while the sphere still rolled: the next throw counts all the same."""
    table = Simulated("track", "tray", fps=30.0)
    table.world.sculpt(0, 30.0, ("sweet",))
    table.for_s(1.0)
    table.world.start_roll(0, 7)
    while not any(isinstance(reading, SphereOnTrack) for reading in table.for_s(0.1)):
        assert table.t_s < 10.0
    table.senses.attend({"tray"})
    assert [r.value for r in table.after(table.world.throw_die(2)) if isinstance(r, DieSettled)] == [2]


def test_an_opened_sphere_shows_its_pieces() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.world.sculpt(1, 30.0, ("sour", "bomb"))
    [gems] = table.after(table.world.open_sphere(1))
    assert isinstance(gems, GemsSettled)
    assert (gems.pieces, gems.clear) == (("bomb", "sour"), True)


def test_the_boss_is_told_when_he_stands_elsewhere_and_only_then() -> None:
    table = Simulated("boss")
    first = table.for_s(2.0)
    assert [r.lane for r in first if isinstance(r, BossSeen)] == [4]
    moved = table.after(table.world.place_boss(7))
    assert [r.lane for r in moved if isinstance(r, BossSeen)] == [7]
    assert table.for_s(3.0) == []


def test_each_sphere_laid_on_the_pan_is_told_with_its_colour() -> None:
    table = Simulated("pan")
    table.for_s(1.0)
    seen: list[Reading] = []
    for seat, diameter in ((0, 26.0), (3, 33.0)):
        table.world.sculpt(seat, diameter, ("sweet",))
        seen += table.after(table.world.put_on_pan(seat))
        seen += table.after(table.world.lift_from_pan())
    assert [r.colour for r in seen if isinstance(r, SphereOnPan)] == ["yellow", "pink"]
    assert len(seen) == 2


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
        return np.clip(spoil(table.stage.draw()) + rng.integers(-2, 3, frozen.shape), 0, 255).astype(np.uint8)

    assert codes(table.for_s(3.0, bad)) == [code]
    assert table.senses.live_picture(Shot(table.t_s, bad())) is None
    assert codes(table.for_s(2.0, table.stage.draw)) == ["camera_ok"]


def test_covered_markers_are_told_after_a_while_but_a_passing_hand_is_not() -> None:
    table = Staged("track")
    table.for_s(1.0, table.stage.draw)

    def covered() -> Frame:
        frame = table.stage.draw()
        frame[:, :180] = frame[:, 520:] = 60
        frame[300:, 500:] = 60
        return frame

    def blank() -> Frame:
        frame = table.stage.draw()
        for x, y in ((77, 373), (627, 382), (144, 65), (580, 72)):
            cv2.rectangle(frame, (x - 32, y - 32), (x + 32, y + 32), (60, 70, 90), -1)
        return frame

    assert codes(table.for_s(0.8, covered) + table.for_s(1.0, table.stage.draw)) == []
    assert codes(table.for_s(5.0, blank)) == ["markers_lost"]
    assert codes(table.for_s(2.0, table.stage.draw)) == ["camera_ok"]


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
    small = cv2.resize(Stage().draw(), (192, 108), interpolation=cv2.INTER_AREA)
    readings = [reading for second in range(3) for reading in senses.feed(Shot(float(second), small))]
    assert codes(readings) == ["picture_too_small"]
    for language in LANGUAGES:
        assert f"{LEAST_WIDTH_PX} px" in words(language).say("health.picture_too_small")


def test_a_picture_without_a_table_is_no_table() -> None:
    senses = CameraPipeline(RIG, STAGED_CAMERA)
    rng = np.random.default_rng(5)
    wall = cv2.resize(rng.integers(60, 200, (27, 48, 3), dtype=np.uint8), (768, 432), interpolation=cv2.INTER_CUBIC)
    readings = [
        reading
        for n in range(60)
        for reading in senses.feed(
            Shot(n / 15, np.clip(wall + rng.integers(0, 4, wall.shape), 0, 255).astype(np.uint8))
        )
    ]
    assert codes(readings) == ["markers_lost"]
    assert len(readings) == 1


def test_the_live_picture_shows_the_track_and_never_the_pan_or_the_tray() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    loud = table.stage.draw(Ball(0.0, 100.0, 14.0, "pink"))
    plain = loud.copy()
    for x, y, reach in ((546, 235, 36), (552, 365, 45)):  # the pan and the tray, by eye
        loud[y - reach : y + reach, x - reach : x + reach] = (0, 0, 255)
    one = table.senses.live_picture(Shot(table.t_s, plain))
    other = table.senses.live_picture(Shot(table.t_s, loud))
    assert one is not None
    assert one == other
    shown = cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape[1] <= 640
    pink = (shown[..., 2] > 170) & (shown[..., 1] < 120) & (shown[..., 0] > 100)
    assert pink.sum() > 150


def test_no_live_picture_outside_the_test_phase() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    shot = Shot(table.t_s, table.stage.draw())
    assert table.senses.live_picture(shot) is not None
    table.senses.attend({"pan", "tray"})
    assert table.senses.live_picture(shot) is None


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

    greasy, far_off = (cv2.GaussianBlur(here, (0, 0), spread_px) for spread_px in (2.0, 4.0))
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
    for areas in ((), ("tray", "boss", "pan"), ("track",)):
        for name, (code, picture) in spoilt.items():
            for late in (0.05, 0.95) if areas != ("track",) else (0.05,):
                senses = CameraPipeline(RIG, twin_camera())
                senses.attend(areas)  # type: ignore[arg-type]
                step_s = 1 / (senses.wanted_fps or 28.0)
                stamps = [10.0 + k * step_s for k in range(round(4.5 / step_s))]
                broke_s = 12.0 + late * step_s
                told = [
                    (reading.t_s - broke_s, reading.code)
                    for t_s in stamps
                    for reading in senses.feed(Shot(t_s, noisy(here) if t_s < broke_s else picture()))
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
