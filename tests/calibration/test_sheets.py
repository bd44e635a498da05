"""The sheets to print, rasterised as a printer does: measured with code of their own, and seen by the table's eyes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pypdfium2
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from appliance.cli import main
from appliance.words.catalogues import words_for
from calibration.camera.intrinsics import find_board
from calibration.measures import changed
from calibration.sheets.camera_place import camera_place
from calibration.sheets.drawing import Text
from calibration.sheets.place_drawings import camera_and_lamps
from calibration.sheets.sheet_set import sheets_pdf
from calibration.track.fit import fit_track, to_toml
from hardware.cameras.camera_model import CameraModel, CameraView
from hardware.rig import Beam, Lane, Marker, Rig
from hardware.twin.drawing.viewpoint import AIM_MM, CAMERA_MM, looking_at, twin_camera
from vision.markers import detect

DPI = 200
PX_PER_MM = DPI / 25.4
PAGE_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}

Picture = NDArray[np.uint8]
"""RGB."""

OWN = Rig(
    lanes=tuple(Lane(n + 1, -110.0 + 44.0 * n, d) for n, d in enumerate((20.0, 38.5, 28.25, 35.0, 23.0, 31.0))),
    lane_pitch_mm=44.0,
    markers=(Marker(4, -210.0, -70.0), Marker(7, 280.0, -65.0), Marker(12, -205.0, 270.0), Marker(49, 285.0, 275.0)),
    marker_side_mm=34.0,
    pan_diameter_mm=80.0,
    tray_side_mm=64.0,
)
"""A table that somebody built their own way."""
RIGS = {"standard": Rig(), "own": OWN}


class Print:
    """A printed PDF: pictures of its pages at `DPI`, and the words on them."""

    def __init__(self, pdf: bytes) -> None:
        document = pypdfium2.PdfDocument(pdf)
        self.pages: list[Picture] = []
        self.words: list[str] = []
        for page in document:
            self.pages.append(np.asarray(page.render(scale=DPI / 72).to_pil().convert("RGB"), dtype=np.uint8))
            text = page.get_textpage()
            self.words.append(text.get_text_bounded())
            text.close()
            page.close()
        document.close()

    def page(self, title: str) -> Picture:
        (found,) = (page for page, said in zip(self.pages, self.words, strict=True) if said.startswith(title))
        return found


@pytest.fixture(scope="module")
def printed() -> Callable[[str, str], Print]:
    done: dict[tuple[str, str], Print] = {}

    def of(rig: str, paper: str) -> Print:
        if (rig, paper) not in done:
            chosen = "letter" if paper == "letter" else "a4"
            done[rig, paper] = Print(sheets_pdf(RIGS[rig], chosen, words_for("en")))  # type: ignore[arg-type]  # one of two
        return done[rig, paper]

    return of


def brightest(page: Picture) -> Picture:
    """The brightest of each dot's three colours."""
    return np.asarray(cv2.max(cv2.max(page[..., 0], page[..., 1]), page[..., 2]), dtype=np.uint8)


def dark(page: Picture) -> Picture:
    return np.asarray((brightest(page) < 128).astype(np.uint8))


def inked(page: Picture) -> Picture:
    """Where there is any ink, thin grey lines too."""
    return np.asarray((brightest(page) < 230).astype(np.uint8))


def red(page: Picture) -> Picture:
    r, g, b = (page[..., i].astype(int) for i in range(3))
    return np.asarray(((r > 150) & (r - g > 60) & (r - b > 60)).astype(np.uint8))


