"""Builds the prompts of Haulers and their names. `leave` is always legal and never listed.

Cards are named by their position in the hand. So every prompt is the same for all viewers, except those that depend on
a hand: only its owner gets them.
"""

from __future__ import annotations

from typing import Literal

from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Choice, OneOf, Prompt


def situation(state: State, name: str) -> str:
    """Return the name of a prompt. It is not used again after the next action."""
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
    """Return the positions of `count` cards in a hand, from 1."""
    return OneOf(tuple(range(1, count + 1)))
