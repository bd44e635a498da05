"""The doors of the command through which files come in, each with good files to begin from."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from appliance.games.table_data_files import games_with_files
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.evening import EVENING, write_kept
from appliance.journal.safekeeping.evening import Kept as KeptOfGuests
from calibration.camera.intrinsics import to_toml as camera_toml
from calibration.track.fit import to_toml as rig_toml
from hardware.recording.recording_format import FORMAT
from hardware.rig import Rig
from hardware.scale.scale_model import FORMAT as SCALE_FORMAT
from hardware.twin.drawing.viewpoint import twin_camera
from tests.appliance.journal.crashed import COPY, JOURNAL, Kept
from tests.fuzz.mutations import mutated
from tests.places import RECORDINGS

CAMERA = camera_toml(twin_camera(768, 432)).encode()
RIG = rig_toml(Rig()).encode()
SCALE = f"""format = "{SCALE_FORMAT}"
made_utc = "2026-03-01T12:00:00+00:00"
zero_counts = 84321.0
counts_per_gram = 1013.0
white_sd_g = 0.006
drift_g_per_sqrt_s = 0.003
hum_g = 0.01
hum_hz = 2.0

[[points]]
mass_g = 0.0
counts = 84321.0
sd_counts = 1.0
""".encode()
SETTINGS = b'port = 8081\nlanguage = "de"\ngrace_s = 2.5\ncamera = "opencv:0"\npin_buzzer = 18\ndata_dir = "here"\n'

Maker = Callable[[random.Random], bytes]


class Door(NamedTuple):
    """One way in: what is thrown, under which name, and the commands that read it (`{bad}` stands for the file).

    `beside` are good files that the commands need, by name.
    """

    name: str
    file: str
    throw: Maker
    commands: tuple[tuple[str, ...], ...]
    beside: dict[str, bytes]


def _bent(good: Callable[[], Sequence[bytes]]) -> Maker:
    return lambda rng: mutated(rng, good())


@cache
def transcripts() -> tuple[bytes, ...]:
    """Recorded games of every kind, the short ones: a step of a long one takes its time."""
    found = [path.read_bytes() for path in sorted(RECORDINGS.rglob("*.jsonl"))]
    return tuple(each for each in found if len(each) < 6000)


@cache
def owners_files() -> tuple[bytes, ...]:
    return tuple(reader.EXAMPLE.read_bytes() for reader in games_with_files().values())


@cache
def counts() -> tuple[bytes, ...]:
    rng = np.random.default_rng(1)
    found = []
    for unit, gram, zero in (("counts", 1013.0, 84321.0), ("grams", 1.0, 0.0)):
        t_s = np.arange(150) / 10
        load_g = np.where(t_s % 10 > 5, 25.0, 0.0) + rng.normal(0, 0.006, t_s.size)
        rows = (f"{t:.1f},{zero + gram * g:.6g}" for t, g in zip(t_s, load_g, strict=True))
        found.append("\n".join([f"t_s,{unit}", *rows]).encode() + b"\n")
    return tuple(found)


def _picture(suffix: str) -> bytes:
    image = np.random.default_rng(2).integers(0, 255, (108, 192, 3)).astype(np.uint8)
    cv2.circle(image, (96, 54), 30, (80, 90, 240), -1)
    return bytes(cv2.imencode(suffix, image)[1].tobytes())


@cache
def pictures() -> tuple[bytes, ...]:
    return tuple(_picture(suffix) for suffix in (".jpg", ".png", ".bmp", ".tif", ".webp"))


@cache
def clips() -> tuple[bytes, ...]:
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix, code in ((".avi", "MJPG"), (".mp4", "mp4v")):
            path = Path(folder) / f"clip{suffix}"
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 30.0, (192, 108))
            for shade in range(6):
                writer.write(np.full((108, 192, 3), 40 * shade, np.uint8))
            writer.release()
            found.append(path.read_bytes())
    return tuple(found)


@cache
def backups() -> tuple[bytes, ...]:
    """What `smugglers restore` takes: a backup with what is kept of guests, and a table's own copy."""
    import tempfile

    with tempfile.TemporaryDirectory() as top:
        table = Kept(Path(top))
        write_kept(Path(top) / EVENING, KeptOfGuests(erased={"ann": 2}, house_rules={"porters": {"ours": {"n": 1}}}))
        table.open()
        table.half_a_round()
        table.keeper.copy()
        back_up(Path(top) / JOURNAL, Path(top) / "backup")
        table.close()
        return (Path(top) / "backup").read_bytes(), (Path(top) / COPY).read_bytes()


