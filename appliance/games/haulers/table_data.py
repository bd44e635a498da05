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
from appliance.games.table_data import OwnFile, read_toml

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


def _holds(edition: Edition) -> list[tuple[str, str]]:
    board = lay_out(edition)
    overseas = sum(board.is_overseas(card.top, card.bottom) for card in edition.deliveries)
    pays = [card.pays for card in edition.deliveries]
    effects = Counter({card.effect: 0 for card in edition.transit})
    for card in edition.transit:
        effects[card.effect] += card.copies
    by_people = sum(mission.counts == "by_hand" for mission in edition.missions)
    judged = f", of them judged by the table: {by_people}" if by_people else ""
    supplies = msgspec.structs.asdict(edition.supplies)
    return [
        ("cities", f"{len(edition.cities)}, of them ports: {len(board.ports)}, overseas: {len(board.overseas)}"),
        ("roads", f"{len(edition.roads)} with {sum(line.squares for line in edition.roads)} squares between"),
        ("crossings", str(len(edition.crossings))),
        ("sea lines", f"{len(edition.sea)} with {sum(line.squares for line in edition.sea)} squares between"),
        ("buoys", str(len(edition.buoys))),
        ("deliveries", f"{len(pays)}, ${min(pays):,} to ${max(pays):,}, of them overseas: {overseas}"),
        ("supplies", ", ".join(f"{count} {name}" for name, count in supplies.items())),
        ("transit cards", ", ".join(f"{count} {name}" for name, count in effects.items()) or "none"),
        ("mission cards", f"{len(edition.missions) or 'none'}{judged}"),
        ("whose", "ours, not the published ones" if edition.ours else "entered by an owner"),
    ]


@cache
def our_edition() -> Edition:
    """Return the map and cards of this repository, marked as `ours` (AP-9)."""
    given = read_toml(EXAMPLE)
    edition = shape_of(given) if isinstance(given, dict) else given
    assert isinstance(edition, Edition), edition
    return edition
