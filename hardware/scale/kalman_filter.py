"""Kalman filter for the mass on the pan under the scale's noise model.

State x, in g: zero, mass and, if there is a hum, its in-phase and quadrature parts. The zero is a random walk
(Q = drift² dt), the mass a constant without prior, the hum a rotation at a known frequency. One sample measures the sum
of zero, mass and the hum's in-phase part with white noise (R = white variance). The posterior standard deviation is
then the Cramér–Rao bound of the model for the samples used (Kalman 1960; Harvey 1989, chapter 3).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hardware.scale.scale_model import Hum, ScaleModel

_UNKNOWN_G2 = 1e5  # variance of an unknown value; small enough for float64 beside a white variance of 1e-6
_HUM_MEMORY_S = 20.0  # time constant with which a hum loses its phase, because the mains frequency varies


FilterState = tuple[float | None, NDArray[np.float64], NDArray[np.float64]]


class MassFilter:
    """Estimates zero, mass and hum in g from samples in g.

    :param white_sd_g: standard deviation of one sample's white noise, > 0 (√R).
    """

    def __init__(self, model: ScaleModel, white_sd_g: float) -> None:
        self._model = model
        self.white_var_g2 = white_sd_g**2
        self._hum = model.hum
        self._t_s: float | None = None
        self._state: NDArray[np.float64]
        self._cov: NDArray[np.float64]
        self.reset_zero(0.0)

    @property
    def zero_g(self) -> float:
        """Return the zero, in g above the calibrated zero."""
        return float(self._state[0])

    @property
    def zero_var_g2(self) -> float:
        """Return the variance of the zero, in g²."""
        return float(self._cov[0, 0])

    @property
    def mass_g(self) -> float:
        """Return the mass on the pan, in g (0 when empty)."""
        return float(self._state[1])

    @property
    def mass_sd_g(self) -> float:
        """Return the standard deviation of the mass, in g (0 when empty)."""
        return math.sqrt(max(float(self._cov[1, 1]), 0.0))

    def reset_zero(self, zero_g: float, sd_g: float | None = None, t_s: float | None = None) -> None:
        """Reset at `t_s` to an empty pan with a zero of `zero_g` ± `sd_g` (None: unknown)."""
        self._t_s = t_s
        self._state = np.array([zero_g, 0.0])
        self._cov = np.diag([_UNKNOWN_G2 if sd_g is None else sd_g**2, 0.0])
        self.set_hum(self._hum)

    def set_hum(self, hum: Hum | None) -> None:
        """Model this hum from now on; None means no hum. If a hum was modelled before, its phase is kept."""
        known, self._hum = len(self._state) == 4, hum
        if hum is None:
            self._state, self._cov = self._state[:2], self._cov[:2, :2]
        elif not known:
            unknown = hum.amplitude_g**2 / 2
            self._state = np.append(self._state, [0.0, 0.0])
            self._cov = np.block([[self._cov, np.zeros((2, 2))], [np.zeros((2, 2)), np.diag([unknown, unknown])]])

    def hum_at(self, t_s: float) -> float:
        """Return the hum's part of a sample at `t_s`, in g, predicted from the samples so far; 0 without a hum."""
        if self._hum is None or self._t_s is None:
            return 0.0
        dt_s = t_s - self._t_s
        angle = 2 * math.pi * self._hum.hz * dt_s
        swing_g = self._state[2] * math.cos(angle) + self._state[3] * math.sin(angle)
        return float(swing_g) * math.exp(-max(dt_s, 0.0) / _HUM_MEMORY_S)

    def inflate_zero_variance(self, shift_g: float) -> None:
        """Add `shift_g`² to the zero's variance, because the zero may have jumped by about this amount."""
        self._cov = self._cov.copy()
        self._cov[0, 0] += shift_g**2

    def add_load(self, guess_g: float) -> None:
        """Start to estimate a load of unknown mass that was put on the pan; `guess_g` is the starting value."""
        self._set_mass(guess_g, _UNKNOWN_G2)

    def remove_load(self) -> None:
        """Set the mass to 0 with variance 0: the pan is empty. The estimate of the zero is kept."""
        self._set_mass(0.0, 0.0)

    def _set_mass(self, mass_g: float, var_g2: float) -> None:
        self._state = self._state.copy()
        self._cov = self._cov.copy()
        self._state[1] = mass_g
        self._cov[1, :] = 0.0
        self._cov[:, 1] = 0.0
        self._cov[1, 1] = var_g2

    def predict(self, t_s: float) -> None:
        """Kalman predict: advance state and covariance to `t_s`. An earlier time changes nothing."""
        dt_s = 0.0 if self._t_s is None else max(t_s - self._t_s, 0.0)
        self._t_s = t_s if self._t_s is None else max(t_s, self._t_s)
        cov = self._cov.copy()
        if self._hum is not None and dt_s > 0:
            angle = 2 * math.pi * self._hum.hz * dt_s
            keep = math.exp(-dt_s / _HUM_MEMORY_S)
            turn = np.eye(4)
            turn[2:, 2:] = keep * np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
            self._state = turn @ self._state
            cov = turn @ cov @ turn.T
            renewed = (1 - keep**2) * self._hum.amplitude_g**2 / 2
            cov[2, 2] += renewed
            cov[3, 3] += renewed
        cov[0, 0] += self._model.drift_g_per_sqrt_s**2 * dt_s
        self._cov = cov

    def save(self) -> FilterState:
        """Return time, state and covariance, for `restore`."""
        return self._t_s, self._state, self._cov

    def restore(self, mark: FilterState) -> None:
        """Restore a saved state."""
        self._t_s, self._state, self._cov = mark

    def expected_sample(self) -> tuple[float, float]:
        """Return the next sample's expected value in g and its innovation variance in g²."""
        mean = self._state[0] + self._state[1]
        cov = self._cov
        var = cov[0, 0] + 2 * cov[0, 1] + cov[1, 1] + self.white_var_g2
        if self._hum is not None:
            mean += self._state[2]
            var += cov[2, 2] + 2 * cov[0, 2] + 2 * cov[1, 2]
        return float(mean), float(var)

    def update(self, sample_g: float) -> None:
        """Kalman update with one sample, in g, that belongs to the present load."""
        mean, var = self.expected_sample()
        row = self._cov[0] + self._cov[1]
        if self._hum is not None:
            row = row + self._cov[2]
        self._state = self._state + row * ((sample_g - mean) / var)
        self._cov = self._cov - np.outer(row, row) / var
