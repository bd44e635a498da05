"""Every subcommand given what it cannot use: one sentence that says what to do, a code, and nothing of Python's."""

from __future__ import annotations

import os
import signal
import struct
import zlib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.sensing.recordings.recorder import Recorder
from hardware.beams.beam_monitor import BeamEdge
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import LEAST_FREE_BYTES
from hardware.scale.load_cell import LoadCellError, ReadFailure, Sample
from tests.appliance.commands.test_check import Interrupted
from tests.fuzz.doors import CAMERA, RIG, SCALE, counts, members, packed

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


def run(*arguments: str, answers: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=answers)


def code_of(result: Result) -> str:
    """The code of a refusal that is one sentence on stderr; "" of a usage error."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (1, 2)
    if "Usage:" in result.stderr:
        return ""
    (line,) = (line for line in result.stderr.splitlines() if line.strip())
    assert "Traceback" not in line
    return line.rsplit("[", 1)[1].rstrip("]") if line.endswith("]") else line.split(": ")[-2].strip('"')


def png(width: int, height: int) -> bytes:
    """A PNG of so many black pixels, in few bytes."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    lines = zlib.compress(bytes(1000), 9)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


JPEG_OF_4_GIGAPIXELS = bytes.fromhex("ffd8ffc0001108ffffffff03011100021100031100ffd9")


