"""The calibrations as pages: the host's alone, refused in a game, led to a verdict, stopped without a trace."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from appliance.devices.scale_session import LiveSample, live_samples
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.session import CalibrationPaths, CalibrationSession
from appliance.journal.table_error import TableError
from appliance.settings import Settings
from calibration import store
from calibration.measures import changed
from calibration.scale.coins import KnownMass, parse_mass
from calibration.track.fit import to_toml as rig_toml
from hardware.cameras.camera_model import load_camera
from hardware.clock import ManualClock
from hardware.rig import Rig, load_rig
from hardware.scale.load_cell import ReadFailure
from hardware.scale.scale_model import load_scale
from hardware.twin.drawing.viewpoint import twin_camera
from hardware.twin.world import scale_cell
from tests.web.stand import PIN, Stand
from web.app import create_app

pytestmark = pytest.mark.slow


class CalibrationScreen:
    """A stand whose simulated devices live on a clock that waiting moves."""

    def __init__(self, folder: Path) -> None:
        self.stand = Stand(folder)
        clock = ManualClock(100.0)
        self.settings = Settings(data_dir=str(folder))
        self.loans: list[str] = []
        self.paths = CalibrationPaths(
            folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports"
        )
        devices = SimulatedDevices(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))
        self.touches: list[str] = []
        self.session = CalibrationSession(
            devices,
            self.paths,
            self.lent,
            self.game_open,
            twin_camera(),
            touched=lambda: self.touches.append("touched"),
        )
        app = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            hardware_name="twin",
            calibration_session=self.session,
        )
        self.host = app.test_client()
        self.host.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://localhost"})
        self.other = app.test_client()

    @contextmanager
    def lent(self) -> Iterator[None]:
        self.loans.append("lent")
        try:
            yield
        finally:
            self.loans.append("back")

    def game_open(self) -> bool:
        return self.stand.table.snapshot().game is not None

    def post(self, path: str, **form: str) -> int:
        answer = self.host.post(f"/host/calibration{path}", data=form, headers={"Origin": "http://localhost"})
        return answer.status_code

    def panel(self, language: str = "en") -> str:
        return self.host.get("/host/calibration/panel", headers={"Accept-Language": language}).get_data(as_text=True)

    def until(self, done: Callable[[], bool]) -> None:
        """Let the screen's thread work; the wait is bounded and no assertion rests on its length."""
        for _ in range(30_000):
            if done():
                return
            time.sleep(0.01)
        raise AssertionError(self.session.state)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[CalibrationScreen]:
    made = CalibrationScreen(tmp_path)
    yield made
    made.session.close()
    made.stand.close()


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
    for number, mass in enumerate(("0", "50", "100")):
        screen.until(lambda n=number: screen.session.state.stage == "asking" and len(screen.session.state.points) == n)
        assert screen.post("/lay", mass=mass) == 302
    screen.until(lambda: screen.session.state.stage == "asking" and len(screen.session.state.points) == 3)
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


def test_stopping_leaves_no_file(screen: CalibrationScreen) -> None:
    screen.post("/begin/camera")
    screen.until(lambda: bool(screen.session.state.dots))
    assert screen.post("/begin/track") == 409
    screen.post("/cancel")
    screen.until(lambda: screen.session.state.stage == "stopped")
    assert "as it was" in screen.panel()
    assert "wie es war" in screen.panel("de")
    assert not screen.paths.camera.exists()
    assert screen.loans == ["lent", "back"]


def test_a_game_that_is_open_or_is_opened_keeps_the_devices(screen: CalibrationScreen) -> None:
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    screen.stand.open()
    screen.until(lambda: screen.session.state.stage == "stopped")
    assert "because a game was opened. Everything is as it was" in screen.panel()
    assert "weil ein Spiel geöffnet wurde" in screen.panel("de")
    assert screen.post("/begin/scale") == 409
    assert screen.post("/undo/scale") == 409


