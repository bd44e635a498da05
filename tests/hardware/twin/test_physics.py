"""Rolls: what fits passes and nothing else; times, speeds and places that a table would show."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from hardware.rig import Rig
from hardware.twin.world import physics
from hardware.twin.world.simulated_roll import SimulatedRoll, beam_blocks
from tests.narrowed import there

RIG = Rig()


def roll(
    lane: int = 4,
    diameter_mm: float = 24.0,
    caliper_mm: float | None = None,
    push: float = 0.5,
    seed: int = 0,
    start_mm: tuple[float, float] | None = None,
    drift_to: int | None = None,
) -> SimulatedRoll:
    pushed = physics.PushedSphere(
        mean_diameter_mm=diameter_mm,
        largest_caliper_mm=diameter_mm if caliper_mm is None else caliper_mm,
        lane=lane,
        strength=push,
        start_mm=start_mm if start_mm is not None else (RIG.lane(lane).x_mm, 220.0),
        drift_to=drift_to,
    )
    return physics.roll(RIG, pushed, 10.0, Random(seed))


@pytest.mark.parametrize("lane", range(1, 8))
def test_a_sphere_passes_when_its_largest_caliper_fits_and_only_then(lane: int) -> None:
    hole = RIG.lane(lane).hole_mm
    chance = Random(lane)
    for seed in range(12):
        push = chance.uniform(0.25, 1.0)
        start = (RIG.lane(lane).x_mm + chance.gauss(0, 1.5), chance.uniform(217, 223))
        fits = roll(lane, hole * 0.97, hole - chance.uniform(0.02, 3.0), push, seed, start)
        assert (fits.outcome, fits.lane) == ("passed", lane)
        large = roll(lane, hole * 0.99, hole + physics.SQUEEZE_MM + chance.uniform(0.02, 3.0), push, seed, start)
        assert (large.outcome, large.crossed_s) == ("stuck", None)


def test_a_wedged_sphere_sits_about_ten_millimetres_uphill() -> None:
    """Against the path-traced set's truth (data/table clips): caliper and hole → y of the wedged centre."""
    for lane, caliper_mm, wedge_y_mm in ((4, 29.97, 13.37), (2, 25.17, 10.10), (3, 36.55, 12.34), (6, 22.78, 10.03)):
        stuck = roll(lane, caliper_mm, caliper_mm)
        assert stuck.centres_mm[-1, 1] == pytest.approx(wedge_y_mm, abs=1.0)


def test_the_ramp_speeds_a_ball_up_as_five_sevenths_of_gravity_does() -> None:
    rolled = roll(push=0.5)
    y = rolled.centres_mm[:, 1]
    on_ramp = (y < 180) & (y > 30)
    t, path = rolled.times_s[on_ramp], (180 - y[on_ramp]) / math.cos(math.atan(47 / 200))
    acceleration = 2 * np.polyfit(t - t[0], path, 2)[0] / 1000
    frictionless = 5 / 7 * 9.81 * math.sin(math.atan(47 / 200))
    assert 0.9 * frictionless < acceleration < frictionless


def test_energy_never_grows_between_push_and_fence() -> None:
    rolled = roll(push=0.7)
    t, centres = rolled.times_s, rolled.centres_mm / 1000
    free = (t > 10.0 + physics.PUSH_S + 0.01) & (centres[:, 1] > 0.03)
    speed = np.linalg.norm(np.gradient(centres, t, axis=0), axis=1)
    energy = (0.7 * speed**2 + 9.81 * centres[:, 2])[free]
    assert np.all(np.diff(energy) < 2e-3)
    assert energy[-1] < energy[0]


def test_a_roll_takes_as_long_as_in_the_pictures() -> None:
    """data/table clips: half a second from first movement to the fence, about a metre a second there."""
    rolled = roll(push=0.5)
    assert 0.35 < there(rolled.crossed_s) - rolled.started_s < 0.9
    near = np.abs(rolled.centres_mm[:, 1]) < 15
    speed = np.abs(np.diff(rolled.centres_mm[near, 1])).mean() / physics.STEP_S
    assert 500 < speed < 1200
    assert -140 < rolled.centres_mm[-1, 1] < -20
    assert rolled.centres_mm[-1, 2] == pytest.approx(RIG.landing_z_mm + 12.0)


def test_a_weak_push_falls_short_without_touching_the_fence() -> None:
    for push in (0.06, 0.08, 0.11):
        short = roll(push=push)
        assert short.outcome == "short"
        assert short.touched_s is None
        assert 200 < short.centres_mm[-1, 1] < 217


def test_a_stray_roll_reaches_the_next_lane_and_is_never_a_pass() -> None:
    for lane, aside in ((4, 5), (6, 7), (2, 1)):
        stray = roll(lane, 18.0, push=0.4, drift_to=aside)
        assert (stray.outcome, stray.lane) == ("astray", aside)


def test_the_same_seed_rolls_the_same_way() -> None:
    one, other, third = roll(seed=7), roll(seed=7), roll(seed=8)
    assert np.array_equal(one.centres_mm, other.centres_mm)
    assert not np.array_equal(one.centres_mm[-1], third.centres_mm[-1])


def test_the_centre_never_sinks_into_ramp_or_platform() -> None:
    for y in np.linspace(1, 239, 200):
        for radius in (8.0, 14.0, 20.0):
            z = physics.centre_height_mm(RIG, float(y), radius)
            around = np.linspace(y - radius, y + radius, 400)
            surface = np.array([RIG.ramp_z_mm(float(v)) for v in around])
            gap = np.hypot(around - y, surface - z).min()
            assert gap == pytest.approx(radius, abs=0.05) or (y < radius and gap > radius)


def test_beams_break_and_clear_exactly_when_the_disc_covers_them() -> None:
    rolled = roll(lane=3, diameter_mm=30.0, push=0.5)
    front, back = (beam_blocks(rolled.times_s, rolled.centres_mm, 15.0, beam.y_mm, beam.z_mm) for beam in RIG.beams)
    assert [broken for _, broken in front] == [True, False]
    assert [broken for _, broken in back] == [True, False]
    assert front[0][0] < back[0][0]
    assert front[0][0] < there(rolled.crossed_s) < back[1][0]
    for (t_s, _), beam in ((front[0], RIG.beams[0]), (back[1], RIG.beams[1])):
        _, y, z = rolled.centre_at(t_s)
        assert math.hypot(y - beam.y_mm, z - beam.z_mm) == pytest.approx(15.0, abs=0.05)
    blocked_ms = (front[1][0] - front[0][0]) * 1000
    assert 12 < blocked_ms < 60


def test_a_wedged_sphere_keeps_the_front_beam_broken() -> None:
    stuck = roll(lane=2, diameter_mm=25.1, caliper_mm=25.2)
    edges = beam_blocks(stuck.times_s, stuck.centres_mm, 12.55, RIG.beams[0].y_mm, RIG.beams[0].z_mm)
    assert edges[-1][1] is True
    assert beam_blocks(stuck.times_s, stuck.centres_mm, 12.55, RIG.beams[1].y_mm, RIG.beams[1].z_mm) == []
