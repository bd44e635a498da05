"""Path-traced tables with what the rig leaves out: shadows of a second lamp's colour, a cloth as pink as the putty."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.rig import Rig
from tests.places import RECORDINGS
from tests.vision.stills import camera
from vision.markers import find_view
from vision.observe_file import load_picture
from vision.sphere.sphere import pan_colour, read_pan

TABLES = RECORDINGS / "odd_tables"
RIG = Rig()


@pytest.mark.parametrize("picture", sorted((TABLES / "shadow_on_pan").glob("*.jpg")), ids=lambda path: path.stem)
def test_the_tip_of_a_coloured_shadow_on_the_pan_is_no_sphere(picture: Path) -> None:
    image = load_picture(picture)
    view = find_view(image, RIG, camera(picture.parent))
    assert read_pan(image, view, RIG) is None
    assert pan_colour(image, view, RIG) is None


def test_a_sphere_before_a_cloth_of_its_colour_is_found() -> None:
    session = TABLES / "cloth_of_its_colour"
    image = load_picture(session / "pink_42_mm.jpg")
    sphere = read_pan(image, find_view(image, RIG, camera(session)), RIG)
    assert sphere is not None
    assert sphere.colour == "pink"
    assert sphere.diameter_mm == pytest.approx(42.0, abs=0.3)
