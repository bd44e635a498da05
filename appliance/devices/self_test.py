"""The self-test: what is wrong with this table, and how to repair it. It runs the same drivers as a game."""

from __future__ import annotations

import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from appliance.games.protocol import Area
from appliance.settings import Settings
from appliance.words import Words
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.readings import Device, DeviceHealth, Reading
from hardware.rig import RigError, load_rig
from hardware.scale.scale_model import ScaleError, load_scale

LEAST_FREE_MB = 200
DEVICES: tuple[Device, ...] = ("camera", "beams", "scale", "panel")
_STATUS: dict[str, Literal["good", "look", "bad"]] = {
    "ok": "good",
    "starting": "look",
    "absent": "bad",
    "faulty": "bad",
}
_STARTING = ("camera_starting", "scale_starting")
_OPTIONAL: frozenset[Device] = frozenset({"panel"})


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the report. `verdict`: good, look (a game can go on, but see to it), bad. `code` is stable."""

    what: str
    verdict: Literal["good", "look", "bad"]
    code: str
    sentence: str


class HealthCollector:
    """Takes readings in place of the table: keeps the devices' health and counts the readings."""

    def __init__(self) -> None:
        self.health: dict[Device, dict[str, DeviceHealth]] = {device: {} for device in DEVICES}
        self.readings: Counter[str] = Counter()

    def sense(self, reading: Reading) -> None:
        """Take a reading."""
        self.readings[type(reading).__name__] += 1
        if isinstance(reading, DeviceHealth):
            known = self.health[reading.device]
            sound = reading.status in ("ok", "starting")
            # Faults add up until the device reports that it is well; then only the newest report counts.
            for code, before in list(known.items()):
                if sound or before.status in ("ok", "starting"):
                    del known[code]
            known[reading.code] = reading

    def attention(self) -> frozenset[Area]:
        """Watch all areas."""
        return frozenset({"track", "tray", "boss", "pan"})

    @property
    def awaited(self) -> bool:
        """Whether a device has yet to say how it is."""
        needed = (list(self.health[device]) for device in DEVICES if device not in _OPTIONAL)
        return any(not codes or codes[-1] in _STARTING for codes in needed)

    def findings(self, say: Words) -> Iterator[Finding]:
        """Yield the state of each device, in a language."""
        for device in DEVICES:
            known = list(self.health[device].values())
            if not known:
                code = "silent" if device not in _OPTIONAL else "panel_ok"
                verdict: Literal["good", "look", "bad"] = "bad" if device not in _OPTIONAL else "good"
                sentence = "said nothing: is it switched on?" if verdict == "bad" else "ready"
                yield Finding(what=device, verdict=verdict, code=code, sentence=sentence)
            for health in known:
                verdict = _STATUS[health.status]
                if device in _OPTIONAL and verdict == "bad":
                    verdict = "look"
                yield Finding(what=device, verdict=verdict, code=health.code, sentence=say.say(f"health.{health.code}"))


def check_ground(settings: Settings, folder: Path) -> Iterator[Finding]:
    """Check what the appliance needs besides devices: folder, disk, port, calibrations."""
    yield _folder(folder)
    yield _port(settings)
    yield _file("lens calibration", settings.camera_path, load_camera, "smugglers calibrate camera")
    yield _file("rig", settings.rig_path, load_rig, "smugglers calibrate track")
    yield _wiring(settings)
    yield _file("scale calibration", settings.scale_path, load_scale, "smugglers calibrate scale")


def _wiring(settings: Settings) -> Finding:
    sentence = {
        "pins": f"HX711 on BCM {settings.pin_scale_dout} (DOUT) and {settings.pin_scale_sck} (SCK), read through lgpio",
        "spi": "HX711 on the SPI bus, BCM 9 (DOUT) and 10 (SCK)",
        "iio": "HX711 read by the kernel's own driver (IIO), on the pins of its overlay",
    }[settings.scale_wiring]
    return Finding(what="scale's wiring", verdict="good", code=f"scale_on_{settings.scale_wiring}", sentence=sentence)


def _folder(folder: Path) -> Finding:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.write_bytes(b"x")
        probe.unlink()
        free_mb = shutil.disk_usage(folder).free // 1_000_000
    except OSError as error:
        sentence = f"{folder}: {error.strerror}; choose a folder that can be written with SMUGGLERS_DATA_DIR"
        return Finding(what="data folder", verdict="bad", code="folder_unusable", sentence=sentence)
    if free_mb < LEAST_FREE_MB:
        sentence = f"{folder}: only {free_mb} MB free; make room, or a game may stop in the middle"
        return Finding(what="data folder", verdict="bad", code="disk_nearly_full", sentence=sentence)
    return Finding(what="data folder", verdict="good", code="ok", sentence=f"{folder}, {free_mb} MB free")


def _port(settings: Settings) -> Finding:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            sentence = f"{settings.port}: {error.strerror}; is a table running already? Else set SMUGGLERS_PORT"
            return Finding(what="port", verdict="bad", code="port_taken", sentence=sentence)
    return Finding(what="port", verdict="good", code="ok", sentence=f"{settings.port} is free")


def _file(what: str, path: Path, load: Callable[[Path], object], command: str) -> Finding:
    if not path.exists():
        return Finding(what=what, verdict="look", code="missing", sentence=f"{path} is missing; make it: {command}")
    try:
        load(path)
    except (CameraFileError, RigError, ScaleError) as error:
        return Finding(what=what, verdict="bad", code="unusable", sentence=str(error))
    return Finding(what=what, verdict="good", code="ok", sentence=str(path))
