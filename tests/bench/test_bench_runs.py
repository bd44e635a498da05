"""Every benchmark runs, small, and hands back what the page needs. No time is asserted here."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.bench import appliance, games, live, passage, sphere, stills, weighing
from tests.bench.discs import Disc, bound_by_formula_px, bound_px, encode, levels
from tests.bench.machine import Load
from tests.bench.page import Section, page_of
from tests.bench.rim_rivals import RIVALS

SUBJECTS = {"sphere": 0.01, "stills": 0.1, "passage": 0.1, "weighing": 0.005, "live": 0.03, "games": 0.001}


@pytest.fixture(autouse=True)
def _the_repositorys_own_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SMUGGLERS_DATA", raising=False)


@pytest.mark.parametrize(
    "subject", [sphere, stills, passage, weighing, live, games], ids=lambda each: each.__name__[12:]
)
def test_a_benchmark_runs_and_can_be_written_down(subject: ModuleType) -> None:
    with Load() as load:
        section = subject.measure(SUBJECTS[subject.__name__[12:]])
    assert isinstance(section, Section)
    assert section.aims
    for table in section.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.heads)}
    page = page_of([section], load, 1.0, 0.01)
    assert "A quick run" in page
    assert section.title in page
    for aim in section.aims:
        assert aim.what in page


def test_the_appliance_is_measured_as_a_process(tmp_path: Path) -> None:
    demo = appliance.Demo(tmp_path)
    try:
        assert demo.serving_s() > 0
        memory = demo.memory_mb()
        assert 10 < memory["Pss"] <= memory["Rss"] < 4000
        assert demo.cpu_s() > 0
    finally:
        demo.kill()
    assert demo.process.poll() is not None


@pytest.mark.parametrize("diameter_px", [60.0, 130.0, 200.0])
def test_a_drawn_disc_has_its_area(diameter_px: float) -> None:
    picture = levels(Disc(139.3, 140.2, diameter_px, blurs_light=False))[..., 2]
    low, high = picture.min(), picture.max()
    assert (picture - low).sum() / (high - low) == pytest.approx(math.pi * diameter_px**2 / 4, rel=2e-4)


@pytest.mark.parametrize("diameter_px", [60.0, 130.0, 200.0])
def test_the_bound_from_the_picture_is_the_formulas(diameter_px: float) -> None:
    disc = Disc(139.5, 139.5, diameter_px, blurs_light=False)
    assert bound_px(disc) == pytest.approx(bound_by_formula_px(disc), rel=0.05)


def test_the_tone_curve_against_known_levels() -> None:
    # IEC 61966-2-1: linear 0.2140 is level 127.5, 0.0031308 is 10.31, 1 is 255.
    assert encode(np.array([0.21404, 0.0031308, 1.0])) == pytest.approx([127.5, 10.31, 255.0], abs=0.02)


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_finds_a_plain_disc(name: str) -> None:
    picture = np.rint(levels(Disc(139.5, 139.5, 120.0))).astype(np.uint8)
    assert RIVALS[name](picture) == pytest.approx(120.0, abs=3.0)
