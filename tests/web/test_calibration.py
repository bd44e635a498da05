"""The calibrations as pages: the host's alone, refused in a game, led to a verdict, stopped without a trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from appliance.devices.scale_session import LiveSample, live_samples
from appliance.guided_calibration.devices import TwinBench
from appliance.guided_calibration.session import CalibrationDesk, DeskPaths
from appliance.journal.table_error import TableError
from appliance.settings import Settings
from calibration.scale.coins import KnownMass, parse_mass
from hardware.cameras.camera_model import load_camera
from hardware.clock import ManualClock
from hardware.rig import Rig, load_rig
from hardware.scale.load_cell import ReadFailure
from hardware.scale.scale_model import load_scale
from hardware.twin.drawing.viewpoint import twin_camera
from hardware.twin.world import scale_cell
from tests.web.stand import PIN, Stand
from web.app import create_app


class Desk:
    """A stand whose simulated devices live on a clock that waiting moves."""

    def __init__(self, folder: Path) -> None:
        self.stand = Stand(folder)
        clock = ManualClock(100.0)
        self.settings = Settings(data_dir=str(folder))
        self.loans: list[str] = []
        self.paths = DeskPaths(folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports")
        bench = TwinBench(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))
        self.touches: list[str] = []
        self.desk = CalibrationDesk(
            bench, self.paths, self.lent, self.game_open, twin_camera(), touched=lambda: self.touches.append("touched")
        )
        app = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            hardware_name="twin",
            desk=self.desk,
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
        """Let the desk's thread work; the wait is bounded and no assertion rests on its length."""
        for _ in range(30_000):
            if done():
                return
            time.sleep(0.01)
        raise AssertionError(self.desk.state)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.desk.close()
    made.stand.close()


def test_camera_then_track_lead_to_files_that_the_table_reads(desk: Desk) -> None:
    assert desk.post("/begin/camera") == 302
    desk.until(lambda: desk.desk.state.stage not in ("running", "asking"))
    assert desk.desk.state.stage == "done", desk.desk.state
    found, true = load_camera(desk.paths.camera), twin_camera(1536, 864)
    assert found.focal_px == pytest.approx(true.focal_px, rel=0.003)
    assert "good" in desk.panel()
    assert desk.host.get("/host/calibration/report/camera.png").data.startswith(b"\x89PNG")
    assert desk.post("/begin/track") == 302
    desk.until(lambda: desk.desk.state.stage != "running")
    rig = load_rig(desk.paths.track)
    assert [lane.x_mm for lane in rig.lanes] == pytest.approx([lane.x_mm for lane in Rig().lanes], abs=0.5)
    assert desk.loans == ["lent", "back"] * 2


def test_the_scale_asks_for_masses_and_learns_its_span(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))
    desk.post("/begin/scale")
    for number, mass in enumerate(("0", "50", "100")):
        desk.until(lambda n=number: desk.desk.state.stage == "asking" and len(desk.desk.state.points) == n)
        assert desk.post("/lay", mass=mass) == 302
    desk.until(lambda: desk.desk.state.stage == "asking" and len(desk.desk.state.points) == 3)
    assert len(desk.touches) == 4, "robots wait for whoever calibrates: begun, and a mass laid three times"
    assert "Enough masses" in desk.panel()
    assert "empty pan · 50 g · 100 g" in desk.panel()
    assert "leere Schale · 50 g · 100 g" in desk.panel("de")
    assert "(8,50 g)" in desk.panel("de")
    desk.post("/enough")
    desk.until(lambda: desk.desk.state.stage == "done")
    assert "One second of weighing is good to ±0." in desk.panel()
    assert "Eine Sekunde Wiegen ist auf ±0," in desk.panel("de")
    assert load_scale(desk.paths.scale).counts_per_gram == pytest.approx(scale_cell.COUNTS_PER_G, rel=0.002)


def test_strange_masses_are_refused_in_words(desk: Desk) -> None:
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    for mass in ("heavy", "-5", "nan", "9*euro:7"):
        assert desk.post("/lay", mass=mass) == 422
    assert desk.post("/lay", count="3", coin="moon:1") == 422
    refused = desk.host.post(
        "/host/calibration/lay", data={"mass": "heavy"}, headers={"Origin": "http://localhost"}
    ).get_data(as_text=True)
    assert 'href="/host/calibration">Try again' in refused
    assert desk.desk.state.points == ()


