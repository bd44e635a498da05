"""Recordings: what is agreed to and nothing else, bounded, robust to cuts, replayed through the real senses."""

from __future__ import annotations

import json
import shutil
import signal
import tarfile
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.commands.senses.record import command as record
from appliance.commands.senses.see import command as see
from appliance.commands.senses.weigh import command as weigh
from appliance.composition import senses
from appliance.devices.calibration_files import twin_calibration
from appliance.sensing.recordings.recorder import Recorder
from appliance.sensing.recordings.replay import recorded_passages, replayed
from appliance.service.lifecycle import Part
from appliance.settings import Settings
from appliance.words.catalogues import words
from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.readings import BeamPassage, DeviceHealth, MassSettled, PassageSeen, Reading
from hardware.recording.recording_format import Fact, Head, SenseRecordingError
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import RecordingWriter
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.scene import Scene
from tests.places import RECORDINGS

pytestmark = pytest.mark.slow

SENSES = RECORDINGS / "senses"
RECORDED = SENSES / "pass-weigh-and-stick.rec"


def truth() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(RECORDED.with_suffix(".truth.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def readings() -> list[Reading]:
    return list(replayed(Recording(RECORDED)))


def test_the_regression_recording_is_small() -> None:
    assert RECORDED.stat().st_size <= 10**6


def test_the_camera_sees_the_pass_that_happened(readings: list[Reading]) -> None:
    rolled = truth()[0]
    (seen,) = [reading for reading in readings if isinstance(reading, PassageSeen)]
    assert (seen.outcome, seen.lane, seen.colour) == (rolled["outcome"], rolled["lane"], rolled["colour"])
    assert seen.crossed_s == pytest.approx(rolled["crossed_s"], abs=0.5 / 28)


def test_the_beams_see_the_pass_and_the_stuck_sphere(readings: list[Reading]) -> None:
    passed, stuck = [reading for reading in readings if isinstance(reading, BeamPassage)]
    assert passed.outcome == "passed"
    assert passed.crossed_s == pytest.approx(truth()[0]["crossed_s"], abs=0.03)
    assert stuck.outcome == "blocked"
    assert truth()[2]["outcome"] == "stuck"


def test_the_scale_weighs_what_lay_on_the_pan(readings: list[Reading]) -> None:
    (mass,) = [reading for reading in readings if isinstance(reading, MassSettled)]
    assert mass.mass_g == pytest.approx(truth()[1]["mass_g"], abs=4 * mass.sd_g + 0.01)


def test_a_recording_replays_the_same_every_time(readings: list[Reading]) -> None:
    assert list(replayed(Recording(RECORDED))) == readings


def test_see_and_weigh_read_recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(see, [str(RECORDED), "--json"])
    assert result.exit_code == 0, result.output
    passage = json.loads(result.stdout)
    assert (passage["kind"], passage["outcome"], passage["lane"]) == ("passage", "passed", truth()[0]["lane"])
    result = CliRunner().invoke(weigh, ["--from", str(RECORDED), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["mass_g"] == pytest.approx(truth()[1]["mass_g"], abs=0.05)


def test_see_and_weigh_say_that_a_recording_was_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    cut = tmp_path / "cut.rec"
    cut.write_bytes(RECORDED.read_bytes()[: RECORDED.stat().st_size // 2])
    for result in (CliRunner().invoke(see, [str(cut)]), CliRunner().invoke(weigh, ["--from", str(cut)])):
        assert result.exit_code == 0
        assert "cut short" in result.stderr


def test_who_is_recorded_is_asked_in_the_language_of_the_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    out = tmp_path / "a.rec"
    monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: [])
    monkeypatch.setattr(
        "appliance.commands.senses.record._record", lambda recorder, *_: recorder.take(Sample(1.0, 4_000))
    )
    refused = CliRunner().invoke(record, ["--twin", "--out", str(out)], input="yes\n")
    assert refused.exit_code == 1
    assert "Kein Ton." in refused.stdout
    assert not out.exists()
    agreed = CliRunner().invoke(record, ["--twin", "--out", str(out)], input="Ja\n")
    assert agreed.exit_code == 0, agreed.output
    assert Recording(out).head.consent == words("de").say("record.consent.track")


@pytest.mark.parametrize("kept", [0.999, 0.8, 0.5, 0.1])
def test_what_comes_before_a_cut_is_read(tmp_path: Path, kept: float) -> None:
    whole = RECORDED.read_bytes()
    cut = tmp_path / "cut.rec"
    cut.write_bytes(whole[: int(len(whole) * kept)])
    recording = Recording(cut)
    facts, all_facts = list(recording.facts()), list(Recording(RECORDED).facts())
    assert recording.ended == ("stopped" if kept > 0.99 else "cut_short")
    assert [fact.t_s for fact in facts] == [fact.t_s for fact in all_facts[: len(facts)]]
    lost_frames = sum(isinstance(fact, Frame) for fact in all_facts) * (1 - kept)
    assert sum(isinstance(fact, Frame) for fact in all_facts[len(facts) :]) <= lost_frames + 60


def outcome(path: Path) -> str:
    try:
        list(Recording(path).facts())
    except SenseRecordingError as error:
        return error.code
    return "read"


def test_every_cut_is_read_or_refused_in_words(tmp_path: Path) -> None:
    whole = RECORDED.read_bytes()
    cut = tmp_path / "cut.rec"
    codes = set()
    for length in [*range(0, 6000, 331), *range(20_000, 60_000, 9_973)]:
        cut.write_bytes(whole[:length])
        codes.add(outcome(cut))
    assert codes == {"read", "recording_invalid"}


def member(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    import io

    tar.addfile(info, io.BytesIO(content))


HEAD = Head(made_utc="2026-05-01T00:00:00+00:00", hardware="twin", picture="whole", consent="yes", calibration={})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("facts/0.jsonl", b'{"fact":"counts","t_s":1.0,"counts":"many"}\n'),
        ("facts/0.jsonl", b'{"fact":"dream","t_s":1.0}\n'),
        ("facts/0.jsonl", b'{"fact":"counts","t_s":NaN,"counts":1}\n'),
        ("facts/0.jsonl", b'{"fact":"frame","t_s":1.0,"index":0,"file":"../../etc/passwd"}\n'),
        ("facts/0.jsonl", b"\xff\xfe\n"),
        ("facts/0.jsonl", b'{"fact":"%s","t_s":1.0}\n' % (b"dream" * 9999)),
        ("facts/0.jsonl", b'{"fact":"frame","t_s":1.0,"index":0,"file":"%s"}\n' % (b"dream" * 9999)),
        ("end.json", b"{}"),
    ],
)
def test_strange_contents_are_refused_in_words(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "strange.rec"
    with tarfile.open(path, "w") as tar:
        member(tar, "head.json", msgspec.json.encode(HEAD))
        member(tar, name, content)
    with pytest.raises(SenseRecordingError) as refused:
        list(Recording(path).facts())
    assert refused.value.code == "recording_invalid"
    assert len(str(refused.value)) < len(str(path)) + 400


def test_a_picture_that_claims_to_be_huge_is_not_decoded(tmp_path: Path) -> None:
    _, data = cv2.imencode(".jpg", np.zeros((64, 64, 3), np.uint8))
    jpeg = bytearray(data.tobytes())
    sizes = jpeg.index(b"\xff\xc0") + 5
    jpeg[sizes : sizes + 4] = b"\xff\xdc\xff\xdc"
    path = tmp_path / "huge.rec"
    with tarfile.open(path, "w") as tar:
        member(tar, "head.json", msgspec.json.encode(HEAD))
        member(tar, "frames/0.jpg", bytes(jpeg))
        member(tar, "facts/0.jsonl", b'{"fact":"frame","t_s":1.0,"index":0,"file":"frames/0.jpg"}\n')
    with pytest.raises(SenseRecordingError, match="not a picture"):
        list(Recording(path).facts())


@pytest.mark.parametrize("content", [b"", b"not a tar at all, only words" * 50, b"\0" * 2048])
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.rec"
    path.write_bytes(content)
    with pytest.raises(SenseRecordingError) as refused:
        Recording(path)
    assert refused.value.code == "recording_invalid"


FACTS: list[Fact] = [
    Sample(1.0, -5),
    BeamEdge(1.1, "front", True),
    DeviceHealth(t_s=1.2, device="scale", status="ok", code="scale_ok"),
]


def test_facts_come_back_as_they_were(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=10**6)
    assert all(writer.add(fact) for fact in FACTS)
    writer.close()
    recording = Recording(tmp_path / "a.rec")
    assert list(recording.facts()) == FACTS
    assert recording.ended == "stopped"


def test_it_ends_at_its_size_limit_and_can_be_read(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=200_000)
    noise = np.random.default_rng(0).integers(0, 255, (200, 300, 3), np.uint8)
    number = 0
    while writer.add(Frame(number / 30, noise, number)):
        number += 1
        assert number < 1000
    assert writer.ended == "size_limit"
    assert (tmp_path / "a.rec").stat().st_size <= 200_000
    recording = Recording(tmp_path / "a.rec")
    assert len(list(recording.facts())) == number > 0
    assert recording.ended == "size_limit"


def test_it_ends_before_the_disk_is_full(tmp_path: Path) -> None:
    rooms = iter([10**9, 10**9, 10**6])
    writer = RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=10**9, free_bytes=lambda folder: next(rooms))
    taken = [writer.add(Sample(float(second), 0)) for second in range(6)]
    assert writer.ended == "disk_nearly_full"
    assert taken.count(True) == 3
    assert len(list(Recording(tmp_path / "a.rec").facts())) == 4


@pytest.mark.parametrize("seconds", [0, 4])
def test_a_recording_whose_folder_is_gone_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()

    def pulled(settings: Settings, recorder: Recorder, *, twin: bool) -> list[Part]:
        def start() -> None:
            shutil.rmtree(folder)
            for second in range(seconds):
                recorder.take(Sample(float(second), 0))
            if not seconds:
                raise KeyboardInterrupt

        return [Part(start, lambda: None)]

    monkeypatch.setattr(senses, "build_recording", pulled)
    done = CliRunner().invoke(main, ["record", "--twin", "--consent", "--out", str(folder / "a.rec")])
    assert done.exit_code == 2, done.output
    said = done.stderr.strip().splitlines()[-1]
    assert said.endswith(f"[{'recording_unwritable' if seconds else 'stopped'}]")
    assert not isinstance(done.exception, OSError)


def test_another_recording_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.rec").write_text("mine")
    with pytest.raises(SenseRecordingError) as refused:
        RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=10**6)
    assert refused.value.code == "recording_exists"
    assert (tmp_path / "a.rec").read_text() == "mine"


def recorder(path: Path, shown: str = "track") -> Recorder:
    rig, camera, _ = twin_calibration()
    head = msgspec.structs.replace(HEAD, picture=shown)
    return Recorder(RecordingWriter(path, head, most_bytes=10**8), shown, rig, camera)  # one of the two


def test_only_the_track_and_the_markers_are_recorded(tmp_path: Path) -> None:
    picture = Renderer(Rig(), twin_view()).picture(Scene(0.0))
    it = recorder(tmp_path / "a.rec")
    it.take(Frame(1.0, picture, 0))
    it.pump()
    it._writer.close()
    (frame,) = list(Recording(tmp_path / "a.rec").facts())
    assert isinstance(frame, Frame)

    def light_at(x_mm: float, y_mm: float, z_mm: float) -> int:
        x, y = twin_view().project(np.array([[x_mm, y_mm, z_mm]]))[0].round().astype(int)
        return int(frame.image[y - 2 : y + 3, x - 2 : x + 3].max())

    rig = Rig()
    assert light_at(*rig.pan_centre_mm, rig.pan_z_mm) < 12
    assert light_at(*rig.tray_centre_mm, rig.tray_z_mm) < 12
    assert light_at(-260.0, 100.0, 0.0) < 12
    assert light_at(0.0, 100.0, rig.ramp_z_mm(100.0)) > 60
    assert light_at(-200.0 + 18.0, -60.0, 0.5) > 60


def test_nothing_is_shown_while_nobody_knows_what_the_picture_shows(tmp_path: Path) -> None:
    it = recorder(tmp_path / "a.rec")
    it.take(Frame(1.0, np.full((432, 768, 3), 128, np.uint8), 0))
    it.pump()
    assert it.tally.frames == 0
    assert it.tally.waiting
    it.take(Frame(3.0, Renderer(Rig(), twin_view()).picture(Scene(0.0)), 1))
    it.pump()
    assert it.tally.frames == 1
    it.take(Frame(5.0, np.full((432, 768, 3), 128, np.uint8), 2))
    it.pump()
    assert it.tally.frames == 1, "the camera was turned away: the old mask hides nothing now"
    it._writer.close()


def test_without_a_typed_yes_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    out = tmp_path / "a.rec"
    for answer in ("no\n", "\n", "y\n", ""):
        result = CliRunner().invoke(record, ["--twin", "--out", str(out), "--seconds", "1"], input=answer)
        assert result.exit_code == 1
        assert words("en").say("record.consent.track") in result.stdout
        assert not out.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_recording_that_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    out = tmp_path / "a.rec"
    pump, signals = Recorder.pump, [number]

    def then_a_signal(self: Recorder) -> None:
        pump(self)
        if (self.tally.counts or self.tally.frames) and signals:
            signal.raise_signal(signals.pop())

    monkeypatch.setattr(Recorder, "pump", then_a_signal)
    # What starts in the background of a shell ignores SIGINT from its first moment, and under `nohup` SIGHUP.
    former = signal.signal(number, signal.default_int_handler)
    try:
        result = CliRunner().invoke(main, ["record", "--twin", "--out", str(out), "--consent"])
    finally:
        left = signal.signal(number, former)
    assert (result.exit_code, left) == (0, signal.default_int_handler)
    recording = Recording(out)
    assert list(recording.facts())
    assert recording.ended == "stopped"


def test_while_a_game_is_open_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("appliance.journal.open_game_check.game_is_open", lambda settings: True)
    result = CliRunner().invoke(main, ["record", "--out", str(tmp_path / "a.rec"), "--consent"])
    assert result.exit_code == 2
    assert "a game is open" in result.stderr
    assert not (tmp_path / "a.rec").exists()


def test_a_calibration_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    broken = msgspec.structs.replace(HEAD, calibration={"camera.toml": "width_px = 'wide'"})
    writer = RecordingWriter(tmp_path / "a.rec", broken, most_bytes=10**6)
    writer.close()
    with pytest.raises(SenseRecordingError) as refused:
        recorded_passages(Recording(tmp_path / "a.rec"))
    assert refused.value.code == "recording_calibration"


def test_the_lens_in_the_recording_is_the_one_that_took_it() -> None:
    text = Recording(RECORDED).head.calibration["camera.toml"]
    assert f"focal_px = [{twin_camera().focal_px[0]}" in text