def test_a_game_opened_between_the_check_and_the_scale_is_not_called_a_bug(screen: CalibrationScreen) -> None:
    """The screen saw no game; when the real scale is opened there is one, and its own check refuses."""

    def samples() -> Generator[LiveSample]:
        screen.stand.open()
        screen.session._game_open = lambda: False  # the screen has not seen it yet
        return live_samples(screen.settings)

    screen.session._devices.samples = samples  # type: ignore[method-assign]  # the real scale's way to its samples
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage != "running")
    assert (screen.session.state.stage, screen.session.state.code) == ("stopped", "")
    assert "because a game was opened. Everything is as it was" in screen.panel()
    assert "weil ein Spiel geöffnet wurde" in screen.panel("de")
    assert screen.loans == ["lent", "back"]
    assert not screen.paths.scale.exists()


def test_a_journal_that_fails_meanwhile_is_told_with_what_to_do(screen: CalibrationScreen) -> None:
    def nobody_knows() -> bool:
        if screen.session.state.stage == "asking":
            raise TableError("disk_failing", path="journal.sqlite3")
        return False

    screen.session._game_open = nobody_knows
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert screen.session.state.code == "disk_failing"
    assert "journal.sqlite3 cannot be read or written by the disk: replace the card" in screen.panel()
    assert "die Karte austauschen" in screen.panel("de")


def test_undo_brings_the_file_before_back(screen: CalibrationScreen) -> None:

    assert screen.post("/undo/scale") == 409
    store.write(screen.paths.scale, "first")
    store.write(screen.paths.scale, "second")
    assert "/undo/scale" in screen.panel()
    assert screen.post("/undo/scale") == 302
    assert screen.paths.scale.read_text() == "first"
    assert screen.loans == ["lent", "back"]


def test_only_the_host_calibrates(screen: CalibrationScreen) -> None:
    for path in ("", "/panel", "/report/camera.png", "/sheets.pdf"):
        answer = screen.other.get(f"/host/calibration{path}")
        assert answer.status_code == 302
        assert "/host/unlock" in answer.headers["Location"]
    for path in ("/begin/camera", "/lay", "/enough", "/cancel", "/undo/scale"):
        answer = screen.other.post(f"/host/calibration{path}", headers={"Origin": "http://localhost"})
        assert answer.status_code == 403
    assert screen.session.state.stage == "idle"


def test_what_is_not_there_is_not_found(screen: CalibrationScreen) -> None:
    assert screen.post("/begin/toaster") == 404
    assert screen.host.get("/host/calibration/report/camera.png").status_code == 404
    assert screen.host.get("/host/calibration/report/..%2fhost.png").status_code == 404


@pytest.mark.parametrize(("language", "names"), [("en", ("A4", "Letter")), ("de", ("A4", r"Letter \(USA\)"))])
def test_the_sheets_are_there_to_print_on_both_papers(
    screen: CalibrationScreen, language: str, names: tuple[str, str]
) -> None:
    from_phone: dict[str, Any] = {
        "base_url": "http://192.0.2.7",
        "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"},
        "headers": {"Accept-Language": language},
    }
    screen.other.post("/host/unlock", data={"pin": PIN}, **from_phone | {"headers": {"Origin": "http://192.0.2.7"}})
    page = screen.other.get("/host/calibration", **from_phone).get_data(as_text=True)
    for name, size_mm in zip(names, ((210.0, 297.0), (215.9, 279.4)), strict=True):
        link = re.search(rf'<a [^>]*href="([^"]+sheets.pdf[^"]*)">[^<]*{name}</a>', page)
        assert link is not None, name
        pdf = pypdfium2.PdfDocument(screen.other.get(link[1], **from_phone).data)
        sizes_mm = {tuple(round(points / 72 * 25.4, 1) for points in page.get_size()) for page in pdf}
        pdf.close()
        assert sizes_mm <= {size_mm, size_mm[::-1]}


