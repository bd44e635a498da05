"""Builds the prompts of Smugglers and their names. `leave` is always legal and never listed.

The same holds for showing a last seal after the end of the game.

A prompt's name contains the round and the situation. The name of an answered prompt is not used again. Nothing in a
prompt is secret, so every viewer gets the same prompts.
"""

from __future__ import annotations

from typing import Literal

from appliance.games.protocol import Choice, OneOf, Prompt
from appliance.games.smugglers.rules.state import State

DIE: dict[str, Choice] = {"value": OneOf((1, 2, 3, 4, 5, 6))}


def prompt_of(
    state: State,
    situation: str,
    seat: int,
    do: str,
    choices: dict[str, Choice],
    *,
    more: str = "",
    optional: bool = False,
    chance: Literal["no", "may"] = "no",
    by: Literal["seat", "table"] = "seat",
) -> Prompt:
    """Return a prompt to a player, named by round and situation. `more` distinguishes repeated situations."""
    name = f"r{state.round}.{situation}.seat{seat}{more}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices, optional=optional, chance=chance, by=by)


def before_first_roll(prompt: Prompt, round_number: int) -> bool:
    """Return whether `prompt` calls its seat to the track, before its first roll of this round."""
    return prompt.prompt in {f"r{round_number}.{first}.seat{prompt.seat}" for first in ("check1", "attempt1")}
