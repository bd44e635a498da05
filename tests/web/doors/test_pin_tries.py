"""Wrong PINs: five a minute and thirty an hour from one address, sixty from all; the touchscreen counts alone."""

from __future__ import annotations

from hardware.clock import ManualClock
from tests.web.stand import ADDRESS, PIN, Stand
from web.doors.pin_tries import ADDRESSES_MOST, PinTries
from web.doors.shares import OWN


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


def test_a_right_pin_forgives_no_wrong_one() -> None:
    """Neither the sender's own, nor those of others that were counted before."""
    tries = PinTries(ManualClock(0.0), of_all=((60.0, 8),))
    assert [tries.take("guesser") for _ in range(4)] == [True] * 4
    for who in ("guesser", "owner"):
        assert tries.take(who)
        tries.forgive(who)
    assert [tries.take("guesser") for _ in range(2)] == [True, False]
    assert sum(tries.take(f"192.0.2.{number}") for number in range(9)) == 3


def test_a_right_pin_costs_nothing() -> None:
    tries = PinTries(ManualClock(0.0))
    for _ in range(50):
        assert tries.take("a")
        tries.forgive("a")


def test_only_so_many_addresses_are_remembered() -> None:
    clock = ManualClock(0.0)
    tries = PinTries(clock)
    for _ in range(5):
        tries.take("first")
    for number in range(2 * ADDRESSES_MOST):
        clock.advance_to(60.0 * number)
        tries.take(str(number))
    assert len(tries._wrong) <= ADDRESSES_MOST


def test_of_too_many_addresses_the_newest_is_still_counted() -> None:
    clock = ManualClock(0.0)
    tries = PinTries(clock, of_all=())
    for number in range(ADDRESSES_MOST):
        clock.advance_to(float(number))
        tries.take(str(number))
    assert [tries.take("guesser") for _ in range(6)] == [True] * 5 + [False]


def test_many_addresses_have_no_more_tries_together_and_the_touchscreen_is_never_locked_by_them() -> None:
    clock = ManualClock(0.0)
    tries = PinTries(clock)
    assert sum(tries.take(f"192.0.2.{number}") for number in range(200)) == 15
    taken = 15
    for minute in range(1, 59):
        clock.advance_to(60.0 * minute)
        taken += sum(tries.take(f"198.51.{minute}.{number}") for number in range(200))
        assert tries.take(OWN)
        tries.forgive(OWN)
    assert taken == 60
    assert [tries.take(OWN) for _ in range(6)] == [True] * 5 + [False]


def test_guesses_from_the_network_do_not_keep_the_owner_from_the_touchscreen(stand: Stand) -> None:
    guesser = stand.stranger()
    for number in range(60):
        sent = {
            "environ_overrides": {"REMOTE_ADDR": f"192.0.2.{number + 10}"},
            "headers": {"Origin": f"http://{ADDRESS}"},
        }
        last = guesser.post("/host/unlock", data={"pin": "0000"}, **sent)
    assert last.status_code == 429
    there = {"Origin": "http://localhost"}
    assert stand.kiosk().post("/host/unlock", data={"pin": PIN}, headers=there).status_code == 302
