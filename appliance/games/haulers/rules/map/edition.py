"""Editions: the content of a board and its cards (RULES §3.1, CONFIG).

An edition has a map, deliveries, supplies, transit and mission cards. People write it as TOML; a set-up holds the same
data as JSON. `docs/games/haulers.md` describes the format.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

START_HAND = 5

PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""Text without control characters, because names are shown in terminals and pages."""

Name = Annotated[str, Meta(min_length=1, max_length=32, pattern=PRINTABLE)]
Point = tuple[Annotated[float, Meta(ge=0, le=4000)], Annotated[float, Meta(ge=0, le=4000)]]
Count = Annotated[int, Meta(ge=0, le=99)]
Dollars = Annotated[int, Meta(ge=1, le=100_000)]


class LocalizedText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    en: Annotated[str, Meta(max_length=300, pattern=PRINTABLE)]
    de: Annotated[str, Meta(max_length=300, pattern=PRINTABLE)]


class City(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A city: its position and its start numbers. `label` is the side on which its name is drawn."""

    name: Name
    at: Point
    numbers: tuple[Annotated[int, Meta(ge=2, le=12)], ...] = ()
    label: Literal["above", "below", "left", "right"] = "below"


class Junction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A separate square where several roads, or several sea lines, meet."""

    name: Name
    at: Point


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A road or a sea line with `squares` squares between its ends; `bends` are points on its drawn line."""

    ends: tuple[Name, Name]
    squares: Annotated[int, Meta(ge=0, le=30)]
    bends: Annotated[tuple[Point, ...], Meta(max_length=40)] = ()


class Delivery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A delivery card: from the top city to the bottom city for its face value."""

    top: Name
    bottom: Name
    pays: Dollars
    goods: LocalizedText | None = None


class Supplies(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Number of items of each upgrade."""

    turbo: Count
    double: Count
    radar: Count
    stations: Count
    boats: Count


class Transit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A transit card (TR-60). docs/games/haulers.md describes each `effect`; `dollars` is for the effect `money`.

    A card with the effect `by_hand` has a `text`, which the table reads and carries out.
    """

    title: LocalizedText
    effect: Literal[
        "by_hand", "money", "police", "coast_guard", "papers", "sabotage", "breakdown", "delivery", "orders"
    ] = "by_hand"
    text: LocalizedText | None = None
    dollars: Annotated[int, Meta(ge=-10_000, le=10_000)] = 0
    copies: Annotated[int, Meta(ge=1, le=20)] = 1


class Mission(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mission card (TR-62). The goal is at least `least` of `counts` at the end. `cities` is for `visits`.

    A mission with `by_hand` has a `text` instead of a goal. At the end the table decides who fulfilled it.
    """

    title: LocalizedText
    counts: Literal["by_hand", "white", "black", "red", "blue", "money", "stations", "radars", "visits"] = "by_hand"
    least: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    text: LocalizedText | None = None
    cities: tuple[Name, ...] = ()


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that is printed on a board and its cards. `ours`: it is not the published edition (AP-9)."""

    format: Literal[1]
    name: Name
    ours: bool = False
    note: LocalizedText | None = None
    size: Point
    land: tuple[Annotated[str, Meta(max_length=2000, pattern=r"^[MLHVCSQTAZmlhvcsqtaz0-9 ,.\-]*$")], ...] = ()
    cities: Annotated[tuple[City, ...], Meta(max_length=100)]
    crossings: Annotated[tuple[Junction, ...], Meta(max_length=100)] = ()
    buoys: Annotated[tuple[Junction, ...], Meta(max_length=100)] = ()
    roads: Annotated[tuple[Line, ...], Meta(max_length=200)]
    sea: Annotated[tuple[Line, ...], Meta(max_length=200)] = ()
    deliveries: Annotated[tuple[Delivery, ...], Meta(max_length=300)]
    supplies: Supplies
    transit: Annotated[tuple[Transit, ...], Meta(max_length=100)] = ()
    missions: Annotated[tuple[Mission, ...], Meta(max_length=100)] = ()
