"""Sight reads the simulated table's frames: another renderer, another truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.readings import Piece, PuttyColour
from hardware.rig import Rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.world.scene import BossFigure, Scene, Stone, VisibleSphere
from vision.boss.boss import read_boss
from vision.markers import find_view
from vision.sphere.sphere import read_pan
from vision.tray.gems import read_gems

pytestmark = pytest.mark.slow

RIG = Rig()
TRUE_VIEW = twin_view(768, 432)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(RIG, TRUE_VIEW)


@pytest.mark.parametrize("colour", ["yellow", "green", "orange", "pink"])
@pytest.mark.parametrize("radius_mm", [9.0, 17.0])
def test_a_ball_on_the_pan(renderer: Renderer, colour: PuttyColour, radius_mm: float) -> None:
    ball = VisibleSphere("ball", colour, (207.0, 58.0, RIG.pan_z_mm + radius_mm), np.eye(3) * radius_mm)
    seen = read_pan(renderer.picture(Scene(0.0, balls=(ball,))), TRUE_VIEW, RIG)
    assert seen is not None
    assert seen.colour == colour
    assert seen.diameter_mm is not None
    assert seen.diameter_sd_mm is not None
    assert seen.diameter_sd_mm < 0.4  # a pixel is 0.9 mm
    assert abs(seen.diameter_mm - 2 * radius_mm) < 2.5 * seen.diameter_sd_mm
    assert seen.centre_mm == pytest.approx(ball.centre_mm, abs=0.3)


@pytest.mark.soak
def test_errors_of_many_balls_are_as_small_as_stated(renderer: Renderer) -> None:
    """A rough picture's deviation may be stated too large, never too small."""
    random = np.random.default_rng(5)
    colours: tuple[PuttyColour, ...] = ("yellow", "green", "orange", "pink")
    shares, errors_mm = [], []
    for number in range(60):
        radius_mm = float(random.uniform(8.0, 19.5))
        x, y = (np.array(RIG.pan_centre_mm) + random.normal(0, 3, 2)).tolist()
        ball = VisibleSphere(number, colours[number % 4], (x, y, RIG.pan_z_mm + radius_mm), np.eye(3) * radius_mm)
        seen = read_pan(renderer.picture(Scene(0.0, balls=(ball,))), TRUE_VIEW, RIG)
        assert seen is not None
        assert seen.diameter_mm is not None
        assert seen.diameter_sd_mm is not None
        errors_mm.append(seen.diameter_mm - 2 * radius_mm)
        shares.append(errors_mm[-1] / seen.diameter_sd_mm)
    assert np.sqrt(np.mean(np.square(shares))) < 1.1
    assert np.max(np.abs(shares)) < 3.0
    assert abs(np.mean(errors_mm)) < 0.1


@pytest.mark.parametrize("number", [lane.number for lane in RIG.lanes])
def test_the_boss_at_every_lane(renderer: Renderer, number: int) -> None:
    for beside_mm, yaw_deg in ((1.5, 4.0), (-1.0, -1.6), (0.0, 0.0), (-2.6, 3.0), (2.9, -2.6), (1.4, 6.0)):
        image = renderer.picture(Scene(0.0, boss=BossFigure(RIG.lane(number).x_mm + beside_mm, yaw_deg=yaw_deg)))
        boss = read_boss(image, find_view(image, RIG, TRUE_VIEW.camera), RIG)
        assert (boss.state, boss.lane) == ("lane", number)


@pytest.mark.parametrize(("level", "state"), [(0, "unknown"), (255, "absent")])
def test_a_slot_without_any_contrast_is_no_card(renderer: Renderer, level: int, state: str) -> None:
    """A board or a cloth behind the platform can be so dark or so bright that its picture is one even area."""
    image = renderer.picture(Scene(0.0))
    ledge = [(x, RIG.boss_slot_y_mm, RIG.boss_base_z_mm + 2.0) for x in (-190.0, 190.0)]
    corners = TRUE_VIEW.project(np.array([*ledge, *[(x, y, 200.0) for x, y, _ in reversed(ledge)]]))
    cv2.fillConvexPoly(image, np.rint(corners).astype(np.int32), (level, level, level))
    assert read_boss(image, TRUE_VIEW, RIG).state == state


@pytest.mark.parametrize(
    ("pieces", "colours"),
    [
        ((), ()),
        (("sweet",), ("red",)),
        (("sour", "bomb"), ("purple", "yellow")),
        (("sweet", "sour", "bomb"), ("purple", "red", "yellow")),
    ],
)
def test_gems_in_the_tray(renderer: Renderer, pieces: tuple[Piece, ...], colours: tuple[str, ...]) -> None:
    x, y = RIG.tray_centre_mm
    stones = tuple(Stone(piece, (x - 13 + 12 * n, y + 8 * n, 5.0), 0.5 * n) for n, piece in enumerate(pieces))
    image = renderer.picture(Scene(0.0, stones=stones))
    assert read_gems(image, find_view(image, RIG, TRUE_VIEW.camera), RIG).colours == colours


def touching(renderer: Renderer, apart_mm: float, turn: float, *pieces: Piece) -> tuple[tuple[str, ...], float]:
    """Two gems side by side in the direction `turn`: the colours that are read, and how sure."""
    x, y = RIG.tray_centre_mm
    aside = apart_mm / 2 * np.array([np.cos(turn), np.sin(turn)])
    stones = tuple(
        Stone(piece, (x + side * aside[0], y + side * aside[1], 5.0), turn)
        for side, piece in zip((-1, 1), pieces, strict=True)
    )
    image = renderer.picture(Scene(0.0, stones=stones))
    seen = read_gems(image, find_view(image, RIG, TRUE_VIEW.camera), RIG)
    return seen.colours, seen.confidence


@pytest.mark.parametrize("turn", [0.0, 0.7, 1.57])
@pytest.mark.parametrize("colour", ["sweet", "sour", "bomb"])
def test_two_touching_gems_of_one_colour_are_counted(renderer: Renderer, colour: Piece, turn: float) -> None:
    name = {"sweet": "red", "sour": "yellow", "bomb": "purple"}[colour]
    assert touching(renderer, 8.0, turn, colour, colour)[0] == (name, name)


def test_two_touching_gems_keep_each_its_colour(renderer: Renderer) -> None:
    assert touching(renderer, 7.9, 0.4, "sweet", "sour")[0] == ("red", "yellow")


@pytest.mark.parametrize("apart_mm", [5.0, 6.0, 7.0])
def test_gems_that_lie_over_each_other_are_never_counted_wrong(renderer: Renderer, apart_mm: float) -> None:
    for turn in (0.0, 0.5, 1.0, 1.5):
        colours, confidence = touching(renderer, apart_mm, turn, "sweet", "sweet")
        assert confidence == 0.0 or colours == ("red", "red"), (apart_mm, turn)
