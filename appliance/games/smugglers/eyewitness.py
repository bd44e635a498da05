"""What people at the simulated table saw happen, and tap where the senses do not answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from appliance.games.game import Action
from appliance.games.smugglers import actions
from appliance.games.smugglers.view import View
from hardware.twin.truth import DieFell, Opened, Rolled
from hardware.twin.world import World

FactT = TypeVar("FactT")


def witnessed(world: World, do: str, seat: int) -> Action | None:
    """Return the action that says what happened last at the table; None for one that nobody can see."""
    colour = world.colours[seat]
    match do:
        case "roll" | "tie_roll":
            value = _newest(world, DieFell)[0].value
            return (actions.Roll if do == "roll" else actions.TieRoll)(seat=seat, value=value)
        case "attempt":
            rolled = next(fact for fact in _newest(world, Rolled) if fact.colour == colour)
            return actions.Attempt(seat=seat, outcome=rolled.outcome)
        case "open":
            opened = next(fact for fact in _newest(world, Opened) if fact.colour == colour)
            return actions.Open(seat=seat, found=opened.pieces)
    return None


def _newest(world: World, kind: type[FactT]) -> list[FactT]:
    return [fact for fact in reversed(world.truth) if isinstance(fact, kind)]


class Balance:
    """A balance beside the table: it compares the spheres that the rules ask for, from the heaviest on (SM-5)."""

    def __init__(self) -> None:
        self._ranked: tuple[tuple[int, str], float] = ((0, ""), 0.0)

    def button(self, view: View, masses_g: Mapping[int, float]) -> str:
        """Return the button for what it shows: who is the heaviest of the rest, and whether the last one was level.

        What the scale has weighed of them so far is taken back first: all are compared in one way (SM-55).

        :param masses_g: the spheres that are due, by seat.
        """
        if view.phase == "test":
            return "same_mass"
        weighing, anchor_g = self._ranked
        begun = weighing == (view.round, view.phase)
        compared = 2 if view.phase == "reveal" else sum(player.room == "bar" for player in view.players)
        if not begun and len(masses_g) < compared:
            return "undo"
        heaviest = max(masses_g, key=masses_g.__getitem__)
        if begun and anchor_g - masses_g[heaviest] <= view.options.tie_band_g:
            return f"level.{heaviest}"
        self._ranked = ((view.round, view.phase), masses_g[heaviest])
        return f"rank.{heaviest}"
