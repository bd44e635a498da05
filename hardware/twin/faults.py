"""Everything that can go wrong with a table, by name, switchable while it runs."""

from __future__ import annotations

from collections.abc import Iterator

FAULTS: dict[str, str] = {
    "scale unplugged": "the load cell's amplifier does not answer at all",
    "stuck bit": "one bit of every count is stuck at one: a broken solder joint on the data line",
    "noisy supply": "the amplifier's supply is noisy: counts jump by grams",
    "beam inverted": "the front beam is wired the wrong way round: clear reads as broken",
    "beam dead": "the front beam never breaks: its lamp or its wire is gone",
    "camera frozen": "the camera repeats one picture for ever",
    "camera covered": "something lies on the lens",
    "light gone": "the lamp over the table is off",
    "marker hidden": "a coaster lies on marker 1",
    "sphere swapped": "the next sphere put on the pan is another player's",
}
"""Fault name → one line of help."""


class UnknownFaultError(ValueError):
    """There is no fault of that name; the message lists those there are."""


class Faults:
    """The faults that are on. `noted` counts the changes, so that drivers of the twin can follow."""

    def __init__(self, *names: str) -> None:
        self._on: set[str] = set()
        self.noted = 0
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
        self.noted += 1

    def __contains__(self, name: object) -> bool:
        return name in self._on

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._on))
