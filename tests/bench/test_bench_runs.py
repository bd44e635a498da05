"""Every benchmark runs, small, and hands back what the page needs. No time is asserted here."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.bench import appliance
from tests.bench.discs import Disc, bound_by_formula_px, bound_px, encode, levels
from tests.bench.lumps import Lump, silhouette, weighed
from tests.bench.machine import Load, machine_lines
from tests.bench.page import Measured, Section, page_of
from tests.bench.rim_rivals import RIVALS
from tests.table_process import TableProcess

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

SUBJECTS = {
    "sphere": 0.01,
    "intervals": 0.001,
    "stills": 0.01,
    "pieces": 0.01,
    "altered": 0.01,
    "passage": 0.01,
    "hard_passages": 0.01,
    "rolls": 0.003,
    "rolled": 0.01,
    "weighing": 0.005,
    "live": 0.03,
    "shown_rolls": 0.1,
    "slow_pages": 0.2,
    "at_work": 0.05,
    "games": 0.001,
    "strength": 0.001,
    "hub": 0.01,
    "chain_growth": 0.001,
}


LONG = {"sphere", "altered", "rolls", "rolled", "live", "shown_rolls", "slow_pages", "at_work", "chain_growth"}
"""What takes over five seconds even so: `make soak` runs it."""


@pytest.fixture(autouse=True)
def _the_repositorys_own_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SMUGGLERS_DATA", raising=False)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in LONG else name for name in SUBJECTS]
)
def test_a_benchmark_runs_and_can_be_written_down(name: str) -> None:
    subject = import_module(f"tests.bench.{name}")
    # In a thread of its own: Playwright runs once a thread, and other tests of this process may keep theirs open.
    with Load() as load, ThreadPoolExecutor(1) as thread:
        section = thread.submit(subject.measure, SUBJECTS[name]).result()
    assert isinstance(section, Section)
    assert section.aims
    for table in section.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.heads)}
    measured = Measured(section=section, machine=machine_lines(), load=load.told(), took_s=1.0, effort=0.01)
    kept = msgspec.json.decode(msgspec.json.encode(measured), type=Measured)
    page = page_of([kept])
    assert "A quick run" in page
    assert section.title in page
    for aim in section.aims:
        assert aim.what in page


def test_the_appliance_is_measured_as_a_process(tmp_path: Path) -> None:
    demo = TableProcess(tmp_path, *appliance.DEMO)
    try:
        assert demo.serving_s() > 0
        memory = demo.memory_mb()
        assert 10 < memory["once"] <= memory["each"] < 4000
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


@pytest.mark.parametrize("seed", range(3))
def test_a_round_lumps_outline_is_the_cone_that_touches_it(seed: int) -> None:
    ball = weighed(seed)
    centre, radius_mm = np.array([200.0, 65.0, 40.0]), 15.0
    outline, middle = silhouette(ball.view, Lump(np.random.default_rng(seed), 0.0), radius_mm, centre)
    away = centre - ball.view.pose.camera_position_mm
    axis = away / np.linalg.norm(away)
    seen = ball.view.rays(np.vstack([outline, middle])) @ ball.view.pose.R @ axis
    assert np.arccos(seen[:-1]) == pytest.approx(math.asin(radius_mm / np.linalg.norm(away)), rel=1e-4)
    assert seen[-1] == pytest.approx(1.0, abs=1e-9)


def test_a_lump_is_as_far_out_of_round_as_it_says() -> None:
    lump = Lump(np.random.default_rng(4), 5.0)
    directions = np.random.default_rng(5).normal(size=(20_000, 3))
    radius = lump.radius(directions / np.linalg.norm(directions, axis=1, keepdims=True))
    assert np.ptp(radius) == pytest.approx(0.05, rel=0.03)
    assert np.mean(radius**3) == pytest.approx(lump.volume_radius**3, rel=2e-3)


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_finds_a_plain_disc(name: str) -> None:
    picture = np.rint(levels(Disc(139.5, 139.5, 120.0))).astype(np.uint8)
    assert RIVALS[name](picture) == pytest.approx(120.0, abs=3.0)
