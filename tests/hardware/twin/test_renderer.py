"""The picture against geometry that does not come from the renderer: cv2.projectPoints, cones of sight, counting."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.readings import Piece, PuttyColour
from hardware.rig import Rig
from hardware.twin.drawing import empty_table
from hardware.twin.drawing.empty_table import EmptyTable, cast
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.sprites import Sprites
from hardware.twin.drawing.viewpoint import AIM_MM, CAMERA_MM, WIDE_DEG, twin_view
from hardware.twin.faults import Faults
from hardware.twin.world.scene import BossFigure, DiePose, Reach, Scene, Stone, VisibleSphere
from hardware.twin.world.world import World
from tests.narrowed import there
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow

Reals = NDArray[np.float64]

RIG = Rig()
VIEW = twin_view()
EMPTY = Scene(0.0)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(RIG, VIEW)


@pytest.fixture(scope="module")
def stills() -> Renderer:
    return Renderer(RIG, twin_view(2304, 1296))


@pytest.fixture(scope="module")
def sprites() -> Sprites:
    return Sprites(RIG, VIEW, cast(RIG, VIEW))


def project(points_mm: Sequence[Sequence[float]] | Reals) -> Reals:
    pixels, _ = cv2.projectPoints(
        np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3),
        np.array(VIEW.pose.rvec),
        np.array(VIEW.pose.tvec),
        VIEW.camera.K,
        VIEW.camera.dist,
    )
    return np.asarray(pixels, np.float64).reshape(-1, 2)


def averaged(renderer: Renderer, scene: Scene, count: int = 12) -> Reals:
    return np.asarray(np.mean([renderer.picture(scene).astype(np.float64) for _ in range(count)], axis=0))


def test_a_view_that_was_cast_before_waits_for_no_other_view(monkeypatch: pytest.MonkeyPatch) -> None:
    known, begun, goes_on, ended = cast(RIG, VIEW), threading.Event(), threading.Event(), list[bool]()

    def slowly(rig: Rig, view: CameraView, given_up: object) -> EmptyTable:
        begun.set()
        ended.append(goes_on.wait(GIVEN_UP_S))
        return known

    monkeypatch.setattr(empty_table, "_cast", slowly)
    other = threading.Thread(target=cast, args=(RIG, twin_view(64, 36)), daemon=True)
    other.start()
    assert begun.wait(GIVEN_UP_S)
    assert cast(RIG, VIEW) is known
    assert not ended
    goes_on.set()
    other.join(GIVEN_UP_S)
    empty_table._once.cache_clear()  # one of its tables has another's size


def test_the_camera_stands_and_looks_where_the_rig_says() -> None:
    assert VIEW.pose.camera_position_mm == pytest.approx(CAMERA_MM)
    assert project([AIM_MM])[0] == pytest.approx(VIEW.camera.centre_px, abs=1e-6)
    straight = VIEW.camera.width_px / 2 / VIEW.camera.focal_px[0]
    assert 2 * math.degrees(math.atan(straight)) == pytest.approx(WIDE_DEG)


def test_markers_lie_where_they_project(stills: Renderer) -> None:
    """Found in a still of three times the frame's size, in pixels of the frame."""
    still = stills.picture(EMPTY)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.3
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
    corners, ids, _ = detector.detectMarkers(still)
    found = {int(one): (corner.reshape(4, 2) + 0.5) / 3 - 0.5 for one, corner in zip(ids.ravel(), corners, strict=True)}
    assert sorted(found) == [marker.id for marker in RIG.markers]
    half = RIG.marker_side_mm / 2
    for marker in RIG.markers:
        square = [(-half, half), (half, half), (half, -half), (-half, -half)]
        expected = project([(marker.x_mm + dx, marker.y_mm + dy, marker.z_mm) for dx, dy in square])
        middle = found[marker.id].mean(axis=0) - expected.mean(axis=0)
        assert np.abs(middle).max() < 0.1
        assert np.abs(found[marker.id] - expected).max() < 0.3