def test_stopping_leaves_no_file(desk: Desk) -> None:
    desk.post("/begin/camera")
    desk.until(lambda: bool(desk.desk.state.dots))
    assert desk.post("/begin/track") == 409
    desk.post("/cancel")
    desk.until(lambda: desk.desk.state.stage == "stopped")
    assert "as it was" in desk.panel()
    assert "wie es war" in desk.panel("de")
    assert not desk.paths.camera.exists()
    assert desk.loans == ["lent", "back"]


def test_a_game_that_is_open_or_is_opened_keeps_the_devices(desk: Desk) -> None:
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    desk.stand.open()
    desk.until(lambda: desk.desk.state.stage == "stopped")
    assert "because a game was opened. Everything is as it was" in desk.panel()
    assert "weil ein Spiel geöffnet wurde" in desk.panel("de")
    assert desk.post("/begin/scale") == 409
    assert desk.post("/undo/scale") == 409


def test_a_game_opened_between_the_check_and_the_scale_is_not_called_a_bug(desk: Desk) -> None:
    """The desk saw no game; when the real scale is opened there is one, and its own check refuses."""

    def samples() -> Generator[LiveSample]:
        desk.stand.open()
        desk.desk._game_open = lambda: False  # the desk has not seen it yet
        return live_samples(desk.settings)

    desk.desk._bench.samples = samples  # type: ignore[method-assign]  # the real scale's way to its samples
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage != "running")
    assert (desk.desk.state.stage, desk.desk.state.code) == ("stopped", "")
    assert "because a game was opened. Everything is as it was" in desk.panel()
    assert "weil ein Spiel geöffnet wurde" in desk.panel("de")
    assert desk.loans == ["lent", "back"]
    assert not desk.paths.scale.exists()


def test_a_journal_that_fails_meanwhile_is_told_with_what_to_do(desk: Desk) -> None:
    def nobody_knows() -> bool:
        if desk.desk.state.stage == "asking":
            raise TableError("disk_failing", path="journal.sqlite3")
        return False

    desk.desk._game_open = nobody_knows
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "failed")
    assert desk.desk.state.code == "disk_failing"
    assert "journal.sqlite3 cannot be read or written by the disk: replace the card" in desk.panel()
    assert "die Karte austauschen" in desk.panel("de")


def test_undo_brings_the_file_before_back(desk: Desk) -> None:
    from calibration import store

    assert desk.post("/undo/scale") == 409
    store.write(desk.paths.scale, "first")
    store.write(desk.paths.scale, "second")
    assert "/undo/scale" in desk.panel()
    assert desk.post("/undo/scale") == 302
    assert desk.paths.scale.read_text() == "first"
    assert desk.loans == ["lent", "back"]


def test_only_the_host_calibrates(desk: Desk) -> None:
    for path in ("", "/panel", "/report/camera.png", "/sheets.pdf"):
        answer = desk.other.get(f"/host/calibration{path}")
        assert answer.status_code == 302
        assert "/host/unlock" in answer.headers["Location"]
    for path in ("/begin/camera", "/lay", "/enough", "/cancel", "/undo/scale"):
        answer = desk.other.post(f"/host/calibration{path}", headers={"Origin": "http://localhost"})
        assert answer.status_code == 403
    assert desk.desk.state.stage == "idle"


def test_what_is_not_there_is_not_found(desk: Desk) -> None:
    assert desk.post("/begin/toaster") == 404
    assert desk.host.get("/host/calibration/report/camera.png").status_code == 404
    assert desk.host.get("/host/calibration/report/..%2fhost.png").status_code == 404


def test_the_sheets_are_there_to_print(desk: Desk) -> None:
    assert desk.host.get("/host/calibration/sheets.pdf").data.startswith(b"%PDF-")


def test_balls_teach_the_table_from_the_touchscreen(desk: Desk) -> None:
    assert desk.post("/begin/balls") == 302
    for putty, size, tenths in (("green", "20", "5"), ("", "40", "0")):
        desk.until(lambda: desk.desk.state.stage == "asking")
        assert desk.post("/lay", putty="blue") == 422
        assert desk.post("/lay", putty=putty, size=size, tenths=tenths) == 302
        desk.until(lambda: desk.desk.state.stage != "asking")
    desk.until(lambda: desk.desk.state.stage == "asking")
    assert "green 20.5 mm · 40 mm" in desk.panel()
    assert "grün 20,5 mm · 40 mm" in desk.panel("de")
    assert desk.post("/enough") == 302
    desk.until(lambda: desk.desk.state.stage not in ("running", "asking"))
    assert desk.desk.state.stage == "done", desk.desk.state.why
    taught = load_rig(desk.paths.track)
    assert [putty.name for putty in taught.putties] == ["green"]
    assert 30.0 * taught.ball_scale + taught.ball_offset_mm == pytest.approx(30.0, abs=0.3)
    assert desk.loans == ["lent", "back"]
    assert desk.host.get("/host/calibration/report/balls.png").mimetype == "image/png"


