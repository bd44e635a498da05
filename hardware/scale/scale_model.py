"""Model of one load cell: zero, span and noise, as calibration writes them to scale.toml.

All noise is in grams. The model of a sample is `zero(t) + mass + creep(t) + hum(t) + white`, where the zero is a random
walk. Figures to expect are in the HX711 datasheet: 50 nV rms at 10 samples/s, 90 nV at 80.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import msgspec

from hardware.files.regular_file import brief, parse_toml, read_text
from hardware.files.toml_file import CutError, FieldError, must_be_whole, with_place, wrong_field

FORMAT = "smugglers-scale-1"
COUNTS_MAX = 0x7FFFFF
COUNTS_MIN = -0x800000


class ScalePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One calibration point: the mass on the pan, and the counts read (mean and standard error)."""

    mass_g: float
    counts: float
    sd_counts: float


class Hum(NamedTuple):
    """A sine of `amplitude_g` at `hz`. The frequency is that in the samples, so below half the sample rate."""

    amplitude_g: float
    hz: float


class ScaleModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Zero, span and noise of one scale.

    `counts_per_gram` is never 0. It is negative when the cell is wired with reversed polarity. `white_sd_g` is the
    standard deviation of one sample at `rate_hz`. `drift_g_per_sqrt_s` is the random walk of the zero. `creep_fraction`
    of a load is added with time constant `creep_s`. `hum_g` is the amplitude of a sine at `hum_hz` (as sampled, so
    below rate / 2). `zero_sd_g` is how far the zero may have moved since calibration. `made_utc` is ISO 8601, or "" if
    unknown.
    """

    format: str = FORMAT
    made_utc: str = ""
    zero_counts: float = 0.0
    zero_sd_g: float = 1.0
    counts_per_gram: float
    span_rel_sd: float = 0.0
    rate_hz: float = 10.0
    white_sd_g: float
    drift_g_per_sqrt_s: float = 0.0
    creep_fraction: float = 0.0
    creep_s: float = 300.0
    hum_g: float = 0.0
    hum_hz: float = 0.0
    spikes_per_min: float = 0.0
    range_g: float = 500.0
    points: tuple[ScalePoint, ...] = ()

    @property
    def hum(self) -> Hum | None:
        """Return the hum found by the calibration, or None."""
        return Hum(self.hum_g, self.hum_hz) if self.hum_g > 0 and self.hum_hz > 0 else None

    def grams(self, counts: float) -> float:
        """Convert counts to grams above the calibrated zero."""
        return (counts - self.zero_counts) / self.counts_per_gram


class ScaleError(ValueError):
    """The scale file cannot be used. `code` is stable; the message says why and what to do, with `values`."""

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


_POSITIVE = ("white_sd_g", "rate_hz", "range_g", "creep_s", "zero_sd_g")
_NOT_NEGATIVE = ("span_rel_sd", "drift_g_per_sqrt_s", "hum_g", "hum_hz", "spikes_per_min")
_SMALLEST, _LARGEST = 1e-9, 1e9  # range of nonzero values in any unit of the file; beyond it arithmetic overflows
_MAKE = "with `smugglers calibrate scale`"
_REMEDY = f"make it again {_MAKE}"


def load_scale(path: Path) -> ScaleModel:
    """Read a scale.toml.

    :raises ScaleError: the file is missing (`scale_file_unreadable`), cut (`scale_file_cut`), not TOML or has a wrong
        field (`scale_file_invalid`), or was made by another release or for another device (`scale_file_format`).
    """
    try:
        text = read_text(path)
    except FileNotFoundError:
        message = f"{path}: there is no such file; make it {_MAKE}"
        raise ScaleError("scale_file_unreadable", message, path=str(path)) from None
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); {_REMEDY}"
        raise ScaleError("scale_file_unreadable", message, path=str(path)) from None
    except ValueError as error:
        raise _invalid(str(path), error) from None
    return parse_scale(text, str(path))


def parse_scale(text: str, name: str = "scale.toml") -> ScaleModel:
    """Parse the text of a scale.toml; `name` is used in messages.

    :raises ScaleError: as `load_scale`.
    """
    try:
        fields = parse_toml(text)
    except ValueError as error:
        raise _invalid(name, error) from None
    if fields.get("format") != FORMAT:
        found = fields.get("format", "no format")
        message = f"{name}: is not a scale file of this release ({brief(repr(found))}); {_REMEDY}"
        raise ScaleError("scale_file_format", message, path=name)
    try:
        must_be_whole(text)
        model = msgspec.convert(fields, ScaleModel)
    except CutError as cut:
        raise ScaleError("scale_file_cut", f"{name}: {cut}; {_REMEDY}", path=name, line=cut.line) from None
    except msgspec.ValidationError as error:
        raise _invalid(name, wrong_field(error)) from None
    if (wrong := _wrong_value(model)) is not None:
        raise _invalid(name, wrong)
    return model


def _invalid(name: str, wrong: ValueError) -> ScaleError:
    return ScaleError("scale_file_invalid", f"{name}: {wrong}; {_REMEDY}", path=with_place(name, wrong))


def _wrong_value(model: ScaleModel) -> FieldError | None:
    """Return which value no scale can have, or None."""
    for field in model.__struct_fields__:
        value = getattr(model, field)
        if isinstance(value, float) and not math.isfinite(value):
            return FieldError(f"`{field}` is no finite number", field)
        if field in _POSITIVE and not value > 0:
            return FieldError(f"`{field}` must be greater than 0", field)
        if isinstance(value, float) and not (value == 0 or _SMALLEST <= abs(value) <= _LARGEST):
            return FieldError(f"`{field}` is no scale's: {value:g}", field)
        if field in _NOT_NEGATIVE and value < 0:
            return FieldError(f"`{field}` must not be negative", field)
    if model.counts_per_gram == 0:
        return FieldError("`counts_per_gram` must not be 0", "counts_per_gram")
    if abs(model.creep_fraction) > 0.1:
        return FieldError("`creep_fraction` must be within ±0.1", "creep_fraction")
    return None