@cache
def members() -> tuple[tuple[str, bytes], ...]:
    """What a small recording holds, by name."""
    head = (
        f'{{"format":"{FORMAT}","made_utc":"2026-03-01T12:00:00+00:00","hardware":"twin","picture":"whole",'
        '"consent":"yes","calibration":{}}'
    )
    weighed = counts()[0].decode().splitlines()[1:]
    samples = (each.split(",") for each in weighed)
    facts = "".join(f'{{"fact":"counts","t_s":{t},"counts":{round(float(v))}}}\n' for t, v in samples)
    facts += '{"fact":"edge","t_s":15.1,"beam":"front","broken":true}\n'
    facts += '{"fact":"health","t_s":15.2,"device":"scale","status":"ok","code":"scale_ok"}\n'
    facts += '{"fact":"button","t_s":15.3,"button":"hourglass"}\n'
    facts += '{"fact":"frame","t_s":15.4,"index":0,"file":"frames/000000.jpg"}\n'
    end = b'{"ended":"stopped","frames":1,"counts":150,"edges":1}'
    return (
        ("head.json", _with_calibration(head)),
        ("frames/000000.jpg", _picture(".jpg")),
        ("facts/000000.jsonl", facts.encode()),
        ("end.json", end),
    )


def _with_calibration(head: str) -> bytes:
    import json

    whole = json.loads(head)
    whole["calibration"] = {"camera.toml": CAMERA.decode(), "rig.toml": RIG.decode(), "scale.toml": SCALE.decode()}
    return json.dumps(whole).encode()


def packed(contents: Sequence[tuple[str, bytes]]) -> bytes:
    """Return members as the tar file that a recording is."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in contents:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


def _recording(rng: random.Random) -> bytes:
    """Half of them bent as tar files, half in what their members say."""
    if rng.random() < 0.4:
        return mutated(rng, (packed(members()),))
    contents = list(members())
    at = rng.randrange(len(contents))
    name, content = contents[at]
    contents[at] = (name, mutated(rng, (content,)))
    return packed(contents)


PLAIN_AND_JSON = ((), ("--json",))

DOORS = (
    Door("transcripts", "game.jsonl", _bent(transcripts), (("replay", "{bad}"),), {}),
    Door("backups", "journal.copy", _bent(backups), (("restore", "{bad}"),), {}),
    Door(
        "owners' files",
        "own.toml",
        _bent(owners_files),
        tuple(("files", "check", "{bad}", *how) for how in PLAIN_AND_JSON),
        {},
    ),
    Door(
        "settings",
        "settings.toml",
        _bent(lambda: (SETTINGS,)),
        (("files", "check", "{own.toml}", "--settings", "{bad}"),),
        {"own.toml": owners_files()[0]},
    ),
    Door(
        "counts",
        "run.csv",
        _bent(counts),
        (
            *(("weigh", "--from", "{bad}", "--scale", "{scale.toml}", *how) for how in PLAIN_AND_JSON),
            ("calibrate", "scale", "--point", "0={bad}", "--point", "25={run2.csv}", "--out", "{out.toml}"),
        ),
        {"scale.toml": SCALE, "run2.csv": counts()[0]},
    ),
    Door(
        "scale files",
        "scale.toml",
        _bent(lambda: (SCALE,)),
        tuple(("weigh", "--from", "{run.csv}", "--scale", "{bad}", *how) for how in PLAIN_AND_JSON),
        {"run.csv": counts()[0]},
    ),
    Door(
        "camera files",
        "camera.toml",
        _bent(lambda: (CAMERA,)),
        (("see", "{picture.jpg}", "--camera", "{bad}"),),
        {"picture.jpg": pictures()[0]},
    ),
    Door(
        "rig files",
        "rig.toml",
        _bent(lambda: (RIG,)),
        (
            ("see", "{picture.jpg}", "--camera", "{camera.toml}", "--rig", "{bad}"),
            ("calibrate", "sheets", "--rig", "{bad}", "--out", "{sheets.pdf}"),
            ("calibrate", "measures", "--rig", "{bad}"),
        ),
        {"picture.jpg": pictures()[0], "camera.toml": CAMERA},
    ),
    Door(
        "recordings",
        "bad.rec",
        _recording,
        (("weigh", "--from", "{bad}"), ("see", "{bad}", "--json")),
        {},
    ),
    Door(
        "pictures",
        "bad.jpg",
        _bent(pictures),
        (
            *(("see", "{bad}", "--as", kind, "--json") for kind in ("die", "sphere", "gems")),
            ("see", "{bad}", "--camera", "{camera.toml}"),
        ),
        {"camera.toml": CAMERA},
    ),
    Door(
        "clips",
        "bad.mp4",
        _bent(clips),
        (("see", "{bad}", "--camera", "{camera.toml}"),),
        {"camera.toml": CAMERA},
    ),
)
