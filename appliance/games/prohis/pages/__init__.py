"""The pages of Prohis: their regions, and the data that the templates draw beside the view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from appliance.games.prohis.rules.cards import CARDS, FULL_DECK, PROHIS, SMALL_DECK, TURNS
from appliance.games.prohis.rules.phases.drawing import HAND_LIMIT

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "players", "log", "moments"),
    "kiosk": ("head", "scene", "ask", "players", "moments"),
    "seat": ("page", "moments"),
}
SEATS_MOST = 6
SEATS_ON = 4
"""Number of seats that are preset as taken on the set-up page."""


class DrawnSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates show of one player.

    `role` is "smuggler" or "inspector" while a convoy is on the table, else None. `said` is their declaration: None
    (not yet), "hidden", "pass" or a Prohi. `asked`: the table waits for them.
    """

    seat: int
    player: Any
    asked: bool
    role: str | None
    said: str | None


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates draw beyond the view. `actor` is the only seat that is asked, None for several or none.
    `to_turn` is how many more cards the Inspector may turn. `removed` are the cards that stay in the box (PR-2).
    `turn` is how the words about a turn end where it offers less than all of PR-10, else "".
    """

    seats: tuple[DrawnSeat, ...]
    asked: tuple[int, ...]
    actor: int | None
    to_turn: int
    removed: dict[str, int]
    turn: str
    kinds: tuple[str, ...] = CARDS
    prohis: tuple[str, ...] = PROHIS


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    asked = tuple(dict.fromkeys(prompt.seat for prompt in view.expects if prompt.seat is not None))
    convoy = view.convoy
    to_turn = 0
    if convoy is not None and convoy.prohi is not None:
        to_turn = min(TURNS[convoy.prohi], len(convoy.cards)) - len(convoy.turned)
    return Picture(
        seats=tuple(_seat(view, number, asked) for number in range(len(view.players))),
        asked=asked,
        actor=asked[0] if len(asked) == 1 else None,
        to_turn=to_turn,
        removed=removed(len(view.players)),
        turn=_turn(view),
    )


def removed(players: int) -> dict[str, int]:
    """Return the number of cards of each kind that stay in the box (PR-2, PR-3)."""
    small = SMALL_DECK if players <= 4 else FULL_DECK
    goods = {card: count - small[card] for card, count in FULL_DECK.items()}
    return {card: count for card, count in {**goods, "captain": 6 - players, "major": 6 - players}.items() if count}


def _turn(view: Any) -> str:
    """Return how the words about this turn end, "" where all may be done.

    ".full": the hand bars drawing (PR-13). ".empty": nothing is left to draw (PR-15). ".small": the hand is too small
    for a convoy (PR-20). ".none": only passing is left.
    """
    offered = {prompt.do for prompt in view.expects}
    if view.phase != "turn" or "pass" not in offered:
        return ""
    draws, convoy = bool(offered & {"take", "draw"}), "convoy" in offered
    if draws:
        return "" if convoy else ".small"
    if not convoy:
        return ".none"
    return ".full" if view.players[view.turn].hand >= HAND_LIMIT else ".empty"


def _seat(view: Any, number: int, asked: tuple[int, ...]) -> DrawnSeat:
    role = said = None
    if view.convoy is not None:
        role = {view.convoy.smuggler: "smuggler", view.convoy.inspector: "inspector"}.get(number)
        for one in view.convoy.declared:
            if one.seat == number:
                said = (one.prohi or "pass") if one.shown else "hidden"
    return DrawnSeat(seat=number, player=view.players[number], asked=number in asked, role=role, said=said)
