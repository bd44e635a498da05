"""Wrong PINs: five a minute and thirty an hour from one address, whatever another one does."""

from __future__ import annotations

from hardware.clock import ManualClock
from web.pin_tries import ADDRESSES_MOST, PinTries


def test_five_in_a_minute_and_then_none_until_the_first_is_a_minute_old() -> None:
    clock = ManualClock(100.0)
    tries = PinTries(clock)
    assert [tries.take("a") for _ in range(7)] == [True] * 5 + [False] * 2
    assert tries.take("b")
    clock.advance_to(159.0)
    assert not tries.take("a")
    clock.advance_to(161.0)
    assert tries.take("a")


def test_thirty_in_an_hour() -> None:
    clock = ManualClock(0.0)
    tries = PinTries(clock)
    taken = 0
    for minute in range(30):
        clock.advance_to(61.0 * minute)
        taken += sum(tries.take("a") for _ in range(5))
    assert taken == 30
    clock.advance_to(3601.0)
    assert tries.take("a")


def test_a_right_pin_costs_nothing() -> None:
    tries = PinTries(ManualClock(0.0))
    for _ in range(50):
        assert tries.take("a")
        tries.forgive("a")


def test_only_so_many_addresses_are_remembered() -> None:
    tries = PinTries(ManualClock(0.0))
    for _ in range(5):
        tries.take("first")
    for number in range(ADDRESSES_MOST):
        tries.take(str(number))
    assert tries.take("first")
    assert len(tries._wrong) == ADDRESSES_MOST