def turned(centre: Sequence[float], radius: float, across: Sequence[float], along: Sequence[float]) -> Reals:
    """Points on a circle in table coordinates, and where they are on the frame."""
    turns = np.linspace(0, 2 * math.pi, 360, endpoint=False)[:, None]
    points = np.array(centre) + radius * (np.cos(turns) * np.array(across) + np.sin(turns) * np.array(along))
    return project(points)


def test_every_printed_circle_is_as_wide_as_its_hole(stills: Renderer) -> None:
    """The outer edge of its line, half-way from ink to paper, on a still of three times the frame's size."""
    still = averaged(stills, EMPTY, 4).mean(axis=2).astype(np.float32)
    for lane in RIG.lanes:
        middle = (lane.x_mm, (RIG.ramp_top[0] + RIG.platform_end_y_mm) / 2, RIG.ramp_top[1])
        radii_mm = np.arange(lane.hole_mm / 2 - 2.5, 19.9, 0.05)
        rings = [turned(middle, radius_mm, (1, 0, 0), (0, 1, 0)) for radius_mm in radii_mm]
        at = ((np.array(rings) + 0.5) * 3 - 0.5).astype(np.float32)
        seen = cv2.remap(still, at[..., 0], at[..., 1], cv2.INTER_LINEAR).mean(axis=1)
        darkest = int(seen.argmin())
        inside, outside = seen[:8].mean(), seen[-8:].mean()
        paper = inside if lane.hole_mm > 38 else outside  # the widest circle fills its place up to the edge
        outer = darkest + int(np.argmax(seen[darkest:] > (seen[darkest] + paper) / 2))
        assert 2 * radii_mm[outer] == pytest.approx(lane.hole_mm, abs=0.3), lane


def test_every_hole_is_as_wide_as_the_rig_says() -> None:
    open_share = 1 - cast(RIG, twin_view(1536, 864)).fence
    for lane in RIG.lanes:
        middle = (lane.x_mm, RIG.fence_y_mm - RIG.fence_thickness_mm / 2, RIG.ramp_foot[1] + lane.hole_mm / 2)
        rim, wider = (
            (turned(middle, lane.hole_mm / 2 + more_mm, (1, 0, 0), (0, 0, 1)) + 0.5) * 2 - 0.5 for more_mm in (0, 1)
        )
        area = 0.5 * abs(np.dot(rim[:, 0], np.roll(rim[:, 1], 1)) - np.dot(rim[:, 1], np.roll(rim[:, 0], 1)))
        around = np.zeros(open_share.shape, np.uint8)
        cv2.fillPoly(around, [wider.round().astype(np.int32)], 1)
        assert open_share[around > 0].sum() == pytest.approx(area, rel=0.015), lane


