"""How the prompts of Haulers are named. `leave` is always legal and never listed.

Cards are named by their place in the hand. So every prompt is the same for everybody, but for those that depend on a
hand: its owner alone is shown them.
"""

from __future__ import annotations

from typing import Literal

from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Choice, OneOf, Prompt


def situation(state: State, name: str) -> str:
    """Return the name of a prompt: it never comes back once answered."""
    return f"{state.deed}.{name}"


def prompt_of(
    name: str,
    seat: int | None,
    do: str,
    choices: dict[str, Choice] | None = None,
    *,
    optional: bool = False,
    chance: Literal["no", "may", "must"] = "no",
    by: Literal["seat", "table"] = "seat",
) -> Prompt:
    """Return a prompt to a player, or to the table (None)."""
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {}, optional=optional, chance=chance, by=by)


def places(count: int) -> OneOf:
    """Return the places of `count` cards in a hand, from 1."""
    return OneOf(tuple(range(1, count + 1)))
