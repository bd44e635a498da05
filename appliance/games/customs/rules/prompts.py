"""How the prompts of Customs are named. `leave` is always legal and never listed.

Where the choices themselves are a secret (which card may go, how much there is to lend), other viewers get the prompt
without choices: the situation is public, the answer is not. A prompt's name never comes back once answered.
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
