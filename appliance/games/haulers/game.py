"""The declaration of Haulers."""

from __future__ import annotations

from pathlib import Path

from appliance.games.game import Anonymise, Game, Pages, PostMortem, Robots, TableData
from appliance.games.haulers.mistaken import mistaken
from appliance.games.haulers.rules.rules import RULES


def _robots() -> Robots:
    from appliance.games.haulers.robots import robot

    return robot


def _pages() -> Pages:
    from appliance.games.haulers import pages

    return pages


def _table_data() -> TableData:
    from appliance.games.haulers import table_data

    return table_data


def _anonymise() -> Anonymise:
    from appliance.games.haulers.anonymise.replaced_cards import anonymise

    return anonymise


def _post_mortem() -> PostMortem:
    from appliance.games.haulers.post_mortem import post_mortem

    return post_mortem


_UNCOVERS = frozenset(
    {
        "delivery_started",
        "legal_found",
        "smuggling_found",
        "legal_delivered",
        "smuggled_delivered",
        "legal_delivered_for_chips",
        "smuggled_delivered_for_chips",
        "transit_drawn",
        "game_won",
        "game_shared",
    }
)


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="TR",
    robots=_robots,
    mistaken=mistaken,
    uncovers=lambda setup: _UNCOVERS,
    pages=_pages,
    table_data=_table_data,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    word_families={"colour": "colour"},
)
