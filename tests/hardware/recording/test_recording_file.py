"""The file of a recording: facts come back, its size is bounded, and cuts and rubbish are read or refused in words."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.readings import DeviceHealth
from hardware.recording.recording_format import Fact, SenseRecordingError
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import RecordingWriter
from hardware.scale.load_cell import Sample
from tests.hardware.recording.a_recording import HEAD, RECORDED

pytestmark = pytest.mark.slow


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
    tar.addfile(info, io.BytesIO(content))


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


def test_another_recording_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.rec").write_text("mine")
    with pytest.raises(SenseRecordingError) as refused:
        RecordingWriter(tmp_path / "a.rec", HEAD, most_bytes=10**6)
    assert refused.value.code == "recording_exists"
    assert (tmp_path / "a.rec").read_text() == "mine"
