"""What a game with hidden cards declares when its cards may be real ones: the appliance then counts, but knows none."""

from __future__ import annotations

from collections.abc import Callable

from appliance.games.protocol import Setup
from hardware.readings import Device


def has_real_cards(setup: Setup) -> bool:
    """Return whether the game is played with real cards."""
    return setup.options.get("physical") is True


def devices(setup: Setup) -> frozenset[Device]:
    """Return the scale when real cards are used: they are counted on the pan."""
    return frozenset({"scale"} if has_real_cards(setup) else ())


def uncovers(*codes: str) -> Callable[[Setup], frozenset[str]]:
    """Return a function that returns `codes` (see `Game.uncovers`), and none of them when real cards are used."""
    every = frozenset(codes)
    return lambda setup: frozenset() if has_real_cards(setup) else every
