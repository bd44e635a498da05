"""Which of two masses is larger, at a chosen risk: for settled masses, and sample by sample as early as possible."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Literal

from hardware.readings import MassSettled

Order = Literal["heavier", "lighter"]

_OVERSHOOT = 0.583  # Siegmund, Sequential Analysis (1985), §10.2: mean excess over a boundary, in step deviations


def order_is_certain(a: MassSettled, b: MassSettled, risk: float) -> bool:
    """Tell whether the order of two settled masses is wrong with at most this probability, 0 < risk < 0.5."""
    apart_g = abs(a.mass_g - b.mass_g)
    sd_g = math.hypot(a.sd_g, b.sd_g)
    return apart_g > 0 if sd_g == 0 else NormalDist().cdf(-apart_g / sd_g) <= risk


def wald_samples(resolution_g: float, sample_sd_g: float, risk: float) -> float:
    """Return Wald's bound on the mean number of samples to tell +resolution from −resolution at equal risks.

    No test with these risks needs fewer on average (Wald 1947, §3.5; white noise, the other mass exactly known).
    """
    return (1 - 2 * risk) * math.log((1 - risk) / risk) * sample_sd_g**2 / (2 * resolution_g**2)


class OrderTest:
    """Wald's sequential probability ratio test of a load being weighed against a mass already known.

    Errs with at most about `risk` where the masses are `resolution_g` or more apart, and needs fewer samples the
    further apart they are. Near equality it may go on: the caller limits it, and no answer means "too close".

    :param known_g: the mass already weighed; `known_sd_g` its standard deviation, which all samples share.
    :param sample_sd_g: white noise of one sample, > 0.
    :param resolution_g: the difference that must be told, > 0.
    :param risk: of a wrong order, 0 < risk < 0.5.
    """

    def __init__(
        self, known_g: float, known_sd_g: float, *, sample_sd_g: float, resolution_g: float, risk: float
    ) -> None:
        if not (sample_sd_g > 0 and resolution_g > 0 and 0 < risk < 0.5):
            raise ValueError("sample_sd_g and resolution_g must be > 0 and risk between 0 and 0.5")
        self._known_g = known_g
        self._shared_var_g2 = known_sd_g**2
        self._sample_sd_g = sample_sd_g
        self._resolution_g = resolution_g
        self._boundary = math.log((1 - risk) / risk)
        self._total_g = 0.0
        self.samples = 0
        self.order: Order | None = None

    def feed(self, mass_g: float) -> Order | None:
        """Take one sample of the load, in g above the zero; return the order once it is certain, and from then on."""
        if self.order is not None or not math.isfinite(mass_g):
            return self.order
        self.samples += 1
        self._total_g += mass_g - self._known_g
        var_g2 = self._sample_sd_g**2 + self.samples * self._shared_var_g2
        # Log likelihood ratio of +resolution against −resolution, the shared error integrated out.
        ratio = 2 * self._resolution_g * self._total_g / var_g2
        step = 2 * self._resolution_g * self._sample_sd_g / var_g2
        if abs(ratio) >= max(self._boundary - _OVERSHOOT * step, 0.5 * self._boundary):
            self.order = "heavier" if ratio > 0 else "lighter"
        return self.order
