"""The procedures of calibration, led from the touchscreen: to files that the table reads, or to why they failed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import partial

import pytest

from appliance.words.catalogues import LANGUAGES, words_for
from calibration.scale.coins import KnownMass
from hardware.cameras.camera_model import load_camera
from hardware.rig import Rig
from hardware.rig_file import load_rig
from hardware.scale.load_cell import ReadFailure
from hardware.scale.scale_model import load_scale
from hardware.twin.drawing.viewpoint import twin_camera
from hardware.twin.world import scale_cell
from tests.appliance.guided_calibration.test_lost_devices import Wobbly
from tests.web.host.calibration_screen import CalibrationScreen

pytestmark = pytest.mark.slow


@pytest.mark.thorough
def test_camera_then_track_lead_to_files_that_the_table_reads(screen: CalibrationScreen) -> None:
    assert screen.post("/begin/camera") == 302
    screen.until(lambda: screen.session.state.stage not in ("running", "asking"))
    assert screen.session.state.stage == "done", screen.session.state
    found, true = load_camera(screen.paths.camera), twin_camera(1536, 864)
    assert found.focal_px == pytest.approx(true.focal_px, rel=0.003)
    assert "good" in screen.panel()
    assert screen.host.get("/host/calibration/report/camera.png").data.startswith(b"\x89PNG")
    assert screen.post("/begin/track") == 302
    screen.until(lambda: screen.session.state.stage != "running")
    rig = load_rig(screen.paths.track)
    assert [lane.x_mm for lane in rig.lanes] == pytest.approx([lane.x_mm for lane in Rig().lanes], abs=0.5)
    assert screen.loans == ["lent", "back"] * 2


def test_the_lens_is_made_sharp_before_the_eyes_of_who_stands_there_and_its_place_is_stored(
    screen: CalibrationScreen,
) -> None:
    bars: set[float] = set()

    def sharpening() -> bool:
        state = screen.session.state
        if state.sharpness is not None:
            bars.add(state.sharpness)
        return state.ask == "calibrate.focus.hold" or state.stage == "failed"

    screen.post("/begin/camera")
    screen.until(lambda: screen.session.state.ask == "calibrate.focus.wait")
    shown = screen.panel(), screen.panel("de")
    screen.until(sharpening)
    screen.until(lambda: screen.session.state.stage not in ("running", "asking"))
    assert len(bars) > 1, "it moved while the lens did"
    if "focusing" in shown[0]:
        assert "Sharpness" in shown[0]
    if "stellt scharf" in shown[1]:
        assert "Schärfe" in shown[1]
    board_is_mm = 700.0
    assert load_camera(screen.paths.camera).lens_position == pytest.approx(1000 / board_is_mm, rel=0.01)


def test_the_scale_asks_for_masses_and_learns_its_span(
    screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))
    screen.post("/begin/scale")

    def asks_for(number: int) -> bool:
        return screen.session.state.stage == "asking" and len(screen.session.state.points) == number

    for number, mass in enumerate(("0", "50", "100")):
        screen.until(partial(asks_for, number))
        assert screen.post("/lay", mass=mass) == 302
    screen.until(lambda: screen.session.state.stage == "asking" and len(screen.session.state.points) == 3)
    forms = re.findall(r'action="/host/calibration/(\w+)"', screen.panel())
    assert forms[:2] == ["enough", "cancel"], "a touchscreen shows what ends it without scrolling past all coins"
    assert set(forms[2:]) == {"lay"}
    assert len(screen.touches) == 4, "robots wait for whoever calibrates: begun, and a mass laid three times"
    assert "Enough masses" in screen.panel()
    assert "empty pan · 50 g · 100 g" in screen.panel()
    assert "leere Schale · 50 g · 100 g" in screen.panel("de")
    assert "(8,50 g)" in screen.panel("de")
    screen.post("/enough")
    screen.until(lambda: screen.session.state.stage == "done")
    assert "One second of weighing is accurate to ±0." in screen.panel()
    assert "Eine Sekunde Wiegen ist auf ±0," in screen.panel("de")
    assert load_scale(screen.paths.scale).counts_per_gram == pytest.approx(scale_cell.COUNTS_PER_G, rel=0.002)


def test_strange_masses_are_refused_in_words(screen: CalibrationScreen) -> None:
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    for mass in ("heavy", "-5", "nan", "9*euro:7"):
        assert screen.post("/lay", mass=mass) == 422
    assert screen.post("/lay", count="3", coin="moon:1") == 422
    refused = screen.host.post(
        "/host/calibration/lay", data={"mass": "heavy"}, headers={"Origin": "http://localhost"}
    ).get_data(as_text=True)
    assert 'href="/host/calibration">Try again' in refused
    assert screen.session.state.points == ()


def test_balls_teach_the_table_from_the_touchscreen(screen: CalibrationScreen) -> None:
    assert screen.post("/begin/balls") == 302
    for putty, size, tenths in (("green", "20", "5"), ("", "40", "0")):
        screen.until(lambda: screen.session.state.stage == "asking")
        assert screen.post("/lay", putty="blue") == 422
        assert screen.post("/lay", putty=putty, size=size, tenths=tenths) == 302
        screen.until(lambda: screen.session.state.stage != "asking")
    screen.until(lambda: screen.session.state.stage == "asking")
    assert "green 20.5 mm · 40 mm" in screen.panel()
    assert "grün 20,5 mm · 40 mm" in screen.panel("de")
    assert screen.post("/enough") == 302
    screen.until(lambda: screen.session.state.stage not in ("running", "asking"))
    assert screen.session.state.stage == "done", screen.session.state.why
    taught = load_rig(screen.paths.track)
    assert [putty.name for putty in taught.putties] == ["green"]
    assert 30.0 * taught.ball_scale + taught.ball_offset_mm == pytest.approx(30.0, abs=0.3)
    assert screen.loans == ["lent", "back"]
    assert screen.host.get("/host/calibration/report/balls.png").mimetype == "image/png"


def test_why_it_failed_is_said_in_the_viewers_language(
    screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    monkeypatch.setattr(screen.session._devices, "samples", lambda: iter(()))  # a scale that says nothing more
    screen.post("/lay", mass="0")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert screen.session.state.code == "scale_silent"
    assert "The scale stopped answering" in screen.panel()
    assert "Die Waage antwortet nicht mehr" in screen.panel("de")
    assert not screen.paths.scale.exists()


def test_nobody_is_told_an_option_of_a_command_at_the_touchscreen() -> None:
    """An option cannot be given there; what can be done with hands is said."""
    for language in LANGUAGES:
        for code in ("calibration_reversed", "calibration_not_reversed", "calibration_mass"):
            said = words_for(language).say(f"calibrate.why.{code}", {"text": "x"})
            assert "--" not in said, (language, code)
            assert code == "calibration_mass" or "A+" in said, (language, code)


def test_a_damaged_rig_is_measured_anew_and_never_taught_balls(screen: CalibrationScreen) -> None:
    screen.paths.track.write_bytes(b"\xff\x00 damaged")
    screen.post("/begin/balls")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert screen.session.state.code == "rig_file_invalid"
    assert "is damaged" in screen.panel()
    assert "ist beschädigt" in screen.panel("de")
    assert screen.paths.track.read_bytes() == b"\xff\x00 damaged"
    screen.post("/begin/track")
    screen.until(lambda: screen.session.state.stage not in ("running", "asking"))
    assert screen.session.state.stage == "done", screen.session.state.why
    assert load_rig(screen.paths.track).source == "calibrated"
    screen.post("/undo/track")
    assert screen.paths.track.read_bytes() == b"\xff\x00 damaged"


def test_a_mass_that_is_too_heavy_is_told_from_a_loose_wire(
    screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = ReadFailure(
        0.5, "saturated_high"
    )  # taken when it is seen, before any question, whether it answers at all
    answers = iter([at_once, ReadFailure(1.0, "saturated_high"), ReadFailure(2.0, "no_answer")])
    seen: list[str] = []

    def samples() -> Iterator[ReadFailure]:
        for failure in answers:
            yield failure
            seen.append(screen.panel("de"))

    monkeypatch.setattr(screen.session._devices, "samples", samples)  # a scale that never gives a number
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    screen.post("/lay", mass="0")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert "am Anschlag" in seen[0]
    assert "antwortet nicht" in seen[1]


def test_a_tap_answers_the_question_that_its_page_showed(
    screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second tap, or one in another tab, that comes when the next question is asked is dropped."""
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))

    def shown() -> str:
        (number,) = set(re.findall(r'name="question" value="(\d+)"', screen.panel()))
        return str(number)

    def weighed() -> list[float]:
        return [known.mass_g for known in screen.session.state.points if isinstance(known, KnownMass)]

    screen.post("/begin/scale")
    screen.asked("calibrate.scale.empty")
    empty = shown()
    screen.post("/lay", mass="0", question=empty)
    screen.asked("calibrate.scale.next")
    first = shown()
    for late in ({"question": empty}, {"question": "many"}, {"question": ""}):
        assert screen.post("/lay", mass="0", **late) == 302
    assert screen.post("/lay", mass="100", question=first) == 302
    screen.until(lambda: screen.session.state.stage == "asking" and len(screen.session.state.points) == 2)
    touched = len(screen.touches)
    assert screen.post("/lay", mass="100", question=first) == 302
    assert screen.post("/enough", question=first) == 302
    assert screen.session.state.stage == "asking"
    assert len(screen.touches) == touched, "it began nothing"
    screen.post("/cancel")
    screen.until(lambda: screen.session.state.stage == "stopped")
    assert weighed() == [0.0, 100.0]
    screen.post("/begin/scale")
    screen.asked("calibrate.scale.empty")
    assert shown() not in (empty, first), "a tab that was left open answers no later calibration"


