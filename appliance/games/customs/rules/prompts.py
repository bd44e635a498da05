"""Builds the prompts of Customs and their names. `leave` is always legal and never listed.

Where the choices are secret (which card may be discarded), other viewers get the prompt without choices. The name of an
answered prompt is not used again.
"""

from __future__ import annotations

from appliance.games.customs.rules.state import State
from appliance.games.protocol import Choice, Prompt


def prompt_of(
    state: State,
    situation: str,
    seat: int,
    do: str,
    choices: dict[str, Choice] | None = None,
    *,
    veiled: bool = False,
) -> Prompt:
    """Return a prompt to a player, named by round, turn and situation."""
    name = f"r{state.round}.t{state.turn}.{situation}.seat{seat}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {}, veiled=veiled)
