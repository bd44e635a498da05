"""The declaration of Customs."""

from __future__ import annotations

from pathlib import Path

from appliance.games.base import real_cards
from appliance.games.customs.rules.rules import RULES
from appliance.games.game import Anonymise, Game, Pages, PostMortem, Robots, TableData
from appliance.games.protocol import Referee, Setup, Timing


def _referee(setup: Setup, timing: Timing) -> Referee:
    from appliance.games.customs.referee import CustomsReferee

    return CustomsReferee(physical=real_cards.has_real_cards(setup))


def _robots() -> Robots:
    from appliance.games.customs import robot

    return robot


def _pages() -> Pages:
    from appliance.games.customs import pages

    return pages


def _table_data() -> TableData:
    from appliance.games.customs import table_data

    return table_data


def _anonymise() -> Anonymise:
    from appliance.games.customs.anonymise import anonymise

    return anonymise


def _post_mortem() -> PostMortem:
    from appliance.games.customs.post_mortem import post_mortem

    return post_mortem


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="CU",
    referee=_referee,
    devices=real_cards.devices,
    robots=_robots,
    is_public=real_cards.is_public(
        "accept", "appoint", "ask_loan", "believe", "claim_bag", "declare", "give_up", "lend", "refuse", "repay"
    ),
    pages=_pages,
    table_data=_table_data,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    word_families={"card": "card", "missing": "rate"},
)