def rings(page: Picture) -> list[tuple[float, float, float, float]]:
    """Every whole circle of a line: middle x and y, inner and outer diameter, in mm of the page; left to right."""
    found = []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(dark(page), connectivity=8)
    for label in range(1, count):
        _, _, wide, high, _ = stats[label]
        if max(wide, high) < 14 * PX_PER_MM:
            continue
        shape = np.asarray(labels == label, dtype=np.uint8)
        contours, tree = cv2.findContours(shape, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        holes = [contour for contour, (_, _, _, parent) in zip(contours, tree[0], strict=True) if parent >= 0]
        sectors = [hole for hole in holes if cv2.contourArea(hole) > 20 * PX_PER_MM]
        if not sectors:
            continue
        (x, y), radius = cv2.minEnclosingCircle(np.vstack(sectors))
        inside = sum(cv2.contourArea(sector) for sector in sectors)
        if 0.85 < inside / (math.pi * radius**2) < 1.02:
            mid = np.argwhere(shape)
            away = np.hypot(mid[:, 1] - x, mid[:, 0] - y)
            line = away[(away > radius - 3) & (away < radius + 14)]
            outer = radius - 0.5
            while np.count_nonzero(np.abs(line - outer - 1) < 0.5) > 0.7 * 2 * math.pi * outer:
                outer += 0.25
            found.append((x / PX_PER_MM, y / PX_PER_MM, (2 * radius - 1) / PX_PER_MM, (2 * outer + 1) / PX_PER_MM))
    return sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("rig", RIGS)
class TestMeasuredWithARuler:
    def test_every_page_has_the_papers_size_and_a_ruler_of_100_mm(
        self, rig: str, paper: str, printed: Callable[[str, str], Print]
    ) -> None:
        for page in printed(rig, paper).pages:
            high, wide = (side / PX_PER_MM for side in page.shape[:2])
            assert sorted((wide, high)) == pytest.approx(PAGE_MM[paper], abs=0.2)
            foot = dark(page[-round(16 * PX_PER_MM) :, : round(115 * PX_PER_MM)])
            row = foot[foot.sum(axis=1).argmax()]
            ends = np.flatnonzero(row)
            assert (ends[-1] - ends[0] + 1) / PX_PER_MM == pytest.approx(100.0, abs=0.4)
            assert row[ends[0] : ends[-1]].all()

    def test_nothing_but_the_board_reaches_into_the_margin_of_a_printer(
        self, rig: str, paper: str, printed: Callable[[str, str], Print]
    ) -> None:
        edge = round(6.4 * PX_PER_MM)
        sheets = printed(rig, paper)
        for page, said in zip(sheets.pages, sheets.words, strict=True):
            if "calibrate camera" not in said:
                ink = cv2.min(cv2.min(page[..., 0], page[..., 1]), page[..., 2]) < 200
                ink[edge:-edge, edge:-edge] = False
                assert not ink.any(), said[:40]

    def test_the_fence_has_every_hole_at_its_place(
        self, rig: str, paper: str, printed: Callable[[str, str], Print]
    ) -> None:
        table = RIGS[rig]
        page = printed(rig, paper).page("Fence")
        holes = rings(page)
        by_row = sorted(holes, key=lambda hole: (round(hole[1] / 40), hole[0]))
        sizes = [(inner + outer) / 2 for _, _, inner, outer in by_row]
        assert sizes == pytest.approx([lane.hole_mm for lane in table.lanes], abs=0.15)
        for (x0, y0, *_), (x1, y1, *_), left, right in zip(by_row, by_row[1:], table.lanes, table.lanes[1:], strict=False):  # fmt: skip  # noqa: E501
            if abs(y1 - y0) < 30:
                assert x1 - x0 == pytest.approx(right.x_mm - left.x_mm, abs=0.15)
                assert y0 + left.hole_mm / 2 == pytest.approx(y1 + right.hole_mm / 2, abs=0.15)
        ink = dark(page)
        for x, y, inner, _ in by_row:  # the fence's lower edge is as far below the hole as the track's foot is high
            below = y + inner / 2 + table.ramp_foot[1]
            rows = ink[round((below - 1) * PX_PER_MM) : round((below + 1) * PX_PER_MM), round(x * PX_PER_MM) + 12]
            assert rows.any()

    def test_pan_and_tray_have_their_size(self, rig: str, paper: str, printed: Callable[[str, str], Print]) -> None:
        page = printed(rig, paper).page("Pan and tray")
        ((_, _, inner, outer),) = rings(page)
        assert (inner + outer) / 2 == pytest.approx(RIGS[rig].pan_diameter_mm, abs=0.15)
        _, _, stats, _ = cv2.connectedComponentsWithStats(dark(page))
        sides = [stat[2] / PX_PER_MM for stat in stats[1:] if abs(int(stat[2]) - int(stat[3])) < 3]
        line_mm = 0.3
        assert min(abs(RIGS[rig].tray_side_mm + line_mm - side) for side in sides) < 0.25


class Strip:
    """The strip of the platform, its tiles cut at the red line and laid together as the page says."""

    def __init__(self, page: Picture) -> None:
        lines = np.flatnonzero(red(page).sum(axis=0) > 12 * PX_PER_MM)
        if not lines.size:  # it fits on the page in one piece: what its outline encloses
            _, _, stats, _ = cv2.connectedComponentsWithStats(inked(page))
            x, y, wide, high, _ = max(stats[1:], key=lambda stat: int(stat[2]) * int(stat[3]))
            self.picture = page[y : y + high, x : x + wide]
            return
        left, right = lines.max(), lines.min()
        rows_a, rows_b = (np.flatnonzero(red(page)[:, x - 1 : x + 2].any(axis=1)) for x in (left, right))
        top_a, top_b = rows_a.min(), rows_b[rows_b > rows_a.max()].min() if left == right else rows_b.min()
        high = rows_a.max() - top_a + 1
        one, other = page[top_a : top_a + high], page[top_b : top_b + high]
        edge = np.flatnonzero(inked(one)[high // 2])[0]
        far = np.flatnonzero(inked(other)[high // 2])[-1]
        self.picture = np.concatenate([one[:, edge:left], other[:, right : far + 1]], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("rig", RIGS)
class TestSeenByTheTable:
    def test_its_markers(self, rig: str, paper: str, printed: Callable[[str, str], Print]) -> None:
        table = RIGS[rig]
        grey = cv2.cvtColor(printed(rig, paper).page("Markers"), cv2.COLOR_RGB2GRAY)
        seen = detect(np.asarray(grey, dtype=np.uint8), {marker.id for marker in table.markers})
        assert seen.keys() == {marker.id for marker in table.markers}
        for corners in seen.values():
            sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / PX_PER_MM
            assert sides == pytest.approx([table.marker_side_mm] * 4, abs=0.4)

    @pytest.mark.parametrize("lost_mm", [0.0, 6.4])
    def test_its_board(self, rig: str, paper: str, lost_mm: float, printed: Callable[[str, str], Print]) -> None:
        sheets = printed(rig, paper)
        (page,) = (page for page, said in zip(sheets.pages, sheets.words, strict=True) if "calibrate camera" in said)
        page = page.copy()
        if lost := round(lost_mm * PX_PER_MM):
            page[:lost] = page[-lost:] = page[:, :lost] = page[:, -lost:] = 255
        board = find_board("print", np.asarray(page[..., ::-1]))
        assert board is not None
        assert len(board.corners_px) == 40
        scale, *_ = np.linalg.lstsq(
            np.column_stack([board.board_mm[:, 0], np.ones(40)]), board.corners_px[:, 0], rcond=None
        )
        assert scale[0] / PX_PER_MM == pytest.approx(1.0, abs=0.002)

    def test_its_circles_once_the_strip_is_glued_together(
        self, rig: str, paper: str, printed: Callable[[str, str], Print]
    ) -> None:
        table = RIGS[rig]
        fit = fit_track([photo(table, printed(rig, paper))], table, LENS)
        for lane, found in zip(table.lanes, fit.lanes, strict=True):
            assert found.x_mm is not None, f"no circle in lane {lane.number}"
            assert found.diameter_mm is not None
            assert found.x_mm == pytest.approx(lane.x_mm, abs=0.3)
            assert found.diameter_mm == pytest.approx(lane.hole_mm, abs=0.35)


LENS: CameraModel = msgspec.structs.replace(twin_camera(2304, 1296), distortion=(0.0, 0.0, 0.0, 0.0, 0.0))


def photo(table: Rig, sheets: Print) -> Picture:
    """What a camera over the table sees of strip and markers, glued where they belong; nothing else is there."""
    pose = looking_at(CAMERA_MM, AIM_MM)
    light = np.full((1296, 2304), 0.2, np.float32)

    def glue(paper: Picture, left_mm: float, back_mm: float, z_mm: float, mm: tuple[float, float]) -> None:
        """Lay a print of these millimetres on the level z with its left back corner at a place."""
        R, _ = cv2.Rodrigues(np.array(pose.rvec))
        plane = LENS.K @ np.column_stack([R[:, 0], R[:, 1], R[:, 2] * z_mm + np.array(pose.tvec)])
        high, wide = paper.shape[:2]
        to_mm = np.array([[mm[0] / wide, 0, left_mm], [0, -mm[1] / high, back_mm], [0, 0, 1]])
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        grey = cv2.cvtColor(paper, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
        ink = 0.03 + 0.72 * cv2.GaussianBlur(grey, (0, 0), 1.0)
        way = plane @ to_mm @ half
        drawn = cv2.warpPerspective(ink, way, (2304, 1296), flags=cv2.INTER_LINEAR, borderValue=(0,))
        there = cv2.warpPerspective(np.ones_like(ink), way, (2304, 1296), flags=cv2.INTER_NEAREST)
        light[there > 0] = drawn[there > 0]

    strip = Strip(sheets.page("Strip")).picture
    middle = (table.lanes[0].x_mm + table.lanes[-1].x_mm) / 2
    deep = table.platform_end_y_mm - table.ramp_top[0]
    wide = table.lanes[-1].x_mm - table.lanes[0].x_mm + table.lane_pitch_mm + table.wall_thickness_mm
    glue(strip, middle - wide / 2, table.platform_end_y_mm, table.ramp_top[1], (wide, deep))
    page = sheets.page("Markers")
    grey = np.asarray(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    seen = detect(grey, {marker.id for marker in table.markers})
    for marker in table.markers:
        half = table.marker_side_mm / 2 + 5.0
        across, down = seen[marker.id].mean(axis=0)
        reach = round(half * PX_PER_MM)
        card = page[round(down) - reach : round(down) + reach, round(across) - reach : round(across) + reach]
        glue(card, marker.x_mm - half, marker.y_mm + half, marker.z_mm, (2 * half, 2 * half))
    soft = cv2.GaussianBlur(light, (0, 0), 0.7)
    return np.asarray(np.repeat((255 * soft[..., None] ** (1 / 2.2)).astype(np.uint8), 3, axis=2))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_command_prints_the_tables_own_measures(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    (tmp_path / "rig.toml").write_text(to_toml(OWN), encoding="utf-8")
    out = tmp_path / "sheets.pdf"
    done = CliRunner().invoke(main, ["calibrate", "sheets", "--out", str(out), "--language", language])
    assert done.exit_code == 0, done.stderr
    said = "\n".join(Print(out.read_bytes()).words)
    assert ("28.25" if language == "en" else "28,25") in said
    assert ("Strip for the platform" if language == "en" else "Streifen für die Plattform") in said
    assert "BCM 17" in said, "the wiring is there"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_table_of_one_lane_without_beams_and_one_with_a_strange_name_are_printed(language: str) -> None:
    bare = Rig(lanes=(Lane(1, 0.0, 30.0),), markers=(Marker(3, -90.0, 0.0),), beams=())
    strange = Rig(beams=(Beam("光" * 300 + "\n\\)", 17, 14.0, 16.0),))
    for rig in (bare, strange):
        print_ = Print(sheets_pdf(rig, "a4", words_for(language)))
        assert len(print_.pages) >= 11


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_wide_tray_before_the_markers_is_drawn_above_the_ruler(paper: str) -> None:
    rig = changed(Rig(), ["tray_side_mm=200", "tray_centre_mm=290,-180", "marker.1=440,-60"])
    page = Print(sheets_pdf(rig, paper, words_for("en"))).pages[0].astype(int)  # type: ignore[arg-type]  # one of two
    green = (page[..., 1] - page[..., 0] > 10) & (page[..., 1] - page[..., 2] > 10)
    assert green.any()
    assert not green[-round(23 * PX_PER_MM) :].any()


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_page_with_tiles_says_how_to_join_them_and_no_other_page_does(paper: str, language: str) -> None:
    long = changed(Rig(), ["ramp_top=500,110", "platform_end_y_mm=560", "boss_slot_y_mm=580", "boss_base_z_mm=108",
                           "marker.2=-200,600", "marker.3=270,600"])  # fmt: skip
    bare = Rig(lanes=(Lane(1, 0.0, 30.0),), markers=(Marker(3, -90.0, 0.0),), beams=())
    join = words_for(language).say("sheets.join")
    for rig in (long, bare):
        sheets = Print(sheets_pdf(rig, paper, words_for(language)))  # type: ignore[arg-type]  # one of two
        for said in sheets.words:
            named = re.search(r"\b[A-F][1-6]\b", said)
            assert (join in " ".join(said.split())) == (named is not None), said[:60]


@pytest.mark.slow
def test_a_boss_that_stands_on_the_table_itself_is_drawn() -> None:
    """Found by `make fuzz`: its base is 0 mm high, and a dimension of 0 mm has no direction."""
    print_ = Print(sheets_pdf(Rig(boss_base_z_mm=0.0, landing_z_mm=0.0), "a4", words_for("en")))
    assert len(print_.pages) >= 11


@pytest.mark.parametrize(
    "changes",
    [
        ["marker.0=-350,-60", "marker.1=420,-60", "marker.2=-350,420", "marker.3=420,420"],
        ["marker.0=-290,-60", "marker.2=-290,265"],
        ["ramp_top=200,95", "boss_base_z_mm=93", "beam.front=14,22"],
    ],
)
def test_the_camera_is_drawn_so_high_that_it_sees_the_whole_table(changes: list[str]) -> None:
    rig = changed(Rig(), changes)
    (at_mm, aim_mm) = camera_place(rig)
    view = CameraView(twin_camera(), looking_at(at_mm, aim_mm))
    seen = view.project(np.array([(marker.x_mm, marker.y_mm, marker.z_mm) for marker in rig.markers]))
    assert (seen.min(axis=0) > 20).all()
    assert (seen.max(axis=0) < np.array((768, 432)) - 20).all()
    said = [shape.text for shape in camera_and_lamps(rig, words_for("en")).shapes if isinstance(shape, Text)]
    assert f"{at_mm[2]:g}" in said
    lower = CameraView(twin_camera(), looking_at((*at_mm[:2], at_mm[2] - 100), aim_mm))
    boss = [(lane.x_mm, rig.boss_slot_y_mm, rig.boss_base_z_mm + rig.boss_size_mm[2]) for lane in rig.lanes]
    seen = lower.project(np.array([(marker.x_mm, marker.y_mm, marker.z_mm) for marker in rig.markers] + boss))
    room_px = min(seen.min(), (np.array((768, 432)) - seen).min())
    assert room_px < 40, "no higher than is needed"


def test_the_camera_of_the_standard_table_is_drawn_where_it_was_measured() -> None:
    assert camera_place(Rig()) == (CAMERA_MM, AIM_MM)
