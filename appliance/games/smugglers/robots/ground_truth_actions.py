"""Actions from the simulated table's ground truth, submitted when the sensors give no verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from appliance.games.protocol import Action
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.view import View
from hardware.twin.world.truth import DieFell, Rolled, SphereOpened
from hardware.twin.world.world import World

FactT = TypeVar("FactT")


def ground_truth_action(world: World, do: str, seat: int) -> Action | None:
    """Return the action for the latest ground truth; None for actions that sensors cannot see."""
    colour = world.colours[seat]
    match do:
        case "roll" | "tie_roll":
            value = _newest(world, DieFell)[0].value
            return (actions.Roll if do == "roll" else actions.TieRoll)(seat=seat, value=value)
        case "attempt":
            rolled = next(fact for fact in _newest(world, Rolled) if fact.colour == colour)
            return actions.Attempt(seat=seat, outcome=rolled.outcome)
        case "open":
            opened = next(fact for fact in _newest(world, SphereOpened) if fact.colour == colour)
            return actions.Open(seat=seat, found=opened.pieces)
    return None


def _newest(world: World, kind: type[FactT]) -> list[FactT]:
    return [fact for fact in reversed(world.truth) if isinstance(fact, kind)]


class Balance:
    """A simulated balance. It ranks the spheres that are due, from the heaviest on (SM-5)."""

    def __init__(self) -> None:
        self._begun = (0, "")

    def button(self, view: View, masses_g: Mapping[int, float]) -> str:
        """Return the button for the heaviest of the remaining spheres, or for several in a tie.

        Weights that the scale has already given are undone first, so that all are compared in one way (SM-55).

        :param masses_g: the masses of the spheres that are due, by seat.
        """
        if view.phase == "test":
            return "same_mass"
        compared = 2 if view.phase == "reveal" else sum(player.room == "bar" for player in view.players)
        if self._begun != (view.round, view.phase) and len(masses_g) < compared:
            return "undo"
        self._begun = (view.round, view.phase)
        heaviest_g = max(masses_g.values())
        level = [seat for seat, mass_g in masses_g.items() if heaviest_g - mass_g <= view.options.tie_band_g]
        return ".".join(["rank", *map(str, level)])
