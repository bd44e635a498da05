"""Coins as calibration masses, with the nominal masses that mints publish.

Circulating coins are within about 1 % of their nominal mass. The errors of several coins average out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from calibration.messages import CodedError, Speaker

LEAST_MASS_G, MOST_MASS_G = 0.1, 100_000.0
COIN_REL_SD = 0.006
"""Relative standard deviation of circulating coins from their nominal mass (mint tolerance and wear)."""


class Currency(msgspec.Struct, frozen=True):
    """Coins of one currency: name → nominal mass in g, and the source."""

    name: str
    source: str
    coins: Mapping[str, float]


CURRENCIES: Mapping[str, Currency] = MappingProxyType(
    {
        "euro": Currency(
            "euro",
            "Council Regulation (EU) No 729/2014, annex I",
            {"1c": 2.30, "2c": 3.06, "5c": 3.92, "10c": 4.10, "20c": 5.74, "50c": 7.80, "1": 7.50, "2": 8.50},
        ),
        "pound": Currency(
            "pound sterling",
            "The Royal Mint, coin specifications (10p and 5p of 1992, 1p and 2p of 1992 and later, 12-sided pound)",
            {"1p": 3.56, "2p": 7.12, "5p": 3.25, "10p": 6.50, "20p": 5.00, "50p": 8.00, "1": 8.75, "2": 12.00},
        ),
        "dollar": Currency(
            "US dollar",
            "United States Mint, coin specifications (cents of 1983 and later)",
            {"1c": 2.500, "5c": 5.000, "10c": 2.268, "25c": 5.670, "50c": 11.340, "1": 8.100},
        ),
        "franc": Currency(
            "Swiss franc",
            "Swissmint, circulation coins",
            {"5c": 1.80, "10c": 3.00, "20c": 4.00, "half": 2.20, "1": 4.40, "2": 8.80, "5": 13.20},
        ),
        "yen": Currency(
            "Japanese yen",
            "Japan Mint, current circulating coins (500 yen of 2021)",
            {"1": 1.00, "5": 3.75, "10": 4.50, "50": 4.00, "100": 4.80, "500": 7.10},
        ),
        "canada": Currency(
            "Canadian dollar",
            "Royal Canadian Mint (plated steel: 1 and 2 dollars of 2012 and later)",
            {"5c": 3.95, "10c": 1.75, "25c": 4.40, "1": 6.27, "2": 6.92},
        ),
        "australia": Currency(
            "Australian dollar",
            "Royal Australian Mint, circulating coins",
            {"5c": 2.83, "10c": 5.65, "20c": 11.30, "50c": 15.55, "1": 9.00, "2": 6.60},
        ),
    }
)


class KnownMass(msgspec.Struct, frozen=True):
    """A mass put on the pan for calibration, in g, and its standard deviation (0: assumed exact)."""

    mass_g: float
    sd_g: float
    label: str


class MassError(CodedError):
    """A text is not a valid mass (`calibration_mass`); the message says how to write one."""

    def __init__(self, text: str, message: str) -> None:
        super().__init__("calibration_mass", message, text=text)


def parse_mass(text: str) -> KnownMass:
    """Parse a mass: grams (`100`), a coin (`euro:2`), or several (`4*euro:2+pound:1`).

    :raises MassError: it is none of these, or it is neither 0 nor between 0.1 and 100 000 g.
    """
    mass_g = var_g2 = 0.0
    for part in text.strip().lower().split("+"):
        count_text, star, rest = part.strip().rpartition("*")
        if star and not re.fullmatch(r"[0-9]{1,4}", count_text.strip()):
            raise MassError(text, f"{text!r}: {count_text!r} is not a number of coins")
        count = int(count_text) if star else 1
        one_g, sd_g = _one(rest.strip(), text)
        mass_g += count * one_g
        var_g2 += count * sd_g**2
    if mass_g != 0 and not LEAST_MASS_G <= mass_g <= MOST_MASS_G:
        message = f"{text!r}: a mass must be 0 or lie between {LEAST_MASS_G:g} and {MOST_MASS_G:.0f} g"
        raise MassError(text, message)
    return KnownMass(mass_g, math.sqrt(var_g2), text.strip())


def mass_said(known: KnownMass, speaker: Speaker) -> str:
    """Return a mass in the speaker's language, such as `leere Schale`, `33,5 g`, `4*euro:2`."""
    if known.mass_g == 0:
        return speaker.say("calibrate.empty_pan")
    return known.label if known.sd_g > 0 else f"{speaker.number(known.mass_g, 'g')} g"


def _one(name: str, text: str) -> tuple[float, float]:
    currency, colon, coin = name.partition(":")
    if colon:
        if currency not in CURRENCIES or coin not in CURRENCIES[currency].coins:
            known = ", ".join(f"{key}:{next(iter(value.coins))}" for key, value in CURRENCIES.items())
            raise MassError(text, f"{text!r}: no such coin; they are named like {known} (see --coins)")
        nominal_g = CURRENCIES[currency].coins[coin]
        return nominal_g, COIN_REL_SD * nominal_g
    try:
        value = float(re.sub(r"^(\d+),(\d{1,2})$", r"\1.\2", name.removesuffix("g").strip()))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise MassError(text, f"{text!r} is not a mass; give grams (100) or coins (4*euro:2)")
    return value, 0.0
