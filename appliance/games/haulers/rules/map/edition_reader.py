"""Reads an edition and finds its errors, each with the field that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from appliance.games.haulers.rules.codes import OwnRejection, reject
from appliance.games.haulers.rules.map.edition import START_HAND, City, Edition, Junction, Line
from appliance.games.protocol import Rejection

RULE = "AP-9"
NUMBERS = range(2, 13)
MOST_PLAYERS = 6
BY_ROAD_LEAST = 18
"""Least number of deliveries by road: hands of three for six players. With fewer, nobody might ever earn a boat."""


def read_edition(given: Any) -> Edition | Rejection:
    """Return the edition, or its first error (the code, with the place in the values)."""
    edition = shape_of(given)
    return edition if isinstance(edition, Rejection) else next(problems(edition), edition)


def shape_of(given: Any) -> Edition | Rejection:
    """Return the edition in `given` if it is well-formed, else its first error with `field` (`deliveries[4].pays`)."""
    try:
        return msgspec.convert(given, Edition)
    except msgspec.ValidationError as error:
        return _malformed(str(error))


_MALFORMED: tuple[tuple[OwnRejection, re.Pattern[str]], ...] = (
    ("edition_entry_missing", re.compile(r"missing required field `(?P<entry>.*)`")),
    ("edition_entry_unknown", re.compile(r"contains unknown field `(?P<entry>.*)`")),
    ("edition_characters", re.compile(r"matching regex")),
    ("edition_too_short", re.compile(r"of length >= (?P<least>\d+)")),
    ("edition_too_long", re.compile(r"of length <= (?P<most>\d+)")),
    ("edition_too_small", re.compile(r"Expected `\w+` >= (?P<least>-?[\d.]+)")),
    ("edition_too_large", re.compile(r"Expected `\w+` <= (?P<most>-?[\d.]+)")),
    ("edition_shape", re.compile(r"Expected `(?P<kind>[^`]*)`")),
)
"""Rejection codes by the wording of msgspec's errors, which exist only in English."""


def _malformed(said: str) -> Rejection:
    what, _, where = said.partition(" - at `$.")
    field = where.removesuffix("`")
    for code, wording in _MALFORMED:
        if (found := wording.search(what)) is not None:
            return _wrong(code, field, **found.groupdict())
    return _wrong("edition_value", field)


def problems(edition: Edition) -> Iterator[Rejection]:
    """Yield all errors of a well-formed edition, so that an owner can correct them at once."""
    yield from _named_once(edition)
    yield from _lines(edition)
    yield from _numbers(edition)
    yield from _connected(edition)
    yield from _deliveries(edition)
    yield from _transit(edition)
    yield from _missions(edition)


def _wrong(code: OwnRejection, field: str, **values: Any) -> Rejection:
    return reject(code, RULE, {"field": field, **values})


def _places(edition: Edition) -> Iterator[tuple[str, City | Junction]]:
    for kind in ("cities", "crossings", "buoys"):
        yield from ((f"{kind}[{number}]", place) for number, place in enumerate(getattr(edition, kind)))


def _named_once(edition: Edition) -> Iterator[Rejection]:
    seen: set[str] = set()
    for field, place in _places(edition):
        if place.name in seen:
            yield _wrong("edition_name_twice", f"{field}.name", place=place.name)
        seen.add(place.name)
        if place.at[0] > edition.size[0] or place.at[1] > edition.size[1]:
            yield _wrong("edition_off_the_map", f"{field}.at", place=place.name)


def _lines(edition: Edition) -> Iterator[Rejection]:
    cities = {city.name for city in edition.cities}
    crossings = {crossing.name for crossing in edition.crossings}
    buoys = {buoy.name for buoy in edition.buoys}
    for kind, lines, allowed, foreign in (
        ("roads", edition.roads, cities | crossings, buoys),
        ("sea", edition.sea, cities | buoys, crossings),
    ):
        seen: set[frozenset[str]] = set()
        for number, line in enumerate(lines):
            field = f"{kind}[{number}].ends"
            for end in line.ends:
                if end in foreign:
                    code: OwnRejection = "edition_road_at_buoy" if kind == "roads" else "edition_sea_at_crossing"
                    yield _wrong(code, field, place=end)
                elif end not in allowed:
                    yield _wrong("edition_unknown_place", field, place=end, line=" – ".join(line.ends))
            if line.ends[0] == line.ends[1]:
                yield _wrong("edition_loop", field, place=line.ends[0])
            elif frozenset(line.ends) in seen:
                yield _wrong("edition_line_twice", field, line=" – ".join(line.ends))
            seen.add(frozenset(line.ends))


