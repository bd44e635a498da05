"""A public view as a few lines that a person can check against the rules."""

from __future__ import annotations

from typing import Any

from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.view import PlayerView, View


def board(state: Any) -> str:
    """Say what the public view says, except the names of prompts and the options."""
    view: View = RULES.view(state, None)
    names = [player.name for player in view.players]
    officer = "nobody" if view.officer is None else names[view.officer]
    head = f"round {view.round} of {view.rounds} {view.phase}, officer {officer}, pack {view.pack}"
    head += f", top {view.discard}" if view.discard else ""
    head += f", aside £{view.set_aside}" if view.set_aside else ""
    lines = [head, *map(_player, view.players)]
    if said := view.declaration:
        lines.append(f"{names[said.seat]} says: {'bag!' if said.bag else ', '.join(said.goods) or 'nothing'}")
    if shown := view.opened:
        truth = "true" if shown.honest else "untrue"
        lines.append(f"{names[shown.seat]} opened for {names[shown.by]}: {', '.join(shown.cards)}: {truth}")
    lines += [f"loan: {names[loan.debtor]} owes {names[loan.creditor]} £{loan.amount}" for loan in view.loans]
    if view.due:
        lines.append(f"due: {names[view.due.payer]} to {names[view.due.payee]} £{view.due.amount}")
    if view.asked:
        lines.append(f"asked: {names[view.asked.creditor]} for £{view.asked.amount}")
    asked: dict[str, list[str]] = {}
    for prompt in view.expects:
        asked.setdefault("table" if prompt.seat is None else names[prompt.seat], []).append(prompt.do)
    lines += [f"? {who}: {' or '.join(dos)}" for who, dos in asked.items()]
    if view.phase == "over":
        lines.append(f"over: {view.reason}, winners {', '.join(names[seat] for seat in view.winners)}")
    return "\n".join(lines)


def _player(player: PlayerView) -> str:
    line = player.name if player.money is None else f"{player.name} £{player.money}"
    line += f" holds {player.cards}" if player.cards else ""
    line += " served" if player.served else ""
    return line + (f" {player.status}" if player.status != "in" else "")
