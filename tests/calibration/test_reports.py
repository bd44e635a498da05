"""The one-page reports: whole, without outside resources, the same words on screen and in the picture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from matplotlib.figure import Figure

from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.following import follow_board, follow_table
from appliance.words.catalogues import words_for
from calibration.camera.guide import CameraGuide
from calibration.camera.intrinsics import BoardView, fit_camera
from calibration.camera.report import camera_page, camera_verdict
from calibration.report.chart import INKS
from calibration.report.plot import Series, plot
from calibration.report.rendering import svg
from calibration.report.report_page import ReportPage, html_page, png_page, write_report
from calibration.save_results import Places, keep_track
from calibration.store import StoreError
from calibration.track.fit import fit_track
from calibration.track.guide import TrackGuide
from calibration.track.report import track_page, track_verdict
from hardware.clock import ManualClock
from hardware.rig import Rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from tests.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

OUTSIDE = ("http:", "https:", "src=", "url(", "<script", "<link", "@import", "nan")


def simulated_devices() -> SimulatedDevices:
    clock = ManualClock(100.0)
    return SimulatedDevices(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))


@pytest.fixture(scope="module")
def views() -> tuple[BoardView, ...]:
    guide = CameraGuide()
    for _ in follow_board(simulated_devices(), guide):
        pass
    return guide.views


@pytest.fixture(scope="module")
def track() -> ReportPage:
    guide = TrackGuide(Rig())
    for _ in follow_table(simulated_devices(), Rig(), guide):
        pass
    fit = fit_track(guide.pictures, Rig(), twin_camera())
    return track_page(fit, guide.pictures, twin_camera(), track_verdict(fit), "2026-05-01", words_for("en"))


def test_the_camera_page_holds_every_view_and_a_verdict(views: tuple[BoardView, ...]) -> None:
    fit = fit_camera(views)
    page = camera_page(fit, views, camera_verdict(fit), "2026-05-01", words_for("en"))
    text = html_page(page)
    assert all(outside not in text for outside in OUTSIDE)
    assert text.count("<svg") == 4
    assert page.grade == "good"
    assert all(view.name in text for view in views)


def test_what_the_guide_took_is_named_in_no_language(views: tuple[BoardView, ...]) -> None:
    assert [view.name for view in views] == [f"#{number}" for number in range(1, len(views) + 1)]


def test_a_corner_of_the_picture_that_was_never_seen_is_named_and_advised(views: tuple[BoardView, ...]) -> None:
    middle = [view for view in views if len(view.corners_px) == 40]
    fit = fit_camera(middle)
    page = camera_page(fit, middle, camera_verdict(fit), "2026-05-01", words_for("en"))
    text = html_page(page)
    assert page.grade != "good"
    assert "none</text>" in text
    assert "corners of the picture" in " ".join(page.sentences)


def test_the_track_page_draws_the_rings_where_the_circles_are(track: ReportPage) -> None:
    text = re.sub(r"base64,[A-Za-z0-9+/=]+", "", html_page(track))
    assert all(outside not in text for outside in OUTSIDE)
    assert track.grade == "good"
    chart = track.figures[0].chart
    axes = Figure().add_subplot()
    chart.draw(axes)
    rig, view = Rig(), twin_view()
    zoom = chart.width / view.camera.width_px
    outlines = [np.asarray(line.get_xydata()) for line in axes.lines]
    rings = [points[:-1] for points in outlines if len(points) == 49 and (points[0] == points[-1]).all()]
    assert len(rings) == len(rig.lanes)
    middle_y = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    for ring, lane in zip(rings, rig.lanes, strict=True):
        true = view.project(np.array([[lane.x_mm, middle_y, rig.ramp_top[1]]]))[0] * zoom
        assert ring.mean(axis=0) == pytest.approx(true, abs=1.5)


def test_a_hand_over_the_first_picture_does_not_cost_the_calibration(tmp_path: Path) -> None:
    renderer = Renderer(Rig(), twin_view())
    pictures = [renderer.picture(Scene(0.0, hidden_markers=hidden)) for hidden in (frozenset({0, 1, 2}), frozenset())]
    out, report = tmp_path / "rig.toml", tmp_path / "track.html"
    keep_track(pictures, Rig(), twin_camera(), Places(out, report, words_for("en")))
    assert out.exists()
    assert report.exists()


def test_the_png_shows_the_verdict_in_its_colour(track: ReportPage, tmp_path: Path) -> None:
    picture = cv2.imdecode(np.frombuffer(png_page(track), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[1] == 2000
    top = picture[:160].reshape(-1, 3)[:, ::-1]
    good = tuple(int(INKS["good"][at : at + 2], 16) for at in (1, 3, 5))
    assert (top == good).all(axis=1).sum() > 1000


def test_both_files_are_written_or_a_sentence_says_why_not(track: ReportPage, tmp_path: Path) -> None:
    written = write_report(tmp_path / "new" / "track.html", track)
    assert [path.name for path in written] == ["track.html", "track.png"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["track.html", "track.png"]
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    with pytest.raises(StoreError, match="cannot be written"):
        write_report(blocked / "track.html", track)


@pytest.mark.parametrize(("low", "high"), [(0.0012, 0.0045), (0.01, 3.0), (1.0, 1e5)])
def test_an_axis_of_powers_can_be_read(low: float, high: float) -> None:
    """Half a decade, as of the Allan deviation of a fine scale, had a single number beside it."""
    chart = plot([Series("m", [(low, low, 0.0), (high, high, 0.0)])], "averaging", "allan", words_for("de"), log=True)
    beside = re.findall(r"text-anchor: end[^>]*>([^<]+)</text>", svg(chart))
    assert 3 <= len(beside) <= 8
    values = [float(text.replace(",", ".")) for text in beside]
    assert all(0.8 * low <= value <= 1.25 * high for value in values)


def test_a_report_is_the_same_each_time_and_reasonably_small(track: ReportPage) -> None:
    text, picture = html_page(track), png_page(track)
    assert html_page(track) == text
    assert png_page(track) == picture
    assert len(text) < 600_000
    assert len(picture) < 3_000_000


def test_a_chart_takes_its_colours_from_the_page(track: ReportPage) -> None:
    """The page changes its variables on a dark screen; a colour of its own would stay dark on dark."""
    for figure in track.figures:
        drawn = re.sub(r"base64,[A-Za-z0-9+/=]+", "", svg(figure.chart))
        assert "var(--" in drawn
        assert not re.findall(r"#[0-9a-f]{6}\b", drawn)


PROBE = """
import builtins, importlib, pkgutil, sys
import appliance.composition.table, web.app
from appliance.cli import main
for layer in ("hardware", "vision", "calibration", "appliance", "web"):
    for module in pkgutil.walk_packages([layer], layer + "."):
        if module.name not in ("calibration.report.rendering",) and not module.name.endswith("fake_lgpio"):
            importlib.import_module(module.name)
from calibration.scale.guide import PointCollector
from calibration.save_results import Places, keep_scale
from calibration.scale.coins import parse_mass
from appliance.words.catalogues import words_for
from pathlib import Path
import numpy as np, tempfile
points = []
for grams in (0, 50):
    known, noise = parse_mass(str(grams)), np.random.default_rng(grams)
    collector = PointCollector(known, 4.0)
    for k in range(80):
        collector.feed(k / 10, 5000 + 1000 * grams + noise.normal(0, 6))
    points.append((known, collector.recording()))
folder = Path(tempfile.mkdtemp())
keep_scale(points, Places(folder / "scale.toml", None, words_for("en")))
print("matplotlib" in sys.modules)
keep_scale(points, Places(folder / "scale.toml", folder / "report.html", words_for("en")))
print("matplotlib" in sys.modules)
"""


def test_the_library_that_draws_is_loaded_only_for_a_report() -> None:
    """It takes a second and 40 MB of a small machine."""
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
