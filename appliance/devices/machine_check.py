"""The self-test's check of the machine: its power supply, its temperature, its clock.

Sources: the firmware's word of flags (`get_throttled`: bit 0 under-voltage now, 16 under-voltage since the start, 2 and
18 throttled), the kernel's alarm of the supply (`rpi_volt`: `in0_lcrit_alarm`), a Pi's limits of 80 and 85 °C, and the
mark that systemd-timesyncd leaves.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from appliance.devices.self_test import Finding, Verdict
from appliance.words.catalogues import Words
from hardware.clock import EARLIEST

FLAGS = "sys/devices/platform/soc/soc:firmware/get_throttled"
UNDER_VOLTAGE, THROTTLED = 1 << 0, 1 << 2
SINCE_START = 16
"""Offset of the bits that say whether a flag was set at any moment since the start."""
WARM_C, HOT_C = 80.0, 85.0
_ANSWER_S = 2.0


def ask_firmware() -> str:
    """Return what `vcgencmd get_throttled` prints; "" where there is none or it does not answer."""
    command = shutil.which("vcgencmd")
    if command is None:
        return ""
    try:
        asked = subprocess.run(  # noqa: S603  # a fixed command
            [command, "get_throttled"], capture_output=True, text=True, timeout=_ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout


def check_machine(
    words: Words, root: Path = Path("/"), now: datetime | None = None, ask: Callable[[], str] = ask_firmware
) -> Iterator[Finding]:
    """Yield the state of power supply, temperature and clock, as far as this machine reports it.

    :param root: the folder of `sys` and `run`.
    :param ask: asks the firmware where the kernel has no file of its flags.
    """
    yield from _power(words, root, ask)
    yield from _temperature(words, root)
    yield from _clock(words, root, now or datetime.now(UTC))


def power_flags(root: Path = Path("/"), ask: Callable[[], str] = lambda: "") -> int | None:
    """Return the firmware's word of flags; None where it is unknown."""
    return _flags(_read(root / FLAGS) or ask().strip().rpartition("=")[2])


def supply_alarms(root: Path = Path("/")) -> list[bool]:
    """Return the kernel's alarms of the supply."""
    return [_read(path) == "1" for path in root.glob("sys/class/hwmon/hwmon*/in0_lcrit_alarm")]


def temperature_c(root: Path = Path("/")) -> float | None:
    """Return the processor's temperature in °C; None where it is unknown."""
    text = _read(root / "sys/class/thermal/thermal_zone0/temp")
    return int(text) / 1000 if text.lstrip("-").isdecimal() else None


def _power(words: Words, root: Path, ask: Callable[[], str]) -> Iterator[Finding]:
    flags, alarms = power_flags(root, ask), supply_alarms(root)
    if flags is None and not alarms:
        return
    flags = flags or 0
    if flags & UNDER_VOLTAGE or any(alarms):
        yield _finding(words, "power", "bad", "undervoltage")
    elif flags & UNDER_VOLTAGE << SINCE_START:
        yield _finding(words, "power", "look", "undervoltage_before")
    else:
        yield _finding(words, "power", "good", "power_ok")
    if flags & THROTTLED:
        yield _finding(words, "processor", "look", "throttled")


def _flags(text: str) -> int | None:
    try:
        return int(text, 16) if text else None
    except ValueError:
        return None


def _temperature(words: Words, root: Path) -> Iterator[Finding]:
    degrees_c = temperature_c(root)
    if degrees_c is None:
        return
    if degrees_c >= WARM_C:
        yield _finding(words, "temperature", "bad" if degrees_c >= HOT_C else "look", "too_hot", degrees_c=degrees_c)
    else:
        yield _finding(words, "temperature", "good", "temperature_ok", degrees_c=degrees_c)


def _clock(words: Words, root: Path, now: datetime) -> Iterator[Finding]:
    if now < EARLIEST:
        yield _finding(words, "clock", "look", "clock_not_set", year=str(now.year))
    elif (root / "run/systemd/timesync/synchronized").exists() or any(root.glob("sys/class/rtc/rtc*")):
        yield _finding(words, "clock", "good", "clock_ok")
    else:
        yield _finding(words, "clock", "look", "clock_unsure")


def _finding(words: Words, what: str, verdict: Verdict, code: str, **values: object) -> Finding:
    return Finding(what=what, verdict=verdict, code=code, sentence=words.say(f"check.{code}", values))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
