"""The self-test: what is wrong with this table, and how to repair it. It runs the same drivers as a game."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from appliance.games.protocol import Area
from appliance.settings import Settings
from appliance.words.catalogues import Words
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.files.regular_file import is_missing
from hardware.listening import bound_socket
from hardware.readings import Device, DeviceHealth, Reading
from hardware.rig_file import RigError, load_rig
from hardware.scale.scale_model import ScaleError, load_scale

LEAST_FREE_MB = 200
DEVICES: tuple[Device, ...] = ("camera", "beams", "scale", "panel")
Verdict = Literal["good", "look", "bad"]
_STATUS: dict[str, Verdict] = {
    "ok": "good",
    "starting": "look",
    "absent": "bad",
    "faulty": "bad",
}
_STARTING = ("camera_starting", "scale_starting")
_OPTIONAL: frozenset[Device] = frozenset({"panel"})
_CHOSEN: dict[str, Verdict] = {"camera_off": "look", "beams_off": "good"}
"""The verdicts on devices that the owner switched off. Without a camera people tap; without beams the camera judges."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the report. `verdict`: good, look (a game can go on, but see to it), bad. `code` is stable."""

    what: str
    verdict: Verdict
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
        """Whether a required device has not yet reported its health, or is still starting."""
        needed = (list(self.health[device]) for device in DEVICES if device not in _OPTIONAL)
        return any(not codes or codes[-1] in _STARTING for codes in needed)

    def findings(self, words: Words) -> Iterator[Finding]:
        """Yield the state of each device, in a language."""
        for device in DEVICES:
            known = list(self.health[device].values())
            if not known:
                optional = device in _OPTIONAL
                sentence = words.say("health.panel_ok" if optional else "check.silent")
                verdict: Verdict = "good" if optional else "bad"
                code = "panel_ok" if optional else "silent"
                yield Finding(what=device, verdict=verdict, code=code, sentence=sentence)
            told: set[str] = set()
            for health in known:
                verdict = _CHOSEN.get(health.code, _STATUS[health.status])
                if verdict == "bad" and device in _OPTIONAL:
                    verdict = "look"
                for code in health.codes:
                    doubt: Verdict = "look" if verdict == "good" and code != health.code else verdict
                    if code not in told:
                        yield Finding(what=device, verdict=doubt, code=code, sentence=words.say(f"health.{code}"))
                    told.add(code)


def check_ground(settings: Settings, words: Words, *, serving: bool = False) -> Iterator[Finding]:
    """Check what the appliance needs besides devices: folder, disk, port, calibrations.

    :param serving: this appliance holds the port, so the port is not checked.
    """
    yield _folder(Path(settings.data_dir), words)
    if not serving:
        yield _port(settings, words)
    has_camera = settings.camera != "none"
    if has_camera:
        yield _file("lens calibration", settings.camera_path, load_camera, "smugglers calibrate camera", words)
    if has_camera or not is_missing(settings.rig_path):
        yield _file("rig", settings.rig_path, load_rig, "smugglers calibrate track", words)
    yield _file("scale calibration", settings.scale_path, load_scale, "smugglers calibrate scale", words)


def check_wiring(settings: Settings, devices: HealthCollector, words: Words) -> Finding:
    """Say how the settings have the scale wired. Only a scale that answers proves it."""
    code = f"scale_on_{settings.scale_wiring}"
    pins = {"dout": settings.pin_scale_dout, "sck": settings.pin_scale_sck}
    sentence = words.say(f"check.{code}", pins)
    if [health.status for health in devices.health["scale"].values()] == ["ok"]:
        return Finding(what="scale's wiring", verdict="good", code=code, sentence=sentence)
    sentence = words.say("check.scale_wiring_unproven", {"set": sentence})
    return Finding(what="scale's wiring", verdict="look", code="scale_wiring_unproven", sentence=sentence)


def _folder(folder: Path, words: Words) -> Finding:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free_mb = shutil.disk_usage(folder).free // 1_000_000
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(b"x")
    except OSError as error:
        if error.errno != errno.ENOSPC:
            sentence = words.say("check.folder_unusable", {"folder": folder, "reason": error.strerror})
            return Finding(what="data folder", verdict="bad", code="folder_unusable", sentence=sentence)
        free_mb = 0
    if free_mb < LEAST_FREE_MB:
        sentence = words.say("check.disk_nearly_full", {"folder": folder, "free_mb": free_mb})
        return Finding(what="data folder", verdict="bad", code="disk_nearly_full", sentence=sentence)
    sentence = words.say("check.folder_ok", {"folder": folder, "free_mb": free_mb})
    return Finding(what="data folder", verdict="good", code="ok", sentence=sentence)


def _port(settings: Settings, words: Words) -> Finding:
    try:
        bound_socket(settings.host, settings.port).close()
    except ValueError:
        return _host_unknown(settings, words)
    except OSError as error:
        sentence = words.say("check.port_taken", {"port": str(settings.port), "reason": error.strerror})
        return Finding(what="port", verdict="bad", code="port_taken", sentence=sentence)
    sentence = words.say("check.port_ok", {"port": str(settings.port)})
    return Finding(what="port", verdict="good", code="ok", sentence=sentence)


def _host_unknown(settings: Settings, words: Words) -> Finding:
    sentence = words.say("error.host_unknown", {"host": settings.host})
    return Finding(what="port", verdict="bad", code="host_unknown", sentence=sentence)


def _sentence_of(error: CameraFileError | RigError | ScaleError, words: Words) -> str:
    """Return the sentence of an error, which says what to do. Its message, in English, says the most."""
    code = f"calibrate.why.{error.code}"
    if words.language == "en" or code not in words:
        return str(error)
    return words.say(code, error.values)


def _file(what: str, path: Path, load: Callable[[Path], object], command: str, words: Words) -> Finding:
    if is_missing(path):
        sentence = words.say("check.file_missing", {"file": path, "command": command})
        return Finding(what=what, verdict="look", code="missing", sentence=sentence)
    try:
        load(path)
    except (CameraFileError, RigError, ScaleError) as error:
        return Finding(what=what, verdict="bad", code="unusable", sentence=_sentence_of(error, words))
    return Finding(what=what, verdict="good", code="ok", sentence=str(path))
