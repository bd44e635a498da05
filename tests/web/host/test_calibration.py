"""The calibrations as pages: the host's alone, refused in a game, stopped without a trace."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from appliance.devices.scale_session import LiveSample, live_samples
from appliance.words.errors import TableError
from calibration import store
from calibration.track.fit import to_toml
from hardware.rig import Rig
from tests.refused_writes import refused_writes
from tests.web.host.calibration_screen import CalibrationScreen

pytestmark = pytest.mark.slow


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


def test_a_game_opened_between_the_check_and_the_scale_is_not_called_a_bug(
    screen: CalibrationScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen saw no game; when the real scale is opened there is one, and its own check refuses."""

    def samples() -> Generator[LiveSample]:
        screen.stand.open()
        screen.session._game_open = lambda: False  # the screen has not seen it yet
        return live_samples(screen.settings)

    monkeypatch.setattr(screen.session._devices, "samples", samples)  # the real scale's way to its samples
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


def test_undo_names_who_wrote_both_versions_of_the_file_that_several_write(screen: CalibrationScreen) -> None:
    store.write(screen.paths.track, to_toml(Rig(source="calibrated"), "balls"))
    store.write(screen.paths.track, to_toml(Rig(source="by hand"), "measures"))
    assert screen.post("/undo/track") == 302
    assert "The version that “Balls” wrote is back." in screen.panel()
    assert "brings back the other one, of “Typed measures”." in screen.panel()
    assert "Die Fassung von „Kugeln“ ist wieder da." in screen.panel("de")
    assert screen.post("/undo/track") == 302
    assert "The version that “Typed measures” wrote is back." in screen.panel()
    store.write(screen.paths.track, "fence_top_mm = 75.0\n")
    assert screen.post("/undo/track") == 302
    assert "whether “Track”, “Balls” or typed measures made it" in screen.panel()


def test_undo_between_two_versions_of_one_writer_does_not_tell_them_apart_by_it(screen: CalibrationScreen) -> None:
    for mm in (36.0, 36.2):
        measured = Rig(source="by hand", fence_top_mm=mm + 40)
        store.write(screen.paths.track, to_toml(measured, "measures"))
    assert screen.post("/undo/track") == 302
    assert "The other version is back. “Typed measures” wrote both." in screen.panel()
    assert "Beide sind von „Getippte Maße“." in screen.panel("de")


def test_an_undo_that_finds_no_room_says_so_and_changes_nothing(screen: CalibrationScreen) -> None:
    file, before = screen.paths.scale, store.previous(screen.paths.scale)
    file.write_text("the last")
    before.write_text("the one before")
    with refused_writes(0):
        answer = screen.host.post("/host/calibration/undo/scale", headers={"Origin": "http://localhost"})
    assert answer.status_code == 507
    assert "free some space" in answer.text
    assert "no calibration before" not in answer.text
    assert (file.read_text(), before.read_text()) == ("the last", "the one before")
    assert screen.post("/undo/scale") == 302
    assert file.read_text() == "the one before"


def test_only_the_host_calibrates(screen: CalibrationScreen) -> None:
    for path in ("", "/panel", "/report/camera.png", "/sheets.pdf"):
        answer = screen.other.get(f"/host/calibration{path}")
        assert answer.status_code == 302
        assert "/host/unlock" in answer.headers["Location"]
    for path in ("/begin/camera", "/lay", "/enough", "/cancel", "/undo/scale"):
        answer = screen.other.post(f"/host/calibration{path}", headers={"Origin": "http://localhost"})
        assert answer.status_code == 403
    assert screen.session.state.stage == "idle"


@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir])
def test_a_report_that_is_no_file_is_not_found(screen: CalibrationScreen, made: Callable[[Path], None]) -> None:
    report = screen.paths.report("camera")
    report.parent.mkdir(parents=True, exist_ok=True)
    made(report)
    assert screen.host.get("/host/calibration/report/camera.png").status_code == 404


def test_what_is_not_there_is_not_found(screen: CalibrationScreen) -> None:
    assert screen.post("/begin/toaster") == 404
    assert screen.host.get("/host/calibration/report/camera.png").status_code == 404
    assert screen.host.get("/host/calibration/report/..%2fhost.png").status_code == 404


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