def _numbers(edition: Edition) -> Iterator[Rejection]:
    by_road = {end for road in edition.roads for end in road.ends}
    carriers: dict[int, str] = {}
    for at, city in enumerate(edition.cities):
        field = f"cities[{at}].numbers"
        for number in city.numbers:
            if number in carriers:
                values = {"number": number, "first": carriers[number], "second": city.name}
                yield _wrong("edition_number_twice", field, **values)
            carriers[number] = city.name
        if city.numbers and city.name not in by_road:
            yield _wrong("edition_number_without_road", field, place=city.name)
    missing = [number for number in NUMBERS if number not in carriers]
    if missing:
        yield _wrong("edition_number_missing", "cities", missing=missing)


def _connected(edition: Edition) -> Iterator[Rejection]:
    """Check that all roads are connected, all places are reachable, and every sea has a square for a new boat."""
    by_road = _parts(edition.roads)
    if len(by_road) > 1:
        largest = max(by_road, key=len)
        astray = sorted(min(part) for part in by_road if part is not largest)
        yield _wrong("edition_roads_apart", "roads", places=astray)
    on_road = set().union(*by_road) if by_road else set()
    seas = _parts(edition.sea)
    harbours = [part for part in seas if part & on_road]
    afloat = set().union(*harbours) if harbours else set()
    for field, place in _places(edition):
        if place.name not in on_road | afloat:
            yield _wrong("edition_unreachable", field, place=place.name)
    open_water = {end for line in edition.sea if line.squares for end in line.ends} | {b.name for b in edition.buoys}
    for part in seas:
        if not part & open_water:
            yield _wrong("edition_no_open_water", "sea", places=sorted(part))


def _parts(lines: tuple[Line, ...]) -> list[set[str]]:
    parts: list[set[str]] = []
    for line in lines:
        touched = [part for part in parts if part & set(line.ends)]
        parts = [part for part in parts if part not in touched] + [set(line.ends).union(*touched)]
    return parts


def _deliveries(edition: Edition) -> Iterator[Rejection]:
    cities = {city.name for city in edition.cities}
    by_sea = {end for line in edition.sea for end in line.ends}
    by_road = {end for line in edition.roads for end in line.ends}
    for number, card in enumerate(edition.deliveries, start=1):
        field = f"deliveries[{number - 1}]"
        for end, city in (("top", card.top), ("bottom", card.bottom)):
            if city not in cities:
                yield _wrong("edition_unknown_city", f"{field}.{end}", place=city, number=number)
        if card.top == card.bottom:
            yield _wrong("edition_nowhere", f"{field}.bottom", place=card.top, number=number)
        elif {card.top, card.bottom} <= by_sea - by_road:
            yield _wrong("edition_only_sea", f"{field}.bottom", number=number)
    least = START_HAND * MOST_PLAYERS + MOST_PLAYERS
    have = len(edition.deliveries)
    if have < least:
        yield _wrong("edition_few_deliveries", "deliveries", least=least, have=have)
    have = sum({card.top, card.bottom} <= by_road for card in edition.deliveries)
    if have < BY_ROAD_LEAST:
        yield _wrong("edition_few_by_road", "deliveries", least=BY_ROAD_LEAST, have=have)


def _transit(edition: Edition) -> Iterator[Rejection]:
    for number, drawn in enumerate(edition.transit):
        if (drawn.effect == "by_hand") != (drawn.text is not None):
            yield _wrong("edition_effect_or_text", f"transit[{number}]", title=drawn.title.en)


def _missions(edition: Edition) -> Iterator[Rejection]:
    cities = {city.name for city in edition.cities}
    for number, mission in enumerate(edition.missions):
        field = f"missions[{number}]"
        by_hand = mission.counts == "by_hand"
        if by_hand != (mission.text is not None) or by_hand != (mission.least is None):
            yield _wrong("edition_counts_or_text", field, title=mission.title.en)
            continue
        for city in mission.cities:
            if city not in cities:
                yield _wrong("edition_unknown_mission_city", f"{field}.cities", place=city)
        if (mission.counts == "visits") != bool(mission.cities):
            yield _wrong("edition_visits_without_cities", f"{field}.cities", title=mission.title.en)
        elif mission.counts == "visits" and (mission.least or 0) > len(mission.cities):
            yield _wrong("edition_visits_too_many", f"{field}.least", title=mission.title.en)
