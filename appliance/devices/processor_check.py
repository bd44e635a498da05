"""The self-test's check of the processor: whether it is quick enough to clock the scale, and what helps if not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from appliance.devices.self_test import Finding
from appliance.words.catalogues import Words
from hardware.scale.load_cell import ReadCounters

GOVERNORS = Path("/sys/devices/system/cpu/cpufreq")
MOST_REFUSED = 0.01
"""A greater share of refused frames makes weighing slow, but not wrong."""
FEWEST_FRAMES = 40
"""With fewer frames a share of one in a hundred cannot be measured."""


class ProcessorCheck:
    """Takes the drivers' raw facts and keeps the newest counters of the scale's frames."""

    def __init__(self) -> None:
        self._counters: ReadCounters | None = None

    def take(self, fact: object) -> None:
        """Take a raw fact from a driver's thread."""
        if isinstance(fact, ReadCounters):
            self._counters = fact

    def findings(self, words: Words, governors: Path = GOVERNORS) -> Iterator[Finding]:
        """Yield the governor and the rate of refused frames, as far as they are known.

        :param governors: the kernel's folder of processor clocks.
        """
        governor = _governor(governors)
        if governor is not None:
            saves = governor == "powersave"
            code = "processor_saves_power" if saves else "processor_governor"
            sentence = words.say(f"check.{code}", {"governor": governor})
            yield Finding(what="processor", verdict="look" if saves else "good", code=code, sentence=sentence)
        counters = self._counters
        if counters is None or counters.read + counters.refused < FEWEST_FRAMES:
            return
        share = counters.refused / (counters.read + counters.refused)
        refuses = share > MOST_REFUSED
        code = "scale_frames_refused" if refuses else "scale_frames"
        values = {"percent": words.number(100 * share, ".1f"), "governor": governor or "?"}
        sentence = words.say(f"check.{code}", values)
        yield Finding(what="scale's frames", verdict="look" if refuses else "good", code=code, sentence=sentence)


def _governor(folder: Path) -> str | None:
    """Return the governor of the cores; where they differ, the one that saves power.

    Those of intel_pstate and amd-pstate are left out: they are named powersave, but raise the clock all the same.
    """
    found = {_read(policy / "scaling_governor") for policy in folder.glob("policy*") if not _steers_itself(policy)}
    found.discard("")
    return "powersave" if "powersave" in found else min(found, default=None)


def _steers_itself(policy: Path) -> bool:
    return "pstate" in _read(policy / "scaling_driver")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