def test_the_empty_pan_is_measured_once(screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))
    screen.post("/begin/scale")
    screen.asked("calibrate.scale.empty")
    screen.post("/lay", mass="0")
    screen.asked("calibrate.scale.next")
    assert screen.post("/lay", mass="0") == 302
    screen.asked("calibrate.scale.empty_is_known")
    assert "The empty pan is known already" in screen.panel()
    assert "Die leere Schale ist schon bekannt" in screen.panel("de")
    assert screen.post("/lay", mass="100") == 302
    screen.asked("calibrate.scale.next")
    assert [known.mass_g for known in screen.session.state.points if isinstance(known, KnownMass)] == [0.0, 100.0]


def test_a_camera_that_is_lost_is_told_while_it_is_away_and_can_be_stopped(screen: CalibrationScreen) -> None:
    screen.session._devices = Wobbly([3], absent=range(2, 10**9))
    screen.post("/begin/track")
    screen.until(lambda: screen.session.state.ask == "calibrate.why.camera_absent")
    for language in LANGUAGES:
        assert words_for(language).say("calibrate.why.camera_absent") in html.unescape(screen.panel(language))
    screen.post("/cancel")
    screen.until(lambda: screen.session.state.stage == "stopped")
    screen.until(lambda: screen.loans == ["lent", "back"])
