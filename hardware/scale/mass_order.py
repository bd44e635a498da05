"""Tests whether two settled masses differ by more than their errors explain."""

from __future__ import annotations

import math
from statistics import NormalDist

from hardware.readings import MassSettled


def order_is_certain(a: MassSettled, b: MassSettled, risk: float) -> bool:
    """Return whether the measured order of two masses is wrong with a probability of at most `risk`.

    The errors are assumed independent and normal (one-sided z test of the difference). Equal masses have no order.

    :param risk: probability of a wrong order, 0 < risk < 0.5.
    """
    apart_g = abs(a.mass_g - b.mass_g)
    sd_g = math.hypot(a.sd_g, b.sd_g)
    return apart_g > 0 if sd_g == 0 else NormalDist().cdf(-apart_g / sd_g) <= risk
