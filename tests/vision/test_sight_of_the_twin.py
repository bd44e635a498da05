"""Sight reads the simulated table's frames: another renderer, another truth."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.readings import Piece, PuttyColour
from hardware.rig import Rig
from hardware.twin.renderer import Renderer
from hardware.twin.scene import Ball, Figure, Scene, Stone
from hardware.twin.viewpoint import twin_view
from vision.boss import read_boss
from vision.gems import read_gems
from vision.markers import find_view
from vision.sphere import read_pan

RIG = Rig()
TRUE_VIEW = twin_view(768, 432)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(RIG, TRUE_VIEW)


@pytest.mark.parametrize("colour", ["yellow", "green", "orange", "pink"])
@pytest.mark.parametrize("radius_mm", [9.0, 17.0])
def test_a_ball_on_the_pan(renderer: Renderer, colour: PuttyColour, radius_mm: float) -> None:
    ball = Ball("ball", colour, (207.0, 58.0, RIG.pan_z_mm + radius_mm), np.eye(3) * radius_mm)
    image = renderer.picture(Scene(0.0, balls=(ball,)))
    seen = read_pan(image, find_view(image, RIG, TRUE_VIEW.camera), RIG)
    assert seen is not None
    assert seen.colour == colour
    assert seen.diameter_mm == pytest.approx(2 * radius_mm, abs=0.3)  # a pixel is 0.9 mm
    assert seen.centre_mm == pytest.approx(ball.centre_mm, abs=0.3)


@pytest.mark.parametrize("number", [lane.number for lane in RIG.lanes])
def test_the_boss_at_every_lane(renderer: Renderer, number: int) -> None:
    image = renderer.picture(Scene(0.0, boss=Figure(RIG.lane(number).x_mm + 1.5, yaw_deg=4.0)))
    boss = read_boss(image, find_view(image, RIG, TRUE_VIEW.camera), RIG)
    assert (boss.state, boss.lane) == ("lane", number)


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


@pytest.mark.parametrize("turn", [0.0, 0.7, 1.57])
def test_two_touching_gems_of_one_colour_are_never_one(renderer: Renderer, turn: float) -> None:
    x, y = RIG.tray_centre_mm
    apart = 4.0 * np.array([np.cos(turn), np.sin(turn)])
    stones = tuple(Stone("sweet", (x + side * apart[0], y + side * apart[1], 5.0), turn) for side in (-1, 1))
    image = renderer.picture(Scene(0.0, stones=stones))
    seen = read_gems(image, find_view(image, RIG, TRUE_VIEW.camera), RIG)
    assert seen.confidence == 0.0 or seen.colours == ("red", "red")
