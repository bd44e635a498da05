"""A verdict that is not the twin's truth is found, and what was tapped is not counted as a sensor's."""

from __future__ import annotations

from typing import Any

import pytest

from hardware.twin.world.truth import DieFell, Rolled, SphereOpened, TrueEvent, Weighed
from tests.machine.verdicts import Judged

TRUTH: list[TrueEvent] = [
    DieFell(1.0, 4),
    Rolled(3.0, "yellow", 5, "passed", 2.9),
    Rolled(5.0, "green", 5, "stuck", None),
    Weighed(7.0, "yellow", 20.0),
    Weighed(9.0, "green", 21.0),
    SphereOpened(11.0, "yellow", ("bomb", "sweet")),
]
RIGHT: list[dict[str, Any]] = [
    {"t_s": 2.0, "by": "table:a", "action": {"do": "roll", "seat": 0, "value": 4}},
    {"t_s": 4.0, "by": "table:b", "action": {"do": "attempt", "seat": 0, "outcome": "passed"}},
    {"t_s": 6.0, "by": "table:c", "action": {"do": "attempt", "seat": 1, "outcome": "stuck"}},
    {"t_s": 8.0, "by": "table:d", "action": {"do": "weigh", "seat": 0, "mass_g": 20.1}},
    {"t_s": 10.0, "by": "table:e", "action": {"do": "weigh", "seat": 1, "mass_g": 21.1}},
    {"t_s": 12.0, "by": "table:f", "action": {"do": "open", "seat": 0, "found": ["bomb", "sweet"]}},
]


def judged(actions: list[dict[str, Any]]) -> Judged:
    return Judged(actions, TRUTH, ("yellow", "green"), band_g=0.2)


def changed(number: int, **fields: object) -> list[dict[str, Any]]:
    entry = RIGHT[number]
    return [*RIGHT[:number], entry | {"action": entry["action"] | fields}, *RIGHT[number + 1 :]]


def test_true_verdicts_are_counted_by_kind() -> None:
    found = judged(RIGHT)
    assert found.wrong == []
    assert found.count == {"die": 1, "passage": 2, "colour": 4, "order": 1, "gems": 1}


@pytest.mark.parametrize(
    ("number", "fields", "kind"),
    [
        (0, {"value": 3}, "die"),
        (1, {"outcome": "stuck"}, "passage"),
        (2, {"seat": 0}, "colour"),
        (4, {"mass_g": 19.0}, "order"),
        (5, {"found": ["sweet"]}, "gems"),
    ],
)
def test_a_false_verdict_is_found(number: int, fields: dict[str, object], kind: str) -> None:
    wrong = judged(changed(number, **fields)).wrong
    assert len(wrong) == 1
    assert wrong[0].startswith(kind)


def test_what_was_tapped_is_not_a_sensor_s() -> None:
    tapped = [entry | {"by": "hands-tap-1"} for entry in changed(0, value=3)]
    found = judged(tapped)
    assert (found.wrong, found.count.total(), found.tapped.total()) == ([], 0, len(RIGHT))


def test_a_stand_in_for_a_mass_is_tapped() -> None:
    found = judged(changed(3, mass_g=1000.0))
    assert found.tapped == {"weigh": 1}
    assert found.count["order"] == 0
