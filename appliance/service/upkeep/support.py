"""The support file: what a remote helper needs to know of a table, without its secrets.

A zip of small texts. It holds only counts of games, no values of secret settings, and no keys, cookies, join codes or
seats of phones. The log names players by their seats; a player's name that is still in it becomes "someone".
"""

from __future__ import annotations

import importlib.metadata
import io
import os
import platform
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from appliance.devices.self_test import Finding
from appliance.journal.journal_file import JOURNAL, UNREADABLE, read_only
from appliance.service.failed_starts import FailedStarts
from appliance.service.machine.asks import NOTE
from appliance.service.upkeep.log_file import last_lines
from appliance.settings import Settings
from appliance.snapshot import Snapshot
from hardware.files.file_names import shown
from hardware.files.regular_file import read_text

LOG_MOST_BYTES = 128 * 1024
LOCKED_S = 2.0
SECRET_SETTINGS = frozenset({"host_pin", "metrics_token", "webhooks", "webhook_secret", "mqtt", "hub"})
"""For these the file only says whether they are set."""
PACKAGES = ("flask", "waitress", "msgspec", "numpy", "opencv-python", "opencv-python-headless", "gpiozero", "picamera2",
            "rpi-lgpio", "lgpio", "hx711", "cryptography")  # fmt: skip
_COUNTED = "SELECT json_extract(CAST(body AS TEXT), '$.{what}'), count(*) FROM entries GROUP BY 1"
_SHORTEST_NAME = 2
"""Names of one letter are not replaced: they match too much, and the log does not name players anyway."""


def support_file(
    settings: Settings,
    folder: Path,
    findings: Sequence[Finding],
    snapshot: Snapshot | None = None,
    *,
    now: datetime | None = None,
) -> bytes:
    """Return the zip. Parts that cannot be read are left out or marked as unreadable; a zip is always returned.

    :param folder: the folder of the journal and the log.
    :param findings: those of the self-test.
    :param snapshot: the newest one of the running table; only what it says of devices is used.
    """
    now = now or datetime.now(UTC)
    names = _players(folder / JOURNAL)
    parts: dict[str, Any] = {
        "about.json": _about(now),
        "settings.json": _settings(settings),
        "check.json": [msgspec.to_builtins(finding) for finding in findings],
        "calibration.json": _calibration(settings, now),
        "journal.json": _journal(folder, now),
        "devices.json": None if snapshot is None else _devices(snapshot),
        "failed-starts.json": msgspec.to_builtins(FailedStarts(os.environ).all()),
    }
    clean = partial(_without, names=names, settings=settings)
    shown = {name: msgspec.json.encode(_each(part, clean)) for name, part in parts.items()}
    texts = {name: msgspec.json.format(part).decode() for name, part in shown.items()}
    for path in (settings.camera_path, settings.rig_path, settings.scale_path):
        texts[f"calibration/{path.name}"] = clean(_text(path))
    if settings.machine_dir:
        texts[NOTE] = clean(_text(Path(settings.machine_dir) / NOTE))
    texts["log.txt"] = clean(last_lines(folder, LOG_MOST_BYTES))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in texts.items():
            if text:
                file.writestr(name, text)
    return made.getvalue()


def file_name(now: datetime) -> str:
    """Return the name of a support file."""
    return f"smugglers-support-{now:%Y-%m-%d-%H%M}.zip"


def version() -> str:
    """Return the version of this release; "unknown" where it was not installed."""
    try:
        return importlib.metadata.version("smugglers-table")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _about(now: datetime) -> dict[str, Any]:
    return {
        "version": version(),
        "made_at_utc": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "machine": _text(Path("/sys/firmware/devicetree/base/model")).strip("\0 \n") or platform.machine(),
        "system": next(
            (
                line.split("=", 1)[1].strip('"')
                for line in _text(Path("/etc/os-release")).splitlines()
                if "PRETTY" in line
            ),
            platform.system(),
        ),
        "kernel": platform.release(),
        "python": sys.version.split()[0],
        "packages": {name: found for name in PACKAGES if (found := _version_of(name))},
        "up_s": _text(Path("/proc/uptime")).split(" ")[0],
        "memory": _text(Path("/proc/meminfo")).splitlines()[:3],
    }


def _version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _settings(settings: Settings) -> dict[str, Any]:
    given = msgspec.to_builtins(settings)
    return {name: bool(value) if name in SECRET_SETTINGS else value for name, value in given.items()}


def _calibration(settings: Settings, now: datetime) -> dict[str, Any]:
    found = {}
    for path in (settings.camera_path, settings.rig_path, settings.scale_path):
        try:
            found[path.name] = {"changed_days_ago": round((now.timestamp() - path.stat().st_mtime) / 86400, 1)}
        except OSError:
            found[path.name] = {"missing": True}
    return found


def _journal(folder: Path, now: datetime) -> dict[str, Any]:
    """Return counts and sizes. Of the games played it returns only how many there were of each kind."""
    sizes = {
        shown(path.relative_to(folder)): {
            "bytes": found.st_size,
            "changed_h_ago": round((now.timestamp() - found.st_mtime) / 3600, 1),
        }
        for path, found in _files(folder)
        if path.suffix in (".sqlite3", ".sqlite3-wal", ".copy")
    }
    try:
        with read_only(folder / JOURNAL, LOCKED_S) as db:
            kinds, games = (dict(db.execute(_COUNTED.format(what=what)).fetchall()) for what in ("kind", "setup.game"))
            said = [row[0] for row in db.execute("PRAGMA quick_check(5)")]
    except UNREADABLE as error:
        return {"files": sizes, "problem": type(error).__name__}
    return {
        "files": sizes,
        "entries_by_kind": kinds,
        "games": {game: number for game, number in games.items() if game is not None},
        "quick_check": "ok" if said == ["ok"] else "damaged",
    }


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files in a folder and below. The table runs meanwhile: what it has just removed is left out."""
    for inside, _, names in os.walk(folder):
        for path in sorted(Path(inside) / name for name in names):
            with suppress(OSError):
                yield path, path.stat()


def _players(journal: Path) -> tuple[str, ...]:
    """Return the names of all players, the longest first."""
    setups = "SELECT DISTINCT json_extract(CAST(body AS TEXT), '$.setup.players') FROM entries WHERE seq = game"
    names: set[str] = set()
    try:
        with read_only(journal, LOCKED_S) as db:
            for (players,) in db.execute(setups):
                names |= {str(player.get("name", "")) for player in msgspec.json.decode(players or "[]")}
    except (*UNREADABLE, msgspec.MsgspecError):
        return ()
    return tuple(sorted((name for name in names if len(name) >= _SHORTEST_NAME), key=len, reverse=True))


def _devices(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "hardware": snapshot.hardware,
        "health": {device: [health.status, *health.codes] for device, health in snapshot.health.items()},
        "faults": msgspec.to_builtins(snapshot.faults),
    }


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, ValueError):
        return ""


def _each(part: Any, clean: Callable[[str], str]) -> Any:
    """Return a part of JSON with each of its texts cleaned. Keys, numbers and null stay, whatever a name is."""
    if isinstance(part, dict):
        return {key: _each(value, clean) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_each(value, clean) for value in part]
    return clean(part) if isinstance(part, str) else part


def _without(text: str, names: Sequence[str], settings: Settings) -> str:
    """Return a text without players' names and without the values of secret settings."""
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "someone", text)
    for setting in SECRET_SETTINGS:
        if secret := getattr(settings, setting, ""):
            text = text.replace(secret, "…")
    return text