def test_why_it_failed_is_said_in_the_viewers_language(desk: Desk) -> None:
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    desk.desk._bench.samples = lambda: iter(())  # a scale that says nothing more
    desk.post("/lay", mass="0")
    desk.until(lambda: desk.desk.state.stage == "failed")
    assert desk.desk.state.code == "scale_silent"
    assert "The scale stopped answering" in desk.panel()
    assert "Die Waage antwortet nicht mehr" in desk.panel("de")
    assert not desk.paths.scale.exists()


def test_a_damaged_rig_is_measured_anew_and_never_taught_balls(desk: Desk) -> None:
    desk.paths.track.write_bytes(b"\xff\x00 damaged")
    desk.post("/begin/balls")
    desk.until(lambda: desk.desk.state.stage == "failed")
    assert desk.desk.state.code == "rig_file_invalid"
    assert "is damaged" in desk.panel()
    assert "ist beschädigt" in desk.panel("de")
    assert desk.paths.track.read_bytes() == b"\xff\x00 damaged"
    desk.post("/begin/track")
    desk.until(lambda: desk.desk.state.stage not in ("running", "asking"))
    assert desk.desk.state.stage == "done", desk.desk.state.why
    assert load_rig(desk.paths.track).source == "calibrated"
    desk.post("/undo/track")
    assert desk.paths.track.read_bytes() == b"\xff\x00 damaged"


def test_a_mass_that_is_too_heavy_is_told_from_a_loose_wire(desk: Desk) -> None:
    at_once = ReadFailure(
        0.5, "saturated_high"
    )  # taken when it is seen, before any question, whether it answers at all
    answers = iter([at_once, ReadFailure(1.0, "saturated_high"), ReadFailure(2.0, "no_answer")])
    seen: list[str] = []

    def samples() -> Iterator[ReadFailure]:
        for failure in answers:
            yield failure
            seen.append(desk.panel("de"))

    desk.desk._bench.samples = samples  # type: ignore[method-assign,assignment]  # a scale that never gives a number
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    desk.post("/lay", mass="0")
    desk.until(lambda: desk.desk.state.stage == "failed")
    assert "am Anschlag" in seen[0]
    assert "antwortet nicht" in seen[1]


def test_a_double_tap_answers_one_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appliance.guided_calibration.procedures.PointCollector.__init__.__defaults__", (4.0,))
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    for _ in range(3):
        desk.desk._dialogue.answer(parse_mass("0"))  # taps that came before the page could change
    desk.until(lambda: desk.desk.state.stage == "asking" and len(desk.desk.state.points) == 1)
    assert desk.post("/lay", mass="100") == 302
    desk.until(lambda: desk.desk.state.stage == "asking" and len(desk.desk.state.points) == 2)
    assert [known.mass_g for known in desk.desk.state.points if isinstance(known, KnownMass)] == [0.0, 100.0]


def test_with_a_game_open_the_page_says_so_at_once_and_leads_to_it(desk: Desk) -> None:
    assert "/kiosk/table" not in desk.panel()
    assert "disabled" not in desk.panel()
    desk.stand.open()
    panel = desk.panel()
    assert panel.index("A game is open") < panel.index("/begin/camera")
    assert 'href="/kiosk"' in panel
    assert panel.count(" disabled>") == 4
    assert "Ein Spiel ist offen" in desk.panel("de")


def test_progress_is_not_called_done_and_nobody_promises_seconds(desk: Desk) -> None:
    assert "seconds" not in desk.panel()
    desk.post("/begin/scale")
    desk.until(lambda: desk.desk.state.stage == "asking")
    panel = desk.panel()
    assert "Progress" in panel
    assert "0 %" in panel
    assert "Done" not in panel
    assert "Fortschritt" in desk.panel("de")


def test_the_own_screen_downloads_nothing(desk: Desk) -> None:
    page = desk.host.get("/host/calibration").get_data(as_text=True)
    assert 'href="/host/calibration/sheets.pdf"' not in page
    assert "/host/calibration/sheets.pdf on a device with a printer" in page
    here = {"base_url": "http://192.0.2.7", "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"}}
    desk.other.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://192.0.2.7"}, **here)
    assert 'href="/host/calibration/sheets.pdf"' in desk.other.get("/host/calibration", **here).get_data(as_text=True)
