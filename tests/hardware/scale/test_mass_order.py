"""The sequential test stops near Wald's bound and errs no more than it says. Truth: the generator's means."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hardware.readings import MassSettled
from hardware.scale.mass_order import OrderTest, order_is_certain, wald_samples

RUNS = 1500


def play(apart_g: float, *, resolution_g: float, sd_g: float, risk: float, seed: int) -> tuple[float, float]:
    """Return the mean number of samples and the share of wrong orders over RUNS weighings."""
    rng = np.random.default_rng(seed)
    used, wrong = [], 0
    for _ in range(RUNS):
        test = OrderTest(20.0, 0.0, sample_sd_g=sd_g, resolution_g=resolution_g, risk=risk)
        order = None
        while order is None:
            order = test.feed(20.0 + apart_g + rng.normal(0, sd_g))
        used.append(test.samples)
        wrong += order != ("heavier" if apart_g > 0 else "lighter")
    return float(np.mean(used)), wrong / RUNS


@pytest.mark.parametrize("risk", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("resolution_g", [0.004, 0.002])
@pytest.mark.parametrize("sign", [-1, 1])
def test_stops_near_walds_bound_and_keeps_its_risk(risk: float, resolution_g: float, sign: int) -> None:
    bound = wald_samples(resolution_g, 0.012, risk)
    assert bound >= 10
    mean, wrong = play(sign * resolution_g, resolution_g=resolution_g, sd_g=0.012, risk=risk, seed=7)
    assert mean <= 1.15 * bound
    assert wrong <= risk + 3 * math.sqrt(risk / RUNS)


def test_walds_bound_against_a_hand_calculation() -> None:
    # α = 0.05: 0.9 · ln 19 / 2 = 1.325 samples where resolution and noise are equal.
    assert wald_samples(1.0, 1.0, 0.05) == pytest.approx(1.3250, abs=1e-4)


def test_masses_further_apart_need_fewer_samples() -> None:
    near, _ = play(0.002, resolution_g=0.002, sd_g=0.012, risk=0.01, seed=1)
    far, wrong = play(0.02, resolution_g=0.002, sd_g=0.012, risk=0.01, seed=1)
    assert far < near / 4
    assert wrong == 0


def test_an_uncertain_reference_is_never_beaten_by_more_samples() -> None:
    rng = np.random.default_rng(3)
    wrong = decided = 0
    for _ in range(400):
        known = 20.0 + rng.normal(0, 0.02)
        test = OrderTest(known, 0.02, sample_sd_g=0.006, resolution_g=0.01, risk=0.01)
        orders = [test.feed(20.01 + rng.normal(0, 0.006)) for _ in range(200)]
        decided += orders[-1] is not None
        wrong += orders[-1] == "lighter"
    assert wrong / 400 <= 0.01 + 3 * math.sqrt(0.01 / 400)
    assert decided < 400


def test_an_order_once_given_stands() -> None:
    test = OrderTest(10.0, 0.0, sample_sd_g=0.01, resolution_g=0.05, risk=0.01)
    assert test.feed(math.nan) is None
    assert test.feed(12.0) == "heavier"
    assert test.feed(0.0) == "heavier"
    assert test.samples == 1


@pytest.mark.parametrize("wrong", [{"risk": 0.5}, {"risk": 0.0}, {"sample_sd_g": 0.0}, {"resolution_g": -1.0}])
def test_senseless_parameters_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        OrderTest(1.0, 0.0, **{"sample_sd_g": 0.01, "resolution_g": 0.05, "risk": 0.01, **wrong})


def settled(mass_g: float, sd_g: float) -> MassSettled:
    return MassSettled(t_s=0.0, mass_g=mass_g, sd_g=sd_g, samples=10)


def test_order_of_settled_masses() -> None:
    # One-sided 1 % is 2.326 standard deviations; the difference of two has √2 of each.
    edge = 2.3263 * math.sqrt(2) * 0.01
    assert order_is_certain(settled(20 + 1.01 * edge, 0.01), settled(20.0, 0.01), 0.01)
    assert not order_is_certain(settled(20 + 0.99 * edge, 0.01), settled(20.0, 0.01), 0.01)
    assert order_is_certain(settled(20.0, 0.01), settled(20 + 1.01 * edge, 0.01), 0.01)
    assert not order_is_certain(settled(20.0, 0.0), settled(20.0, 0.0), 0.01)
