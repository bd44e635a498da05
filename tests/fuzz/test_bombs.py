"""Small files that say they are huge: pictures, recordings, transcripts, settings. Each is refused, and soon.

They run in a process of their own with little memory: a bomb that goes off ends that process and not the tests.
"""

from __future__ import annotations

import io
import json
import resource
import struct
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.fuzz.doors import CAMERA, counts, members, owners_files, packed, transcripts
from tests.patience import GIVEN_UP_S
from tests.places import ROOT

pytestmark = pytest.mark.slow

MEMORY_BYTES = 3 * 2**30
"""Address space, of which libraries map half a gigabyte."""
PROCESSOR_S = 40


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@cache
def png(width: int, height: int) -> bytes:
    rows = zlib.compressobj(6)
    line = bytes(min(1 + (width + 7) // 8, 10_000))
    data = b"".join(rows.compress(line) for _ in range(min(height, 2_000))) + rows.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head


def tiff(width: int, height: int) -> bytes:
    tags = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height), (279, 1))
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\x00" + struct.pack("<I", 8) + struct.pack("<H", len(tags)) + entries + bytes(4)


def recording(change: Callable[[str, bytes], tuple[str, bytes]]) -> bytes:
    return packed([change(name, content) for name, content in members()])


def giant_member() -> bytes:
    """A tar file whose first member says that it holds eight gigabytes."""
    info = tarfile.TarInfo("head.json")
    info.size = 8 * 2**30 - 1
    return info.tobuf(tarfile.USTAR_FORMAT) + b"{}" * 5000


def many_members() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for number in range(30_000):
            tar.addfile(tarfile.TarInfo(f"frames/{number:06d}.jpg"))
    return file.getvalue()


def swapped_in(name: str, content: bytes) -> bytes:
    return recording(lambda each, old: (each, content if each == name else old))


DEEP = b"[" * 200_000
HEAD = dict(members())["head.json"]
BOMBS: dict[str, tuple[str, Callable[[], bytes], tuple[str, ...]]] = {
    "png of 3.6 gigapixels": ("bad.png", lambda: png(60_000, 60_000), ("see", "{bad}", "--as", "die")),
    "png of 400 megapixels": ("bad.png", lambda: png(20_000, 20_000), ("see", "{bad}", "--as", "die")),
    "png of 2^31 by 2^31": ("bad.png", lambda: png(2**31 - 1, 2**31 - 1)[:4000], ("see", "{bad}", "--as", "sphere")),
    "bmp of 30000 by 30000": ("bad.bmp", lambda: bmp(30_000, 30_000), ("see", "{bad}", "--as", "die")),
    "bmp of negative height": ("bad.bmp", lambda: bmp(30_000, -(2**31)), ("see", "{bad}", "--as", "die")),
    "tiff of 100000 by 100000": ("bad.tif", lambda: tiff(100_000, 100_000), ("see", "{bad}", "--as", "gems")),
    "a picture bomb with a camera": (
        "bad.png",
        lambda: png(60_000, 60_000),
        ("see", "{bad}", "--camera", "{camera.toml}"),
    ),
    "recording with a member of 8 GB": ("bad.rec", lambda: giant_member(), ("see", "{bad}", "--json")),
    "recording with 30000 empty members": ("bad.rec", lambda: many_members(), ("see", "{bad}", "--json")),
    "recording with a picture bomb": (
        "bad.rec",
        lambda: swapped_in("frames/000000.jpg", png(60_000, 60_000)),
        ("see", "{bad}", "--json"),
    ),
    "recording with a deep head": ("bad.rec", lambda: swapped_in("head.json", DEEP), ("weigh", "--from", "{bad}")),
    "recording with deep facts": (
        "bad.rec",
        lambda: swapped_in("facts/000000.jsonl", DEEP),
        ("weigh", "--from", "{bad}"),
    ),
    "recording with deep calibration": (
        "bad.rec",
        lambda: swapped_in(
            "head.json", json.dumps({**json.loads(HEAD), "calibration": {"rig.toml": "a=" + "[" * 9000}}).encode()
        ),
        ("see", "{bad}", "--json"),
    ),
    "transcript of one deep line": ("bad.jsonl", lambda: DEEP, ("replay", "{bad}")),
    "transcript with a deep action": (
        "bad.jsonl",
        lambda: transcripts()[0].split(b"\n")[0] + b'\n{"do":' + DEEP[:60_000],
        ("replay", "{bad}"),
    ),
    "transcript of a million blank lines": ("bad.jsonl", lambda: b"\n" * 1_000_000, ("replay", "{bad}")),
    "counts of one endless line": (
        "bad.csv",
        lambda: b"t_s,counts\n" + b"9" * 30_000_000,
        ("weigh", "--from", "{bad}"),
    ),
    "counts of three million lines": (
        "bad.csv",
        lambda: b"t_s,counts\n" + b"".join(b"%d,84321\n" % number for number in range(3_000_000)),
        ("weigh", "--from", "{bad}", "--json"),
    ),
    "owner's file of deep arrays": ("own.toml", lambda: b"a = " + DEEP, ("files", "check", "{bad}")),
    "owner's file of dotted names": ("own.toml", lambda: b"a" + b".a" * 100_000 + b" = 1", ("files", "check", "{bad}")),
    "owner's file of 100 MB": ("own.toml", lambda: b"#" * 100_000_000, ("files", "check", "{bad}")),
    "settings of deep arrays": (
        "settings.toml",
        lambda: b"port = " + DEEP,
        ("files", "check", "{own.toml}", "--settings", "{bad}"),
    ),
    "camera file of deep tables": (
        "camera.toml",
        lambda: b"[" + b"a." * 3000 + b"a]\n" + CAMERA,
        ("see", "{picture.png}", "--camera", "{bad}"),
    ),
}


SOON = (
    "png of 3.6 gigapixels",
    "recording with a member of 8 GB",
    "transcript of one deep line",
    "settings of deep arrays",
)
"""Thrown by every run; the others by `make fuzz`."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in SOON else pytest.mark.fuzz) for one in BOMBS])
def test_a_bomb_is_refused_with_a_code_and_a_sentence(name: str, tmp_path: Path) -> None:
    file, content, command = BOMBS[name]
    beside = {"camera.toml": CAMERA, "own.toml": owners_files()[0], "picture.png": png(64, 64), "run.csv": counts()[0]}
    for each, data in (beside | {file: content()}).items():
        (tmp_path / each).write_bytes(data)
    arguments = [word.replace("{bad}", str(tmp_path / file)) for word in command]
    arguments = [str(tmp_path / word[1:-1]) if word.startswith("{") else word for word in arguments]

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))

    done = subprocess.run(
        [sys.executable, "-m", "appliance.commands.start", *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "SMUGGLERS_DATA_DIR": str(tmp_path / "data"), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        preexec_fn=little,
        timeout=GIVEN_UP_S,
        check=False,
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode in (1, 2), (done.returncode, said[-2000:])
    assert "Traceback" not in said
    assert len(said) < 20_000
