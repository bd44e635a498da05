"""Faults of the simulated table, by name. Each can be switched on and off at run time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

FAULTS: tuple[str, ...] = (
    "scale unplugged",
    "stuck bit",
    "noisy supply",
    "beam inverted",
    "beam dead",
    "beam blocked",
    "beam flickers",
    "back beam dead",
    "camera frozen",
    "camera covered",
    "light gone",
    "marker hidden",
    "sphere swapped",
)
"""Their names. The word catalogues say of each what it simulates."""


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


def parse_fault(text: str) -> FaultInterval:
    """Parse `scale unplugged` (permanent), `scale unplugged@20-40` or `scale unplugged@20-` (seconds).

    :raises UnknownFaultError: there is no fault of that name.
    :raises BadFaultIntervalError: the seconds cannot be parsed, or the end is not after the start.
    """
    name = text.partition("@")[0].strip()
    if name not in FAULTS:
        raise UnknownFaultError(f"no fault is called {name!r}; there are: {', '.join(FAULTS)}")
    found = _SPELL.fullmatch(text.strip())
    spell = (
        FaultInterval(name)
        if found is None
        else FaultInterval(name, float(found["from_s"] or 0.0), float(found["until_s"] or math.inf))
    )
    if found is None or spell.until_s <= spell.from_s:
        raise BadFaultIntervalError(
            f"{text!r} is not when a fault comes and goes; write for example '{name}@20-40', in seconds"
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
