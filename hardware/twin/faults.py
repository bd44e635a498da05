"""Faults of the simulated table, by name. Each can be switched on and off at run time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

FAULTS: dict[str, str] = {
    "scale unplugged": "the load cell's amplifier does not answer at all",
    "stuck bit": "one bit of every count is stuck at one: a broken solder joint on the data line",
    "noisy supply": "the amplifier's supply is noisy: counts jump by grams",
    "beam inverted": "the front beam is wired the wrong way round: clear reads as broken",
    "beam dead": "the front beam never breaks: its lamp or its wire is gone",
    "beam blocked": "something lies in the front beam",
    "beam flickers": "the front beam is badly aligned: it flickers",
    "back beam dead": "the back beam never breaks: its lamp or its wire is gone",
    "camera frozen": "the camera repeats one picture for ever",
    "camera covered": "something lies on the lens",
    "light gone": "the lamp over the table is off",
    "marker hidden": "a coaster lies on marker 1",
    "sphere swapped": "the next sphere put on the pan is another player's",
}
"""Fault name → one line of help."""


class FaultError(ValueError):
    """The text has no valid fault name or no valid interval; the message says what to write."""


class UnknownFaultError(FaultError):
    """There is no fault of that name; the message lists all names."""


class BadFaultIntervalError(FaultError):
    """The text after the fault's name is not an interval; the message gives the syntax."""


@dataclass(frozen=True)
class FaultInterval:
    """A fault that is on from `from_s` to `until_s`, in seconds since it was scheduled."""

    name: str
    from_s: float = 0.0
    until_s: float = math.inf


_SPELL = re.compile(r"(?P<name>[^@]+)(@(?P<from_s>\d+(\.\d+)?)-(?P<until_s>\d+(\.\d+)?)?)?")


def parse_fault(words: str) -> FaultInterval:
    """Parse `scale unplugged` (permanent), `scale unplugged@20-40` or `scale unplugged@20-` (seconds).

    :raises UnknownFaultError: there is no fault of that name.
    :raises BadFaultIntervalError: the seconds cannot be parsed, or the end is not after the start.
    """
    name = words.partition("@")[0].strip()
    if name not in FAULTS:
        raise UnknownFaultError(f"no fault is called {name!r}; there are: {', '.join(FAULTS)}")
    found = _SPELL.fullmatch(words.strip())
    spell = (
        FaultInterval(name)
        if found is None
        else FaultInterval(name, float(found["from_s"] or 0.0), float(found["until_s"] or math.inf))
    )
    if found is None or spell.until_s <= spell.from_s:
        raise BadFaultIntervalError(
            f"{words!r} is not when a fault comes and goes; write for example '{name}@20-40', in seconds"
        )
    return spell


class Faults:
    """The faults that are on. `change_count` increases with every change, so that other code can detect one."""

    def __init__(self, *names: str) -> None:
        self._on: set[str] = set()
        self.change_count = 0
        for name in names:
            self.switch(name, True)

    def switch(self, name: str, on: bool) -> None:
        """Switch one fault on or off.

        :raises UnknownFaultError: `name` is not in `FAULTS`.
        """
        if name not in FAULTS:
            raise UnknownFaultError(f"no fault is called {name!r}; there are: {', '.join(FAULTS)}")
        if on:
            self._on.add(name)
        else:
            self._on.discard(name)
        self.change_count += 1

    def __contains__(self, name: object) -> bool:
        return name in self._on

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._on))