def ball(
    colour: PuttyColour = "orange",
    diameter_mm: float = 30.0,
    at: tuple[float, float] = (205.0, 60.0),
    floor_mm: float = 25.0,
    velocity_mm_s: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> VisibleSphere:
    centre = (at[0], at[1], floor_mm + diameter_mm / 2)
    return VisibleSphere(("one", centre), colour, centre, np.eye(3) * diameter_mm / 2, velocity_mm_s)


def cover(sprites: Sprites, one: VisibleSphere) -> Reals:
    """The share of each pixel that the ball covers, from its own cover mask."""
    patch = there(sprites.ball(one))
    full = np.zeros((VIEW.camera.height_px, VIEW.camera.width_px))
    full[patch.box] = patch.cover[..., 0]
    return full


@pytest.mark.parametrize("at", [(205.0, 60.0), (-120.0, -60.0), (0.0, -60.0)])
@pytest.mark.parametrize("diameter_mm", [16.0, 30.0, 42.0])
def test_a_sphere_covers_the_cone_that_sees_it(sprites: Sprites, at: tuple[float, float], diameter_mm: float) -> None:
    floor_mm = 25.0 if at[0] > 200 else 1.0
    one = ball(diameter_mm=diameter_mm, at=at, floor_mm=floor_mm)
    seen = cover(sprites, one)
    centre, eye, radius = np.array(one.centre_mm), np.array(CAMERA_MM), diameter_mm / 2
    towards = centre - eye
    distance = np.linalg.norm(towards)
    axis = towards / distance
    side = np.cross(axis, [0, 0, 1.0])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    tangent = math.sqrt(distance**2 - radius**2)
    ring_centre, ring_radius = eye + axis * tangent**2 / distance, radius * tangent / distance
    turns = np.linspace(0, 2 * math.pi, 720, endpoint=False)
    rim = project(ring_centre + ring_radius * (np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * other))
    area = 0.5 * abs(np.dot(rim[:, 0], np.roll(rim[:, 1], 1)) - np.dot(rim[:, 1], np.roll(rim[:, 0], 1)))
    assert (rim > 2).all(), "the whole sphere is in the picture"
    assert (rim < [765, 429]).all(), "the whole sphere is in the picture"
    assert seen.sum() == pytest.approx(area, rel=0.004)
    y, x = np.mgrid[0:432, 0:768]
    middle = np.array([(x * seen).sum(), (y * seen).sum()]) / seen.sum()
    moments = cv2.moments(rim.astype(np.float32).reshape(-1, 1, 2))
    expected = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
    assert np.abs(middle - expected).max() < 0.05


def test_the_fence_hides_what_is_behind_it_and_not_what_is_before_it(sprites: Sprites) -> None:
    behind = ball(at=(-100.0, 8.0), diameter_mm=20.0, floor_mm=9.0)
    before = ball(at=(-100.0, -16.0), diameter_mm=20.0, floor_mm=1.0)
    open_air = ball(at=(-100.0, -60.0), diameter_mm=20.0, floor_mm=1.0)
    assert cover(sprites, before).sum() > 0.9 * cover(sprites, open_air).sum()
    assert cover(sprites, behind).sum() < 0.75 * cover(sprites, open_air).sum()


def test_wedged_spheres_show_as_much_of_themselves_as_in_the_path_traced_clips() -> None:
    data = os.environ.get("SMUGGLERS_DATA")
    if not data:
        pytest.skip("SMUGGLERS_DATA does not name the folder of path-traced pictures")
    checked = 0
    for session in sorted((Path(data) / "table").glob("s*")):
        camera = json.loads((session / "session.json").read_text())["camera"]
        K = camera["modes"]["768x432"]["K"]
        model = CameraModel(
            width_px=768,
            height_px=432,
            focal_px=(K[0][0], K[1][1]),
            centre_px=(K[0][2], K[1][2]),
            distortion=tuple(camera["dist"]),
        )
        view = CameraView(model, Pose(tuple(camera["rvec"]), tuple(camera["tvec"])))
        here = Sprites(RIG, view, cast(RIG, view))
        for path in sorted((session / "clips").glob("*.json")):
            clip = json.loads(path.read_text())
            last = clip["frames"][-1]
            if last["label"] != "wedged":
                continue
            form = np.eye(3) * clip["sphere"]["mean_diameter"] / 2
            one = VisibleSphere("wedged", "orange", tuple(last["xyz"]), form)
            seen = there(here.ball(one)).cover.sum()
            # Seen without the fence it would be as large as the cone says; take it from far enough before the fence.
            lifted = VisibleSphere("free", "orange", (last["xyz"][0], last["xyz"][1] - 40.0, last["xyz"][2]), form)
            whole = there(here.ball(lifted)).cover.sum()
            assert seen / whole == pytest.approx(last["visible_fraction"], abs=0.05)
            checked += 1
    assert checked >= 5


@pytest.mark.parametrize("colour", ["yellow", "green", "orange", "pink"])
def test_putty_shows_its_colour(renderer: Renderer, colour: PuttyColour) -> None:
    picture = averaged(renderer, Scene(0.0, balls=(ball(colour),)), 2)
    x, y = (round(float(v)) for v in project([ball().centre_mm])[0])
    blue, green, red = picture[y - 4 : y + 5, x - 4 : x + 5].mean(axis=(0, 1))
    hue = cv2.cvtColor(np.array([[[blue, green, red]]], np.uint8), cv2.COLOR_BGR2HSV).astype(int)[0, 0, 0] * 2
    low, high = {"yellow": (42, 62), "green": (90, 140), "orange": (10, 32), "pink": (300, 345)}[colour]
    assert low < hue < high


def test_a_rolling_sphere_is_smeared_along_its_way(sprites: Sprites) -> None:
    still = cover(sprites, ball(at=(0.0, 100.0), floor_mm=31.5))
    fast = cover(sprites, ball(at=(0.0, 100.0), floor_mm=31.5, velocity_mm_s=(0.0, -1000.0, -230.0)))
    assert fast.sum() == pytest.approx(still.sum(), rel=0.02)
    spread = [np.sqrt(np.var(np.repeat(np.arange(432), (one.sum(axis=1) * 100).astype(int)))) for one in (still, fast)]
    assert spread[1] > spread[0] * 1.012
    assert ((fast > 0.05) & (fast < 0.95)).sum() > 2 * ((still > 0.05) & (still < 0.95)).sum()


def throw(value: int, seed: int = 3) -> Scene:
    world = World(RIG, colours=("pink",), seed=seed)
    deed = world.throw_die(value)
    while not deed.done:
        world.advance_to(world.now_s + 0.1)
    world.advance_to(world.now_s + 1.5)
    return world.scene()


@pytest.mark.parametrize("value", range(1, 7))
def test_the_die_shows_as_many_pips_as_it_fell_on_red_from_five(stills: Renderer, value: int) -> None:
    """Counted in a large still, on the top face alone, found by projecting it."""
    still_view = twin_view(2304, 1296)
    scene = throw(value)
    picture = stills.picture(scene)
    die = there(scene.die)
    top = max(die.centre_mm[2] + 8.0, 0.0)
    across = die.turn[:, np.argmin(np.abs(die.turn[2, :]))]
    across = across / np.linalg.norm(across)
    down = np.cross(across, [0, 0, 1.0])
    middle = np.array([die.centre_mm[0], die.centre_mm[1], top])
    corners = [middle + 8 * (a * across + b * down) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    quad = still_view.project(np.array(corners)).astype(np.float32)
    flat = cv2.getPerspectiveTransform(quad, np.array([[0, 0], [160, 0], [160, 160], [0, 160]], np.float32))
    face = cv2.warpPerspective(picture, flat, (160, 160))[6:-6, 6:-6]
    green = face[..., 1].astype(np.float64)
    dark = (green < 0.6 * np.median(green)).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    pips = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] > 60]
    assert len(pips) == value
    blue, _, red = face[dark.astype(bool)].mean(axis=0)
    assert (red > 2 * blue) == (value >= 5)


