"""Builds the prompts of Prohis: their names, and which are veiled. `leave` is always legal and never listed.

A prompt's name contains the turn and the situation. The name of an answered prompt is not used again. Secret choices
are veiled for all other viewers, so the prompts do not reveal who lacks a Prohi (PR-25, AP-8).
"""

from __future__ import annotations

from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Choice, Prompt


def prompt_of(state: State, situation: str, seat: int, do: str, choices: dict[str, Choice] | None = None) -> Prompt:
    """Return a prompt whose choices are public."""
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
