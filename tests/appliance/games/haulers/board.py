"""A board as a few lines of text, for expectations written by hand."""

from __future__ import annotations

from typing import Any

from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Moving
from appliance.games.haulers.rules.view import PlayerView, View
from tests.narrowed import there

LETTERS = "ABCDEF"


def board(state: Any) -> str:
    """Return the whole public board: the turn and what is awaited, each player, stations, and the end."""
    view: View = RULES.view(state, None)
    seat = "-" if view.seat is None else LETTERS[view.seat]
    stage = type(view.stage).__name__
    more = f" left {view.stage.left}" if isinstance(view.stage, Moving) else ""
    lines = [f"turn {view.turn} {seat} {stage}{more}, pile {view.pile}+{view.discards}"]
    lines += [_player(LETTERS[number], player) for number, player in enumerate(view.players)]
    for at, station in view.stations.items():
        lines.append(f"station {at} {LETTERS[station.owner]}{' heavy' if station.heavy else ''}")
    if view.last_turns or view.ender is not None:
        lines.append(
            f"last turns after {LETTERS[there(view.ender)]}: {''.join(LETTERS[s] for s in view.last_turns) or '-'}"
        )
    lines += [f"bonus {LETTERS[b.seat]} {b.for_what} ${b.dollars}" for b in view.bonuses]
    if view.reason:
        lines.append(f"over {''.join(LETTERS[s] for s in view.winners) or '-'} {view.reason}")
    return "\n".join(lines)


def _player(letter: str, player: PlayerView) -> str:
    if player.left:
        return f"{letter} left"
    chips = player.chips
    kit = [
        *(["turbo"] if player.turbo else []),
        *(["double"] if player.double else []),
        *(["throttled"] if player.throttled else []),
        *([f"radar {player.radars}"] if player.radars else []),
        *([f"papers {player.papers}"] if player.papers else []),
        *([f"boat {player.boat.at}"] if player.boat else []),
    ]
    loads = [
        f"[{load.top}>{load.bottom} {load.kind or '?'}{'' if load.boat is None else ' on boat'}]"
        for load in player.loads
    ]
    counts = f"W{chips.white} B{chips.black} R{chips.red} U{chips.blue}"
    return " ".join([letter, f"${player.cash}", counts, f"hand {player.cards}", player.truck or "-", *kit, *loads])
