"""What Porters is to the appliance."""

from __future__ import annotations

from pathlib import Path

from appliance.games.game import Anonymise, Game, Robots
from hardware.readings import SENSES
from tests.porters_game.rules.rules import RULES


def _robots() -> Robots:
    from tests.porters_game import robots

    return robots


def _anonymise() -> Anonymise:
    from tests.porters_game.anonymise import anonymise

    return anonymise


GAME = Game(
    rules=RULES,
    folder=Path(__file__).parent,
    rule_prefix="PO",
    robots=_robots,
    anonymise=_anonymise,
    devices=lambda setup: frozenset(SENSES),
)
