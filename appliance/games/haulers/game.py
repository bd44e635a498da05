"""The declaration of Haulers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from appliance.games.game import Anonymise, Game, Pages, PostMortem, Robots, TableData
from appliance.games.haulers.mistaken import mistaken
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Rolling


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


_PUBLIC_DEEDS = frozenset(
    {
        "accept",
        "ask_boat",
        "build",
        "buy",
        "buy_turn",
        "call_in",
        "check",
        "decline",
        "drive",
        "end_turn",
        "enlarge",
        "go",
        "launch",
        "lend",
        "offer",
        "refuse",
        "return_boat",
        "roll_off",
        "sail",
        "stop",
        "transfer",
        "wave_on",
    }
)


def _is_public(state: Any, do: str) -> bool:
    if do != "roll":
        return do in _PUBLIC_DEEDS
    # a roll that is due may draw a transit card, and the last roll of a check shows what is smuggled
    return not (isinstance(state.stage, Rolling) and (state.options.transit or state.stage.in_check))


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="TR",
    robots=_robots,
    mistaken=mistaken,
    is_public=lambda setup: _is_public,
    pages=_pages,
    table_data=_table_data,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    word_families={"colour": "colour"},
)
