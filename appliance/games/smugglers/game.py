"""The declaration of Smugglers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from appliance.games.game import Anonymise, Game, Hands, Pages, PanelCues, PostMortem, Robots
from appliance.games.protocol import Player, Referee, Setup, Timing
from appliance.games.smugglers.mistaken import mistaken
from appliance.games.smugglers.rules.options import Options, read_options
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.set_up import PUTTIES
from hardware.readings import SENSES


def _referee(setup: Setup, timing: Timing) -> Referee:
    from appliance.games.smugglers.referee.referee import SmugglersReferee

    options = read_options(setup.options, len(setup.players))
    assert isinstance(options, Options), "the set-up was taken"
    return SmugglersReferee(RULES, setup, options, timing)


def _robots() -> Robots:
    from appliance.games.smugglers.robots import robot

    return robot


def _hands() -> Hands:
    from appliance.games.smugglers.robots import simulated_hands

    return simulated_hands.hands_for


def _demo_players(names: Sequence[str]) -> tuple[Player, ...]:
    return tuple(Player(name=name, putty=putty) for name, putty in zip(names, PUTTIES, strict=False))


def _panel() -> PanelCues:
    from appliance.games.smugglers import panel

    return panel


def _pages() -> Pages:
    from appliance.games.smugglers import pages

    return pages


def _anonymise() -> Anonymise:
    from appliance.games.smugglers.anonymise import anonymise

    return anonymise


def _post_mortem() -> PostMortem:
    from appliance.games.smugglers.post_mortem import post_mortem

    return post_mortem


_PUBLIC_DEEDS = frozenset(
    {"attempt", "commit", "decline", "forgo", "inspect", "open", "order", "roll", "take", "time_up", "unseal"}
)
"""They tell which spheres are alike and which are smaller. Another outcome of an attempt compares others (SM-54)."""

GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="SM",
    referee=_referee,
    robots=_robots,
    hands=_hands,
    devices=lambda setup: frozenset(SENSES),
    wishes=frozenset({"search"}),
    replay_scope=lambda state: state.round,
    is_public=lambda setup: lambda state, do: do in _PUBLIC_DEEDS,
    mistaken=mistaken,
    panel=_panel,
    pages=_pages,
    anonymise=_anonymise,
    post_mortem=_post_mortem,
    demo_players=_demo_players,
    untyped_name=lambda player: f"colour.{player.putty}",
    word_families={
        **dict.fromkeys(("piece", "token", "guess", "hidden", "found"), "piece"),
        "colour": "colour",
        "option": "option",
        "goal": "goal",
    },
)