class TestFiles:
    @pytest.mark.parametrize("content", [png(60_000, 60_000), png(1_000_000, 1000), JPEG_OF_4_GIGAPIXELS])
    def test_a_picture_that_announces_gigabytes_is_not_decoded(
        self, content: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("vision.observe_file.cv2.imdecode", lambda *_: pytest.fail("it was decoded"))
        Path("bomb.png").write_bytes(content)
        result = run("see", "bomb.png", "--as", "die")
        assert "the picture says that it has more than 40 million pixels" in result.stderr
        assert code_of(result) == "unreadable_picture"
        assert result.exit_code == 2

    def test_a_clip_that_is_none_is_named_once(self) -> None:
        Path("camera.toml").write_bytes(CAMERA)
        Path("notes.mp4").write_text("not a video")
        assert run("see", "notes.mp4", "--camera", "camera.toml").stderr.count("notes.mp4") == 1

    def test_pipes_and_devices_are_not_even_opened(self) -> None:
        os.mkfifo("pipe")
        Path("run.csv").write_bytes(counts()[0])
        Path("camera.toml").write_bytes(CAMERA)
        assert "Not an ordinary file" in run("see", "pipe", "--as", "die").stderr
        assert "Not an ordinary file" in run("see", "/dev/zero", "--as", "die").stderr
        assert "unreadable_clip" in run("see", "/dev/null", "x.mp4", "--camera", "camera.toml").stderr
        assert code_of(run("weigh", "--from", "run.csv", "--scale", "pipe")) == "scale_file_unreadable"
        assert code_of(run("files", "check", "--settings", "/dev/zero")) == "unreadable"

    def test_sheets_replace_sheets_alone(self) -> None:
        Path("camera.toml").write_bytes(CAMERA)
        assert code_of(run("calibrate", "sheets", "--out", "camera.toml")) == "store_no_pdf"
        assert Path("camera.toml").read_bytes() == CAMERA
        for name in ("sheets.pdf", "sheets.pdf", "SHEETS.PDF"):
            assert run("calibrate", "sheets", "--out", name).exit_code == 0

    @pytest.mark.parametrize("name", ["sheets.svg", "sheets", "sheets.pdf.png"])
    def test_sheets_are_written_under_the_name_of_a_pdf_alone(self, name: str) -> None:
        assert code_of(run("calibrate", "sheets", "--out", name)) == "store_pdf_name"
        assert not Path(name).exists()

    def test_a_support_file_replaces_nothing(self) -> None:
        Path("seal.key").write_text("secret")
        assert code_of(run("support", "seal.key")) == "support_exists"
        assert Path("seal.key").read_text() == "secret"
        assert run("support", "s.zip").exit_code == 0
        assert code_of(run("support", "s.zip")) == "support_exists"
        assert code_of(run("support", "seal.key/s.zip")) == "support_unwritable"

    @pytest.mark.parametrize("what", ["pipe", "folder", "/dev/null/x"])
    def test_results_replace_no_device_and_no_folder(self, what: str) -> None:
        os.mkfifo("pipe")
        Path("folder").mkdir()
        assert code_of(run("calibrate", "sheets", "--out", what)) == "store_unwritable"
        assert Path("pipe").is_fifo()

    @pytest.mark.parametrize(
        ("good", "bad", "code"),
        [
            (SCALE, SCALE.replace(b"0.006", b"1e308"), "scale_file_invalid"),
            (SCALE, SCALE.replace(b"1013.0", b"1e-320"), "scale_file_invalid"),
            (SCALE, SCALE.replace(b"1013.0", b"1" * 5000), "scale_file_invalid"),
            (SCALE, b"a = " + b"[" * 3000, "scale_file_invalid"),
            (CAMERA, CAMERA.replace(b"768", b"1" * 5000), "camera_file_invalid"),
            (CAMERA, b"a = " + b"[" * 3000, "camera_file_invalid"),
            (CAMERA, b"a." * 20_000 + b"a = 1", "camera_file_invalid"),
            (RIG, RIG.replace(b"id = 0", b"id = 9223372036854775808"), "rig_file_invalid"),
            (RIG, RIG.replace(b"id = 0", b"id = 77"), "rig_file_invalid"),
            (RIG, RIG.replace(b"-200.0", b"1e300"), "rig_file_invalid"),
        ],
    )
    def test_measures_out_of_all_size_are_refused(self, good: bytes, bad: bytes, code: str) -> None:
        Path("run.csv").write_bytes(counts()[0])
        door = {
            SCALE: ("weigh", "--from", "run.csv", "--scale", "m.toml"),
            CAMERA: ("calibrate", "track", "x.png", "--out", "r.toml", "--camera", "m.toml"),
            RIG: ("calibrate", "sheets", "--rig", "m.toml"),
        }[good]
        assert bad != good
        Path("m.toml").write_bytes(bad)
        assert code_of(run(*door)) == code

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b'"counts":84', b'"counts":18446744073709551616'),
            (b'"t_s":3.0', b'"t_s":1e308'),
            (b'"index":0', b'"index":-1'),
            (b'{"fact":"edge"', b'{"a":' * 3000),
        ],
    )
    def test_facts_out_of_all_size_are_no_recording(self, old: bytes, new: bytes) -> None:
        bent = packed([(name, content.replace(old, new, 1)) for name, content in members()])
        assert bent != packed(members())
        Path("bad.rec").write_bytes(bent)
        assert code_of(run("weigh", "--from", "bad.rec")) == "recording_invalid"

    def test_names_that_no_disk_has(self) -> None:
        long = "x" * 400
        Path("camera.toml").write_bytes(CAMERA)
        assert "unreadable_picture" in run("see", long, "--as", "die").stderr
        assert "unreadable_clip" in run("see", f"{long}.mp4", "--camera", "camera.toml").stderr
        assert code_of(run("weigh", "--from", long)) == "recording_unreadable"
        assert code_of(run("weigh", "--scale", long)) == "scale_file_unreadable"
        assert code_of(run("backup", long)) == "journal_missing"
        assert "file_unreadable" in run("files", "check", long).stderr

    @pytest.mark.parametrize("make", [lambda path: path.write_text("a letter"), Path.mkdir], ids=["letter", "folder"])
    @pytest.mark.parametrize(
        "command", [("see", "x.jpg", "--as", "die"), ("record", "--out", "a.rec"), ("check", "--seconds", "3")]
    )
    def test_a_journal_that_cannot_be_read_may_hold_an_open_game(self, make: object, command: tuple[str, ...]) -> None:
        make(Path("data/journal.sqlite3"))  # type: ignore[operator]  # parametrised
        assert code_of(run(*command)) == "journal_unreadable"

    @pytest.mark.parametrize(
        ("name", "command"),
        [("web.key", "run"), ("demo/web.key", "demo"), ("demo/host.json", "demo"), ("demo/evening.json", "demo")],
    )
    def test_a_folder_in_place_of_a_file_of_the_table(self, name: str, command: str) -> None:
        Path("data", name).mkdir(parents=True)
        assert code_of(run(command)) == "file_unusable"

    @pytest.mark.parametrize("host", ["999.1.1.1", "192.0.2.77"])
    def test_a_host_that_is_none_of_this_machine(self, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SMUGGLERS_HOST", host)
        assert code_of(run("run")) == "host_unknown"


@pytest.mark.parametrize(
    "command",
    [
        ("demo", "--speed"),
        ("demo", "--seed"),
        ("check", "--twin", "--seconds"),
        ("record", "--twin", "--out", "a.rec", "--seconds"),
    ],
)
@pytest.mark.parametrize("number", ["nan", "inf", "-1", "1e999", "٣x", ""])
def test_numbers_that_are_none_or_out_of_range(command: tuple[str, ...], number: str) -> None:
    assert code_of(run(*command, number)) == ""


class TestBeforeAnybodyIsAsked:
    """Nobody empties a pan, agrees or waits for what could never be."""

    @pytest.fixture(autouse=True)
    def nobody_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rich.console.Console.input", lambda *_, **__: pytest.fail("it asked"))
        monkeypatch.setattr("click.prompt", lambda *_, **__: pytest.fail("it asked"))

    def test_the_scale_must_be_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_cell(*_: object, **__: object) -> None:
            raise LoadCellError("scale_no_gpio", "There are no pins.")

        monkeypatch.setattr("appliance.devices.scale_session.LoadCell", no_cell)
        assert code_of(run("calibrate", "scale")) == "scale_no_gpio"

    def test_the_scale_must_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Mute:
            def __init__(self, *_: object, **__: object) -> None:
                self.closed = False

            def sample(self) -> ReadFailure:
                return ReadFailure(1.0, "no_answer")

            def close(self) -> None:
                self.closed = True

        mute = Mute()
        monkeypatch.setattr("appliance.devices.scale_session.LoadCell", lambda *_, **__: mute)
        assert code_of(run("calibrate", "scale")) == "scale_silent"
        assert mute.closed

    def test_the_camera_must_be_there_before_a_ball_is_laid(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SMUGGLERS_CAMERA", "clip:nowhere.mp4")
        Path("camera.toml").write_bytes(CAMERA)
        result = run("calibrate", "balls", "--camera", "camera.toml")
        assert "camera_clip_unreadable" in result.stderr

    def test_pictures_are_read_before_a_ball_is_laid(self) -> None:
        Path("camera.toml").write_bytes(CAMERA)
        result = run("calibrate", "balls", "orange", "20.5=nowhere.png", "--camera", "camera.toml")
        assert code_of(result) == "unreadable_picture"

    @pytest.mark.parametrize("kind", ["camera", "track", "balls", "scale"])
    def test_the_files_must_have_a_place(self, kind: str) -> None:
        Path("file").touch()
        twin = ("calibrate", kind, "--twin", "--out")
        assert code_of(run(*twin, "file/scale.toml")) == "store_unwritable"
        assert code_of(run(*twin, "x.toml", "--report", "file/report.html")) == "store_unwritable"
        assert code_of(run(*twin, "x.png", "--report", "x.html")) == "store_same_place"

    def test_a_recording_must_have_senses_a_place_and_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("file").touch()
        Path("there.rec").touch()
        assert code_of(run("record", "--out", "a.rec")) == "recording_no_senses"
        assert "recording_exists" in run("record", "--twin", "--out", "there.rec").stderr
        assert "recording_unwritable" in run("record", "--twin", "--out", "file/a.rec").stderr
        monkeypatch.setattr("hardware.recording.recording_writer.free_bytes", lambda _: LEAST_FREE_BYTES - 1)
        assert "recording_no_room" in run("record", "--twin", "--out", "a.rec").stderr


class TestRecordingOfNothing:
    def test_it_is_an_error_and_leaves_no_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("appliance.composition.senses.must_have_senses", lambda _: None)
        result = run("record", "--out", "a.rec", "--consent", "--seconds", "1")
        assert result.exit_code == 2
        assert code_of(result) == "recording_empty"
        assert not Path("a.rec").exists()

    @pytest.mark.parametrize("more", [None, BeamEdge(2.0, "front", True), Sample(2.0, 4_000)])
    def test_the_levels_of_the_beams_at_the_start_are_nothing_and_one_fact_more_is_worth_its_file(
        self, more: BeamEdge | Sample | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def recorded(recorder: Recorder, *_: object) -> None:
            for fact in (BeamEdge(1.0, "front", False), BeamEdge(1.0, "back", False), more):
                recorder.take(fact)

        monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: [])
        monkeypatch.setattr("appliance.commands.senses.record._record", recorded)
        result = run("record", "--twin", "--out", "a.rec", "--consent")
        assert Path("a.rec").exists() == (more is not None)
        if more is None:
            assert (result.exit_code, code_of(result)) == (2, "recording_empty")
        else:
            assert result.exit_code == 0
            assert list(Recording(Path("a.rec")).facts())[-1] == more

    def test_ctrl_c_in_its_question_is_a_no(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def pressed(*_: object, **__: object) -> str:
            raise click.Abort

        monkeypatch.setattr("click.prompt", pressed)
        result = run("record", "--twin", "--out", "a.rec")
        assert (result.exit_code, result.stderr) == (1, "\nnothing was recorded\n")
        assert not Path("a.rec").exists()

    def test_ctrl_c_while_the_devices_start_stops_them_and_leaves_no_file(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        devices = [Interrupted(False), Interrupted(True)]
        monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: devices)
        result = run("record", "--twin", "--out", "a.rec", "--consent")
        assert result.exit_code == 2
        assert [device.told for device in devices] == [["start", "stop"]] * 2
        assert not Path("a.rec").exists()

    def test_so_does_sigterm(self, monkeypatch: pytest.MonkeyPatch) -> None:
        device = Interrupted(False)
        monkeypatch.setattr(device, "start", lambda: signal.raise_signal(signal.SIGTERM))
        monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: [device])
        former = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # without the command's own handler, nothing would end
        try:
            result = run("record", "--twin", "--out", "a.rec", "--consent", "--seconds", "1")
        finally:
            signal.signal(signal.SIGTERM, former)
        assert result.exit_code == 2
        assert "recording_empty" not in result.stderr, "it ended while the device started"
        assert device.told == ["stop"]
        assert not Path("a.rec").exists()

    def test_what_was_recorded_before_the_disk_failed_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pump, full = Recorder.pump, [os.open("/dev/full", os.O_WRONLY)]

        def until_it_fails(recorder: Recorder) -> None:
            pump(recorder)
            if full and recorder._writer._chunk:  # facts are written, not the head alone
                recorder._writer._file.flush()
                os.dup2(full[0], recorder._writer._file.fileno())
                os.close(full.pop())

        monkeypatch.setattr(Recorder, "pump", until_it_fails)
        result = run("record", "--twin", "--out", "a.rec", "--consent")
        assert result.exit_code == 2
        assert result.stderr.endswith("[recording_unwritable]\n")
        assert list(Recording(Path("a.rec")).facts())
