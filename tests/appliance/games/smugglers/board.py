"""A public view as a few lines that a person can check against the rules."""

from __future__ import annotations

from typing import Any

from appliance.games.protocol import OneOf, Prompt
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.view import PlayerView, View


def board(state: Any) -> str:
    """Say what the public view says, except the names of prompts and the supply, which follows from the tokens."""
    view: View = RULES.view(state, None)
    assert view.supply.sweet + view.box.sweet + sum(player.sweet for player in view.players) == 28
    assert view.supply.sour + view.box.sour + sum(player.sour for player in view.players) == 28
    head = f"round {view.round} {view.phase}, start {view.players[view.start].name}, boss {view.boss_lane}"
    head += f", lane {view.lane or '?'}" + (", blind" if view.blind else "")
    if view.box.sweet or view.box.sour:
        head += f", box R{view.box.sweet} Y{view.box.sour}"
    if view.inspection:
        about = view.inspection
        head += f", {view.players[about.inspector].name} on {view.players[about.target].name}: {about.guess}"
    lines = [head, *map(_player, view.players), *(_ask(prompt, view) for prompt in view.expects if not prompt.optional)]
    if view.phase == "over":
        winner = "nobody" if view.winner is None else view.players[view.winner].name
        lines.append(f"over: {view.reason}, winner {winner}")
    return "\n".join(lines)


def _player(player: PlayerView) -> str:
    line = f"{player.name} R{player.sweet} Y{player.sour} bombs {player.usable_bombs}+{player.spent_bombs}"
    line += f" {player.room}"
    line += f" {player.place}" if player.place else ""
    line += f" failed {player.attempts}" if player.attempts else ""
    line += f" opened {'+'.join(player.opened) or 'empty'}" if player.opened is not None else ""
    return line


def _ask(prompt: Prompt, view: View) -> str:
    who = "table" if prompt.seat is None else view.players[prompt.seat].name
    choices = {key: choice for key, choice in prompt.choices.items() if key in ("target", "token", "source")}
    values = [
        f"{key} {'/'.join(_value(key, value, view) for value in choice.values)}"
        for key, choice in choices.items()
        if isinstance(choice, OneOf)
    ]
    return f"? {who} {prompt.do}" + "".join(f", {value}" for value in values)


def _value(key: str, value: object, view: View) -> str:
    return view.players[value].name if isinstance(value, int) and key != "token" else str(value)
