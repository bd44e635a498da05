"""A scale of which both its driver and its weighing speak: neither covers what the other still finds."""

from __future__ import annotations

from typing import Any

from appliance.sensing.scale_word import ScaleWord
from hardware.readings import DeviceHealth


def said(code: str, status: Any, t_s: float = 1.0) -> DeviceHealth:
    return DeviceHealth(t_s=t_s, device="scale", status=status, code=code)


OK = said("scale_ok", "ok")
NOISY, SHAKING = said("scale_noisy", "faulty"), said("scale_shaking", "faulty")


def test_a_scale_that_is_noisy_stays_so_while_its_weighing_finds_it_calm() -> None:
    word = ScaleWord()
    assert word.of_driver(NOISY) == NOISY
    assert word.of_weighing(SHAKING) == NOISY
    assert word.of_weighing(said("scale_ok", "ok", 9.0)) == said("scale_noisy", "faulty", 9.0)
    assert word.of_driver(OK) == OK


def test_what_shakes_is_told_again_once_the_wires_are_well() -> None:
    word = ScaleWord()
    word.of_driver(NOISY)
    word.of_weighing(SHAKING)
    assert word.of_driver(OK) == SHAKING
    assert word.of_weighing(OK) == OK


def test_remarks_of_a_scale_that_works_are_told_as_they_come() -> None:
    word = ScaleWord()
    assert word.of_driver(OK) == OK
    warm = said("scale_warming_up", "ok")
    assert word.of_weighing(warm) == warm
