"""The declaration of Customs."""

from __future__ import annotations

from pathlib import Path

from appliance.games.customs.rules.rules import RULES
from appliance.games.game import Anonymise, Game, Pages, PostMortem, Robots, TableData
from appliance.games.protocol import Referee, Setup, Timing
from hardware.readings import Device


def _referee(setup: Setup, timing: Timing) -> Referee:
    from appliance.games.customs.referee import CustomsReferee

    return CustomsReferee(physical=setup.options.get("physical") is True)


def _devices(setup: Setup) -> frozenset[Device]:
    """Return the scale when real cards are used: they are counted on the pan."""
    return frozenset({"scale"} if setup.options.get("physical") is True else ())


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


_UNCOVERS = frozenset({"hand_opened", "game_won", "game_shared"})


def _uncovers(setup: Setup) -> frozenset[str]:
    """Return what tells of hidden cards. With real cards the appliance knows none."""
    return frozenset() if setup.options.get("physical") is True else _UNCOVERS


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="CU",
    referee=_referee,
    devices=_devices,
    robots=_robots,
    uncovers=_uncovers,
    pages=_pages,
    table_data=_table_data,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    word_families={"card": "card", "missing": "rate"},
)
