"""How the prompts of Prohis are named and veiled. `leave` is always legal and never listed.

A prompt's name says the turn and the situation; it never comes back once answered. What only its seat may know is
veiled for everybody else, and nobody can tell from the prompts who lacks a Prohi (PR-25, AP-8).
"""

from __future__ import annotations

from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Choice, Prompt


def prompt_of(state: State, situation: str, seat: int, do: str, choices: dict[str, Choice] | None = None) -> Prompt:
    """Return a prompt that everybody may read."""
    name = f"t{state.turns}.{situation}.seat{seat}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {})


def private_prompt(
    state: State, situation: str, seat: int, do: str, choices: dict[str, Choice], viewer: int | None
) -> Prompt:
    """Return a prompt whose choices only its seat may see."""
    name = f"t{state.turns}.{situation}.seat{seat}"
    if viewer != seat:
        return Prompt(prompt=name, seat=seat, do=do, veiled=True)
    return Prompt(prompt=name, seat=seat, do=do, choices=choices)