def test_the_sheets_show_the_tables_own_measures_in_the_viewers_language(screen: CalibrationScreen) -> None:
    store.write(screen.paths.track, rig_toml(changed(Rig(), ["hole.3=28,75"])))
    pdf = pypdfium2.PdfDocument(screen.host.get("/host/calibration/sheets.pdf", headers={"Accept-Language": "de"}).data)
    said = "".join(page.get_textpage().get_text_bounded() for page in pdf)
    pdf.close()
    assert "28,75" in said
    assert "Streifen" in said


def test_sheets_of_a_damaged_rig_are_refused(screen: CalibrationScreen) -> None:
    screen.paths.track.write_text("hole = 400")
    answer = screen.host.get("/host/calibration/sheets.pdf")
    assert answer.status_code == 409
    assert "rig file is damaged" in answer.get_data(as_text=True)


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


def test_why_it_failed_is_said_in_the_viewers_language(screen: CalibrationScreen) -> None:
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    screen.session._devices.samples = lambda: iter(())  # a scale that says nothing more
    screen.post("/lay", mass="0")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert screen.session.state.code == "scale_silent"
    assert "The scale stopped answering" in screen.panel()
    assert "Die Waage antwortet nicht mehr" in screen.panel("de")
    assert not screen.paths.scale.exists()


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


def test_a_mass_that_is_too_heavy_is_told_from_a_loose_wire(screen: CalibrationScreen) -> None:
    at_once = ReadFailure(
        0.5, "saturated_high"
    )  # taken when it is seen, before any question, whether it answers at all
    answers = iter([at_once, ReadFailure(1.0, "saturated_high"), ReadFailure(2.0, "no_answer")])
    seen: list[str] = []

    def samples() -> Iterator[ReadFailure]:
        for failure in answers:
            yield failure
            seen.append(screen.panel("de"))

    screen.session._devices.samples = samples  # type: ignore[method-assign,assignment]  # a scale that never gives a number
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    screen.post("/lay", mass="0")
    screen.until(lambda: screen.session.state.stage == "failed")
    assert "am Anschlag" in seen[0]
    assert "antwortet nicht" in seen[1]


def test_a_double_tap_answers_one_question(screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    for _ in range(3):
        screen.session._dialogue.answer(parse_mass("0"))  # taps that came before the page could change
    screen.until(lambda: screen.session.state.stage == "asking" and len(screen.session.state.points) == 1)
    assert screen.post("/lay", mass="100") == 302
    screen.until(lambda: screen.session.state.stage == "asking" and len(screen.session.state.points) == 2)
    assert [known.mass_g for known in screen.session.state.points if isinstance(known, KnownMass)] == [0.0, 100.0]


def test_with_a_game_open_the_page_says_so_at_once_and_leads_to_it(screen: CalibrationScreen) -> None:
    assert "/kiosk/table" not in screen.panel()
    assert "disabled" not in screen.panel()
    screen.stand.open()
    panel = screen.panel()
    assert panel.index("A game is open") < panel.index("/begin/camera")
    assert 'href="/kiosk"' in panel
    assert panel.count(" disabled>") == 4
    assert "Ein Spiel ist offen" in screen.panel("de")


def test_progress_is_not_called_done_and_nobody_promises_seconds(screen: CalibrationScreen) -> None:
    assert "seconds" not in screen.panel()
    screen.post("/begin/scale")
    screen.until(lambda: screen.session.state.stage == "asking")
    panel = screen.panel()
    assert "Progress" in panel
    assert "0 %" in panel
    assert "Done" not in panel
    assert "Fortschritt" in screen.panel("de")


def test_the_own_screen_downloads_nothing(screen: CalibrationScreen) -> None:
    page = screen.host.get("/host/calibration").get_data(as_text=True)
    assert 'href="/host/calibration/sheets.pdf"' not in page
    assert "/host/calibration on a device with a printer" in page
    here = {"base_url": "http://192.0.2.7", "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"}}
    screen.other.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://192.0.2.7"}, **here)
    assert 'href="/host/calibration/sheets.pdf"' in screen.other.get("/host/calibration", **here).get_data(as_text=True)
