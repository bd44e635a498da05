"""Masses as people type them: grams, coins, several coins. Rolls and bags of coins weigh what banks say."""

from __future__ import annotations

import math

import pytest

from calibration.scale.coins import MassError, parse_mass


@pytest.mark.parametrize(
    ("typed", "mass_g"),
    [
        ("0", 0.0),
        ("0.1", 0.1),
        ("33,5", 33.5),
        ("33.5", 33.5),
        ("100 g", 100.0),
        ("100000", 100_000.0),
        ("2*50", 100.0),
        ("4*Euro:2 + pound:1", 42.75),
    ],
)
def test_grams_and_coins_add_up(typed: str, mass_g: float) -> None:
    assert parse_mass(typed).mass_g == pytest.approx(mass_g)


@pytest.mark.parametrize(
    ("roll", "mass_g"),
    [
        ("25*euro:2", 212.5),
        ("25*euro:1", 187.5),
        ("40*euro:50c", 312.0),
        ("40*euro:20c", 229.6),
        ("50*euro:5c", 196.0),
        ("10*pound:2", 120.0),
        ("20*pound:1", 175.0),
        ("20*pound:50p", 160.0),
        ("50*pound:20p", 250.0),
        ("50*pound:10p", 325.0),
        ("100*pound:5p", 325.0),
        ("50*pound:2p", 356.0),
        ("100*pound:1p", 356.0),
        ("40*dollar:25c", 226.8),
        ("50*dollar:10c", 113.4),
        ("40*dollar:5c", 200.0),
        ("50*franc:1", 220.0),
        ("50*yen:1", 50.0),
        ("50*yen:100", 240.0),
    ],
)
def test_a_roll_or_a_bag_of_coins_weighs_what_banks_say(roll: str, mass_g: float) -> None:
    assert parse_mass(roll).mass_g == pytest.approx(mass_g)


def test_a_coin_is_within_six_thousandths_and_the_errors_of_several_average_out() -> None:
    """docs/weighing.md says so; grams are taken to be exact."""
    one, four, grams = (parse_mass(typed) for typed in ("euro:2", "4*euro:2", "34"))
    assert one.sd_g == pytest.approx(0.006 * 8.5)
    assert four.sd_g / four.mass_g == pytest.approx(0.006 / 2)
    assert grams.sd_g == 0
    mixed = parse_mass("euro:2+euro:1+10")
    assert mixed.sd_g == pytest.approx(0.006 * math.hypot(8.5, 7.5))


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "heavy",
        "nan",
        "inf",
        "-5",
        "-5+105",
        "0.05",
        "100001",
        "euro:3",
        "taler:1",
        "x*euro:2",
        "1.5*euro:2",
        "*50",
        "99999*1",
    ],
)
def test_what_is_no_mass_is_refused_in_the_words_that_were_typed(typed: str) -> None:
    with pytest.raises(MassError) as refused:
        parse_mass(typed)
    assert refused.value.code == "calibration_mass"
    assert repr(typed) in str(refused.value)
