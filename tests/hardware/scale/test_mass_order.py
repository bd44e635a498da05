"""The order of two settled masses is called certain exactly where the normal distribution says so."""

from __future__ import annotations

import math

from hardware.readings import MassSettled
from hardware.scale.mass_order import order_is_certain


def settled(mass_g: float, sd_g: float) -> MassSettled:
    return MassSettled(t_s=0.0, mass_g=mass_g, sd_g=sd_g, samples=10)


def test_order_of_settled_masses() -> None:
    # One-sided 1 % is 2.326 standard deviations; the difference of two has √2 of each.
    edge = 2.3263 * math.sqrt(2) * 0.01
    assert order_is_certain(settled(20 + 1.01 * edge, 0.01), settled(20.0, 0.01), 0.01)
    assert not order_is_certain(settled(20 + 0.99 * edge, 0.01), settled(20.0, 0.01), 0.01)
    assert order_is_certain(settled(20.0, 0.01), settled(20 + 1.01 * edge, 0.01), 0.01)
    assert not order_is_certain(settled(20.0, 0.0), settled(20.0, 0.0), 0.01)
