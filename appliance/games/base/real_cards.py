"""What a game with hidden cards declares when its cards may be real ones: the appliance then counts, but knows none."""

from __future__ import annotations

from collections.abc import Callable

from appliance.games.protocol import IsPublic, Setup
from hardware.readings import Device


def has_real_cards(setup: Setup) -> bool:
    """Return whether the game is played with real cards."""
    return setup.options.get("physical") is True


def devices(setup: Setup) -> frozenset[Device]:
    """Return the scale when real cards are used: they are counted on the pan."""
    return frozenset({"scale"} if has_real_cards(setup) else ())


def is_public(*tags: str) -> Callable[[Setup], IsPublic | None]:
    """Return `Game.is_public` for a game in which `tags` tell nothing hidden. With real cards, no action does."""

    def tells_nothing(state: object, do: str) -> bool:
        return do in tags

    return lambda setup: None if has_real_cards(setup) else tells_nothing
