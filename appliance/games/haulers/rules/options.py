"""The options of a game (RULES §3.7)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.map.edition_reader import read_edition
from appliance.games.protocol import Rejection

RULE_IDS = {
    "edition": "AP-9",
    "dice": "AP-1",
    "deliveries": "TR-63",
    "purchases": "TR-10v",
    "second_place": "TR-51v",
    "transit": "TR-60",
    "police": "TR-61",
    "keep_cards": "TR-61",
    "sabotage": "TR-61",
    "missions": "TR-62",
    "boats": "TR-64",
    "boats_for_rent": "TR-64",
    "money": "TR-65",
    "black_market": "TR-66",
    "station_premium": "TR-66",
    "heavy_stations": "TR-66",
    "extra_turns": "TR-67",
}
"""The rule that each option belongs to."""

DEMAND_MONEY = ("second_place", "black_market", "station_premium", "heavy_stations", "extra_turns")
DEMAND_TRANSIT = {"police": "drawer", "keep_cards": "in", "sabotage": "in"}


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a game of Haulers. A game needs an `edition` (map and cards) to start (A-04)."""

    edition: Edition | None = None
    dice: Literal["electronic", "real"] = "electronic"
    deliveries: Literal[7, 6, 5] = 7
    purchases: Literal["any_time", "at_the_end"] = "any_time"
    second_place: bool = False
    transit: bool = False
    police: Literal["drawer", "everybody"] = "drawer"
    keep_cards: Literal["in", "out", "sold"] = "in"
    sabotage: Literal["in", "out", "limited"] = "in"
    missions: Literal["none", "open", "secret"] = "none"
    boats: Literal["own", "two", "none"] = "own"
    boats_for_rent: bool = False
    money: bool = True
    black_market: bool = False
    station_premium: bool = False
    heavy_stations: bool = False
    extra_turns: bool = False


def read_options(given: dict[str, Any], players: int) -> Options | Rejection:
    """Return the complete options of a set-up, or why they are refused."""
    if given.get("boats") == "rented":
        # Transcripts may use this short form.
        given = {"boats_for_rent": True, **given, "boats": "own"}
    for name, value in given.items():
        if name not in RULE_IDS:
            return reject("unknown_option", "AP-9", {"option": name})
        if name == "edition":
            continue
        try:
            msgspec.convert({name: value}, Options)
        except msgspec.ValidationError:
            return reject("option_type", RULE_IDS[name], {"option": name})
    if given.get("edition") is None:
        return reject("no_edition", "AP-9")
    edition = read_edition(given["edition"])
    if isinstance(edition, Rejection):
        return edition
    options = msgspec.convert({**given, "edition": edition}, Options)
    return _conflict(options, edition, players) or options


def _conflict(options: Options, edition: Edition, players: int) -> Rejection | None:
    if options.deliveries != 7 and (options.transit or options.missions != "none"):
        return reject("short_game_without_cards", "TR-63")
    if options.boats == "two" and players < 3:
        return reject("two_boats_for_three", "TR-64")
    if options.boats == "none" and options.boats_for_rent:
        return reject("no_boats_to_rent", "TR-64")
    if not options.money:
        wants = [name for name in DEMAND_MONEY if getattr(options, name)]
        if wants or options.missions != "none" or options.deliveries != 7 or options.keep_cards == "sold":
            return reject("option_needs_money", "TR-65")
    if options.transit and not edition.transit:
        return reject("no_transit_cards", "TR-60")
    if options.missions != "none" and len(edition.missions) < players:
        return reject("few_missions", "TR-62", {"least": players})
    if not options.transit:
        for name, usual in DEMAND_TRANSIT.items():
            if getattr(options, name) != usual:
                return reject("option_needs_transit", "TR-61", {"option": name})
    return None
