"""The pages of Customs: their regions, and the data that the templates draw."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.games.customs.rules.cards import GOODS
from appliance.games.customs.rules.tariff import COLUMNS, KNOWN, Tariff
from appliance.games.customs.table_data import demo_tariff, tariff_options

FOLDER = Path(__file__).resolve().parent
REGIONS = {
    "wall": ("head", "scene", "ask", "tariff", "players", "log", "moments"),
    "kiosk": ("head", "scene", "bill", "ask", "players", "moments"),
    "seat": ("page", "moments"),
}
COLOURS = ("teal", "mustard", "coral", "plum", "sky", "olive")
"""The colour of each seat's luggage label."""

Role = Literal["officer", "traveller", "next", "waits", "out"]


class DrawnSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What the templates show of one player. `active`: the table waits for them."""

    seat: int
    name: str
    colour: str
    role: Role
    active: bool
    player: Any


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the scene draws beyond the view.

    `due` are the seats that the table waits for. `declared` are goods with their counts. `cards` are the cards of the
    hand: a kind, or None for a card face down. `stamp` is the last decision at the counter.
    """

    seats: tuple[DrawnSeat, ...]
    due: tuple[int, ...]
    declared: tuple[tuple[str, int], ...]
    duty: int
    cards: tuple[str | None, ...]
    receiver: int | None
    stamp: Literal["passed", "searched", "true", "untrue"] | None


def picture(view: Any, seat: int | None) -> Picture:
    """Return what the templates draw, from the view of one viewer."""
    due = tuple(
        dict.fromkeys(prompt.seat for prompt in view.expects if prompt.seat is not None and not prompt.optional)
    )
    receiver = due[0] if view.phase == "doubt" and due else None
    goods = Counter(view.declaration.goods) if view.declaration else Counter()
    return Picture(
        seats=tuple(
            DrawnSeat(
                seat=number,
                name=player.name,
                colour=COLOURS[number],
                role=_role(view, number, receiver),
                active=number in due,
                player=player,
            )
            for number, player in enumerate(view.players)
        ),
        due=due,
        declared=tuple((good, goods[good]) for good in GOODS if goods[good]),
        duty=sum(view.options.tariff[good].duty * count for good, count in goods.items()),
        cards=_cards(view),
        receiver=receiver,
        stamp=_stamp(view),
    )


def _role(view: Any, seat: int, receiver: int | None) -> Role:
    if view.players[seat].status != "in":
        return "out"
    if seat == view.officer:
        return "officer"
    if seat == receiver:
        return "next"
    return "traveller" if seat == view.traveller else "waits"


def _cards(view: Any) -> tuple[str | None, ...]:
    """Return the hand on the counter: its kinds if it was opened, else None for each card."""
    if view.opened is not None:
        return tuple(view.opened.cards)
    return (None,) * max((player.cards for player in view.players), default=0)


def _stamp(view: Any) -> Literal["passed", "searched", "true", "untrue"] | None:
    if view.opened is not None:
        return "true" if view.opened.honest else "untrue"
    return "passed" if view.phase == "doubt" else None


def demo_options() -> dict[str, Any]:
    """Return the options of a trial game: the demo tariff, not scored (AP-9)."""
    return tariff_options(demo_tariff())


def demo_rates() -> Tariff:
    """Return the tariff, by kind, that a set-up page offers for a trial game."""
    return demo_tariff()


def given_by_rules(good: str, column: str) -> bool:
    """Return whether the rule text itself gives this value (RULES §0.4)."""
    return (good, column) in KNOWN


def columns() -> tuple[str, ...]:
    """Return the tariff's columns: the green and the red one."""
    return COLUMNS
