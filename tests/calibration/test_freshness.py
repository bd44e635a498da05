"""Stale calibrations say so. Truth: the stamp, the simulated table whose marker was moved, the counts that drifted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

import msgspec
import numpy as np
import pytest

from appliance.devices.calibration_drift_check import DriftCheck
from appliance.devices.calibration_files import twin_calibration
from appliance.devices.simulated_table import TWIN_SCALE
from appliance.words.catalogues import words_for
from calibration.freshness import by_age, by_counts, by_picture
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel, CameraView
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.scale.scale_model import ScaleModel
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

NOW = datetime(2026, 6, 1, tzinfo=UTC)


Made = TypeVar("Made", CameraModel, Rig, ScaleModel)


def made(thing: Made, when: str) -> Made:
    return msgspec.structs.replace(thing, made_utc=when)


@pytest.mark.parametrize(
    ("camera", "rig", "scale", "codes"),
    [
        ("2026-05-01", "2026-05-02", "2026-05-03", []),
        ("2026-01-01", "2026-05-02", "2026-05-03", ["lens_old"]),
        ("2026-01-01", "2026-01-02", "2026-01-03", ["lens_old", "rig_old", "scale_old"]),
        ("2026-05-03", "2026-05-01", "2026-05-03", ["rig_before_lens"]),
        ("", "", "", ["rig_not_calibrated"]),
        ("2026-05-01", "", "", ["rig_not_calibrated"]),
        ("1970-01-01T00:02:11+00:00", "1970-01-01T00:09:40+00:00", "1970-01-01T00:14:02+00:00", []),
        ("2026-05-01", "1970-01-01T00:09:40+00:00", "2026-05-03", []),
    ],
)
def test_age_and_order(camera: str, rig: str, scale: str, codes: list[str]) -> None:
    found = by_age(made(twin_camera(), camera), made(Rig(), rig), made(TWIN_SCALE, scale), NOW)
    assert [stale.code for stale in found] == codes


def test_lens_and_rig_of_the_same_second_are_in_order() -> None:
    at = "2026-05-01T12:00:00+00:00"
    found = [stale.code for stale in by_age(made(twin_camera(), at), made(Rig(), at), None)]
    assert "rig_before_lens" not in found


def test_a_table_as_calibrated_is_not_stale() -> None:
    picture = Renderer(Rig(), twin_view()).picture(Scene(0.0))
    assert list(by_picture(picture, Rig(), twin_camera())) == []


@pytest.mark.parametrize("number", range(4))
def test_a_marker_that_was_moved_is_named(number: int) -> None:
    rig = Rig()
    markers = list(rig.markers)
    markers[number] = msgspec.structs.replace(markers[number], x_mm=markers[number].x_mm + 3.5)
    moved = msgspec.structs.replace(rig, markers=tuple(markers))
    picture = Renderer(moved, twin_view()).picture(Scene(0.0))
    (stale,) = by_picture(picture, rig, twin_camera())
    assert stale.code == "markers_moved"
    assert f"marker {number} lies 3." in words_for("en").say(f"check.{stale.code}", stale.values)


@pytest.mark.parametrize("wider", [0.9, 1.05, 1.2])
@pytest.mark.parametrize(("language", "command"), [("en", "smugglers calibrate camera first"), ("de", "zuerst")])
def test_a_picture_through_another_lens_leads_to_the_lens_first(wider: float, language: str, command: str) -> None:
    true = twin_view()
    x, y = true.camera.focal_px
    lens = msgspec.structs.replace(true.camera, focal_px=(x * wider, y * wider))
    picture = Renderer(Rig(), CameraView(lens, true.pose)).picture(Scene(0.0))
    (stale,) = by_picture(picture, Rig(), twin_camera())
    assert command in words_for(language).say(f"check.{stale.code}", stale.values)


def test_a_picture_of_something_else_says_nothing() -> None:
    assert list(by_picture(np.zeros((432, 768, 3), np.uint8), Rig(), twin_camera())) == []


@pytest.mark.parametrize(
    ("drift_g", "codes"), [(0.5, []), (-1.5, []), (9.0, ["scale_drifted"]), (-7.0, ["scale_drifted"])]
)
def test_a_zero_far_from_its_calibration_is_told(drift_g: float, codes: list[str]) -> None:
    rng = np.random.default_rng(0)
    counts = TWIN_SCALE.zero_counts + TWIN_SCALE.counts_per_gram * (drift_g + rng.normal(0, 0.004, 60))
    assert [stale.code for stale in by_counts(counts.tolist(), TWIN_SCALE)] == codes


def test_few_counts_say_nothing() -> None:
    assert list(by_counts([9e6] * 5, TWIN_SCALE)) == []


def test_the_self_test_tells_drift_from_what_the_drivers_say() -> None:
    rig = Rig()
    moved = msgspec.structs.replace(rig.markers[2], y_mm=rig.markers[2].y_mm + 4.0)
    true = msgspec.structs.replace(rig, markers=(*rig.markers[:2], moved, rig.markers[3]))
    watch = DriftCheck()
    watch.take(Frame(1.0, Renderer(true, twin_view()).picture(Scene(0.0)), 0))
    for number in range(40):
        watch.take(Sample(number / 10, round(TWIN_SCALE.zero_counts + 12.0 * TWIN_SCALE.counts_per_gram)))
    findings = list(watch.findings(twin_calibration(), words_for("en")))
    assert [finding.code for finding in findings] == ["markers_moved", "scale_drifted"]
    assert all(finding.verdict == "look" for finding in findings)
