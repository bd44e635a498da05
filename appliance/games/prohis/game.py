"""The declaration of Prohis."""

from __future__ import annotations

from pathlib import Path

from appliance.games.base import real_cards
from appliance.games.game import Anonymise, Game, Pages, PostMortem, Robots
from appliance.games.prohis.rules.options import Options, read_options
from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Referee, Setup, Timing


def _referee(setup: Setup, timing: Timing) -> Referee:
    from appliance.games.prohis.referee import ProhisReferee

    options = read_options(setup.options)
    assert isinstance(options, Options), "the set-up was taken"
    return ProhisReferee(options)


def _robots() -> Robots:
    from appliance.games.prohis import robot

    return robot


def _pages() -> Pages:
    from appliance.games.prohis import pages

    return pages


def _anonymise() -> Anonymise:
    from appliance.games.prohis.anonymise.replaced_cards import anonymise

    return anonymise


def _post_mortem() -> PostMortem:
    from appliance.games.prohis.post_mortem import post_mortem

    return post_mortem


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="PR",
    referee=_referee,
    devices=real_cards.devices,
    robots=_robots,
    is_public=real_cards.is_public("answer", "decide", "draw", "pass", "stop_bribing", "stop_drawing"),
    pages=_pages,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    word_families={"card": "card"},
)
