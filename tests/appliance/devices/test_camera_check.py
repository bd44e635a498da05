"""What `smugglers check` says of the camera. Truth: the blur, the lamp and the lacks that were put in."""

from __future__ import annotations

from itertools import count

import cv2
import msgspec
import numpy as np
import pytest

from appliance.devices.camera_check import CameraCheck
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.cameras.camera import LACKS, Frame, HowTaken
from hardware.cameras.camera_model import CameraModel, Image
from hardware.cameras.flicker import FRAMES
from hardware.rig import Rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from tests.hardware.cameras.test_exposure import rolling_shutter


@pytest.fixture(scope="module")
def table() -> Image:
    return Renderer(Rig(), twin_view(), seed=4).picture(Scene(0.0, ()))


def codes(check: CameraCheck, camera: CameraModel | None = None) -> list[str]:
    findings = list(check.findings(Rig(), camera, words_for("en")))
    assert all(finding.what == "camera" and finding.verdict == "look" for finding in findings)
    return [finding.code for finding in findings]


def seen(image: Image, taken: HowTaken | None = None, mains_hz: int = 50) -> CameraCheck:
    check = CameraCheck(mains_hz)
    check.take(Frame(1.0, image, 0, taken))
    return check


@pytest.mark.slow
def test_a_healthy_camera_is_not_spoken_of(table: Image) -> None:
    assert codes(seen(table)) == []
    assert codes(CameraCheck(50)) == []


@pytest.mark.parametrize(("blur_px", "blurred"), [(0.6, False), (1.8, True), (2.5, True)])
def test_a_blurred_picture_is_told_with_the_mend_of_its_lens(table: Image, blur_px: float, blurred: bool) -> None:
    soft = np.asarray(cv2.GaussianBlur(table, (0, 0), blur_px), dtype=np.uint8)
    assert codes(seen(soft)) == (["camera_blurred"] if blurred else [])
    motor = HowTaken(lens_position=2.0)
    assert codes(seen(soft, motor)) == (["camera_blurred_motor"] if blurred else [])


def test_darkness_at_the_limit_and_what_a_camera_lacks_are_told(table: Image) -> None:
    assert codes(seen(table, HowTaken(at_limit=True, lacks=("exposure",)))) == [
        "camera_at_limit",
        "camera_lacks_exposure",
    ]


@pytest.mark.parametrize(
    ("lamp_hz", "set_hz", "depth", "code"),
    [(50, 50, 0.4, "light_flickers"), (60, 50, 0.4, "mains_differ"), (50, 50, 0.0, None)],
)
def test_flicker_is_told_with_the_frequency_of_the_mains(
    lamp_hz: int, set_hz: int, depth: float, code: str | None
) -> None:
    check = CameraCheck(set_hz)
    for k, t_s in zip(range(FRAMES), (n / 56 for n in count()), strict=False):
        check.take(Frame(t_s, rolling_shutter(t_s, 0.002, lamp_hz, depth), k))
    assert codes(check) == ([code] if code else [])
    if code == "mains_differ":
        assert next(check.findings(Rig(), None, words_for("de"))).sentence.endswith("mains_hz = 60 einstellen")


def test_a_lens_with_a_motor_whose_place_is_not_stored_is_told(table: Image) -> None:
    focused = seen(table, HowTaken(lens_position=2.0))
    assert codes(focused, twin_camera()) == ["camera_focus_not_stored"]
    assert codes(focused, msgspec.structs.replace(twin_camera(), lens_position=2.0)) == []
    assert codes(seen(table, HowTaken()), twin_camera()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lack_has_a_sentence(language: str) -> None:
    assert [lack for lack in LACKS if f"check.camera_lacks_{lack}" not in words_for(language)] == []