def test_a_large_still_is_the_same_view_as_a_small_frame(renderer: Renderer, stills: Renderer) -> None:
    scene = throw(3)
    small = averaged(renderer, scene, 6)
    large = stills.picture(scene)
    shrunk = cv2.resize(large, (768, 432), interpolation=cv2.INTER_AREA).astype(np.float64)
    shift, strength = cv2.phaseCorrelate(small.mean(axis=2), shrunk.mean(axis=2))
    assert strength > 0.3
    assert np.abs(shift).max() < 0.15


def test_gems_lie_in_their_colours(renderer: Renderer) -> None:
    picks: dict[Piece, int] = {"sweet": 2, "bomb": 0}
    for piece, strongest in picks.items():
        spot = (205.0, -45.0, 4.4)
        picture = averaged(renderer, Scene(0.0, stones=(Stone(piece, spot, 0.4),)), 3)
        x, y = (round(float(v)) for v in project([spot])[0])
        patch = picture[y - 2 : y + 3, x - 2 : x + 3].mean(axis=(0, 1))
        assert patch[strongest] > patch[1] + 25


def test_the_boss_stands_behind_his_lane(renderer: Renderer) -> None:
    bare = averaged(renderer, EMPTY, 4)
    for lane in RIG.lanes:
        changed = np.abs(averaged(renderer, Scene(0.0, boss=BossFigure(lane.x_mm)), 4) - bare).max(axis=2) > 30
        x = np.flatnonzero(changed.any(axis=0))
        expected = project([(lane.x_mm, RIG.boss_slot_y_mm, RIG.boss_base_z_mm + 20)])[0, 0]
        assert (x.min() + x.max()) / 2 == pytest.approx(expected, abs=5)


