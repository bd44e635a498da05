"""Reads maps and cards from TOML files: those of this repository, or those that owners copied from their box."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.haulers.rules.map.board import lay_out
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.map.edition_reader import problems, shape_of
from appliance.games.protocol import Rejection
from appliance.games.table_data import Holding, OwnFile, read_toml

EXAMPLE = Path(__file__).with_name("editions") / "two_shores.toml"
"""The map and cards of this repository, marked as `ours` (AP-9)."""
KEYS = frozenset({"cities", "roads", "deliveries", "crossings", "buoys", "supplies"})
"""Top-level names that occur only in files with a map and cards."""


def read_own(given: dict[str, Any], name: str) -> OwnFile | tuple[Rejection, ...]:
    """Return the set-up options of a file with map and cards, or all its errors. The title comes from the file."""
    edition = shape_of(given)
    if isinstance(edition, Rejection):
        return (edition,)
    if wrong := tuple(problems(edition)):
        return wrong
    return OwnFile(title=edition.name, options=edition_options(edition), holds=tuple(_holds(edition)))


def edition_options(edition: Edition) -> dict[str, Any]:
    """Return the set-up options for an edition."""
    return {"edition": msgspec.to_builtins(edition)}


def _holds(edition: Edition) -> list[Holding]:
    board = lay_out(edition)
    overseas = sum(board.is_overseas(card.top, card.bottom) for card in edition.deliveries)
    pays = [card.pays for card in edition.deliveries]
    effects = Counter({card.effect: 0 for card in edition.transit})
    for card in edition.transit:
        effects[card.effect] += card.copies
    by_people = sum(mission.counts == "by_hand" for mission in edition.missions)
    supplies = msgspec.structs.asdict(edition.supplies)
    cities = {"count": len(edition.cities), "ports": len(board.ports), "overseas": len(board.overseas)}
    deliveries = {"count": len(pays), "least": min(pays), "most": max(pays), "overseas": overseas}
    missions = {"count": len(edition.missions), "judged": by_people}
    return [
        Holding("cities", cities),
        Holding("roads", {"count": len(edition.roads), "squares": sum(line.squares for line in edition.roads)}),
        Holding("crossings", {"count": len(edition.crossings)}),
        Holding("sea_lines", {"count": len(edition.sea), "squares": sum(line.squares for line in edition.sea)}),
        Holding("buoys", {"count": len(edition.buoys)}),
        Holding("deliveries", deliveries),
        Holding("supplies", {"items": [f"{count} {name}" for name, count in supplies.items()]}),
        Holding("transit_cards", {"effects": [f"{count} {name}" for name, count in effects.items()]})
        if effects
        else Holding("no_transit_cards", {}),
        Holding("missions_judged" if by_people else "missions" if edition.missions else "no_missions", missions),
        Holding("ours" if edition.ours else "entered", {}),
    ]


@cache
def our_edition() -> Edition:
    """Return the map and cards of this repository, marked as `ours` (AP-9)."""
    given = read_toml(EXAMPLE)
    edition = shape_of(given) if isinstance(given, dict) else given
    assert isinstance(edition, Edition), edition
    return edition
