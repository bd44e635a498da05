"""A public view, and each player's own cards, as a few lines that a person can check against the rules.

L legal, I illegal, T Lieutenant, C Captain, M Major, ? face down, - an empty place.
"""

from __future__ import annotations

from typing import Any

from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.view import ConvoyView, View
from appliance.games.protocol import OneOf, Prompt

LETTERS: dict[Any, str] = {"legal": "L", "illegal": "I", "lieutenant": "T", "captain": "C", "major": "M", None: "?"}


def letters(cards: Any) -> str:
    return "".join(LETTERS[card] for card in cards) or "0"


def board(state: Any) -> str:
    """Say everything that the public view says, with the cards that each player alone may see."""
    view: View = RULES.view(state, None)
    names = [player.name for player in view.players]
    head: str = view.phase
    if view.turn is not None:
        head += f" {names[view.turn]}"
    if not view.options.physical:
        head += f", pile {view.pile}, row {letters(view.row).replace('?', '-')}"
    if view.last_turns is not None:
        head += f", last turns {' '.join(names[seat] for seat in view.last_turns) or 'over'}"
    lines = [head]
    for seat, player in enumerate(view.players):
        own = RULES.view(state, seat).you
        assert (len(own.hand), len(own.warehouse)) == (player.hand, player.warehouse)
        line = f"{player.name} hand {letters(own.hand)} warehouse {letters(own.warehouse)}"
        line += " left" if player.left else " passed" if player.passed else ""
        line += f" = {player.score.points}" if player.score else ""
        lines.append(line)
    if view.convoy is not None:
        lines.append(_convoy(view.convoy, names))
    lines += [_ask(prompt, names) for prompt in view.expects]
    if view.reason is not None:
        lines.append(f"{view.reason}: {' '.join(names[seat] for seat in view.winners)} wins")
    return "\n".join(lines)


def _convoy(convoy: ConvoyView, names: list[str]) -> str:
    line = f"convoy {letters(convoy.cards)}"
    said = [f"{names[one.seat]} {one.prohi or 'pass' if one.shown else 'hidden'}" for one in convoy.declared]
    line += f" ({', '.join(said)})" if said else ""
    if convoy.inspector is not None:
        line += f" against {names[convoy.inspector]} {convoy.prohi}"
    if convoy.offer is not None:
        line += f", offer {letters(convoy.offer.cards) if convoy.offer.cards else convoy.offer.number}"
    return line + (f", rejected {convoy.rejected}" if convoy.rejected else "")


def _ask(prompt: Prompt, names: list[str]) -> str:
    who = "table" if prompt.seat is None else names[prompt.seat]
    line = f"? {who} {prompt.do}" + (" (veiled)" if prompt.veiled else "")
    for field, choice in prompt.choices.items():
        if isinstance(choice, OneOf):
            line += f" {field} {'/'.join(str(value) for value in choice.values)}"
    return line