def test_a_hand_covers_what_it_reaches_over_and_comes_from_outside(renderer: Renderer) -> None:
    bare = averaged(renderer, EMPTY, 4)
    tray = project([(205.0, -45.0, 20.0)])[0]
    changed = np.abs(averaged(renderer, Scene(0.0, reaches=(Reach((205.0, -45.0, 20.0)),)), 4) - bare).max(axis=2) > 25
    x, y = (round(float(v)) for v in tray)
    assert changed[y - 2 : y + 3, x + 6 : x + 40].mean() > 0.5
    assert changed[:, -3:].any()
    assert not changed[:, :380].any()


def test_noise_differs_from_frame_to_frame_and_is_small(renderer: Renderer) -> None:
    frames = np.array([renderer.picture(EMPTY).astype(np.float64) for _ in range(16)])
    assert 0.8 < np.median(frames.std(axis=0)) < 4.0
    assert not np.array_equal(frames[0], frames[1]) or not np.array_equal(frames[1], frames[2])


def test_faults_of_sight(stills: Renderer) -> None:
    def picture(*names: str) -> NDArray[np.uint8]:
        world = World(RIG, colours=("pink",), seed=1, faults=Faults(*names))
        return stills.picture(world.scene())

    good = picture()
    assert picture("light gone").mean() < 0.3 * good.mean()
    covered = picture("camera covered").astype(np.float64)
    assert covered.mean() < 25
    assert cv2.GaussianBlur(covered, (0, 0), 9).std() < 8
    hidden = picture("marker hidden")
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    assert sorted(detector.detectMarkers(good)[1].ravel()) == [0, 1, 2, 3]
    assert sorted(detector.detectMarkers(hidden)[1].ravel()) == [0, 2, 3]


def test_a_picture_is_the_same_for_the_same_seed_and_moment() -> None:
    scene = throw(4)
    one, other = (Renderer(RIG, VIEW, seed=5).picture(scene) for _ in range(2))
    assert np.array_equal(one, other)


def test_a_tumbling_die_is_drawn_wherever_it_is(renderer: Renderer) -> None:
    for z in (9.0, 30.0):
        cube = DiePose((205.0, -45.0, z), np.eye(3), moving=True)
        changed = np.abs(averaged(renderer, Scene(0.0, die=cube), 3) - averaged(renderer, EMPTY, 3)).max(axis=2) > 30
        rows, columns = np.nonzero(changed)
        x, y = project([cube.centre_mm])[0]
        assert columns.mean() == pytest.approx(x, abs=5)
        assert rows.mean() == pytest.approx(y, abs=6)


def test_things_may_leave_the_picture_at_every_edge(renderer: Renderer) -> None:
    for x in np.linspace(-420, 480, 61):
        for y in (-160.0, -140.0, -125.0, 300.0):
            one = ball(at=(float(x), y), floor_mm=1.0, velocity_mm_s=(0.0, -300.0, 0.0))
            stone = Stone("bomb", (float(x), y, 4.4), 0.1)
            scene = Scene(0.0, balls=(one,), stones=(stone,), reaches=(Reach((float(x), y, 30.0), "back"),))
            assert renderer.picture(scene).shape == (432, 768, 3)
    for y in np.linspace(-135, -115, 81):
        assert renderer.picture(Scene(0.0, balls=(ball(at=(0.0, float(y)), floor_mm=1.0),))).any()
