"""The longest names on phones of all widths: what players own, owe and win wraps, and no page scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.snapshot import Submission
from tests.appliance.games.plays import demo_options
from tests.end_to_end.names.test_six_long_names import LONG, sit_down
from tests.end_to_end.readable.test_prohis_on_phones import SIZES
from tests.end_to_end.served import OVERFLOW, Served, needs_browser, tap
from tests.narrowed import there
from tests.web.rounds import CROWDED

pytestmark = [*needs_browser, pytest.mark.thorough]
WORDS_RUN_OUT = """all => all.filter(one => one.getBoundingClientRect().width && one.scrollWidth > one.clientWidth + 1)
    .map(one => one.textContent)"""
PLAYERS = {"customs": 6, "haulers": 4, "prohis": 6}


def play_until(served: Served, game: str, wanted: Callable[[Any], bool]) -> None:
    """Let robots answer whatever is asked until the state is as `wanted`."""
    rules, made, table = the_game(game).rules, there(the_game(game).robots)(), served.stand.table
    robots = [made.Robot(seat, list(made.SKILLS)[-1], seat) for seat in range(PLAYERS[game])]
    for number in range(1000):
        served.stand.let_chance_draw()
        state = table.snapshot().state
        if wanted(state):
            return
        for seat, robot in enumerate(robots):
            view = rules.view(state, seat)
            chosen = robot.choose(view, tuple(one for one in view.expects if one.by == "seat"))
            if chosen is not None:
                table.submit(Submission(id=f"robot-{number}", action=chosen[1]))
                break
    raise AssertionError("it never comes to that")


def too_wide(served: Served, seat: int, language: str) -> list[tuple[int, int]]:
    """Return the sizes of phones on which the page of `seat` scrolls sideways."""
    phone = served.join(seat, language)
    phone.locator("footer .others").wait_for()
    found = []
    for wide, high in SIZES:
        phone.set_viewport_size({"width": wide, "height": high})
        if phone.evaluate(OVERFLOW)[0] > 0:
            found.append((wide, high))
    return found


@pytest.mark.parametrize("language", ["en", "de"])
def test_debts_between_long_names_fit_every_phone(served: Served, language: str) -> None:
    sit_down(served, "customs", **demo_options("customs"))
    longest = LONG.index(max(LONG, key=len))

    def owes_the_longest(state: Any) -> bool:
        return any(loan.creditor == longest for loan in state.loans)

    play_until(served, "customs", owes_the_longest)
    loan = next(loan for loan in served.stand.table.snapshot().state.loans if loan.creditor == longest)
    watching, reading, *_ = sorted({*range(6)} - {loan.debtor, loan.creditor})
    for seat in (loan.debtor, loan.creditor, watching):
        assert too_wide(served, seat, language) == [], seat
    phone = served.join(reading, language)
    phone.locator("footer .others").wait_for()
    roles = phone.locator("footer .others li > span:not(.label)")
    assert roles.count() == 5
    assert len({role.bounding_box()["height"] for role in roles.all()}) == 1, "no word is broken"


def test_a_convoy_between_long_names_fits_every_phone(served: Served) -> None:
    sit_down(served, "prohis")
    longest = LONG.index(max(LONG, key=len))
    play_until(served, "prohis", lambda state: bool(state.convoy) and state.convoy.inspector == longest)
    for seat in (longest, (longest + 1) % 6):
        assert too_wide(served, seat, "de") == [], seat


def test_an_opened_sphere_and_rows_of_tokens_fit_every_phone(served: Served) -> None:
    served.stand.open(4)
    assert too_wide(served, 3, "de") == []
    course = CROWDED["a theft from anybody"]
    opens = next(number for number, action in enumerate(course) if action["do"] == "open")
    served.stand.play(*course[:opens])
    phone = served.join(course[opens]["seat"], "de")
    # "Nothing, several or a foreign piece" is more to choose from.
    tap(phone, ".asking details summary, details summary")
    phone.locator(".chip.any-foreign").wait_for()
    for wide, high in SIZES:
        phone.set_viewport_size({"width": wide, "height": high})
        assert phone.evaluate(OVERFLOW)[0] <= 0, (wide, high)
        assert phone.locator(".chip").evaluate_all(WORDS_RUN_OUT) == [], (wide, high)


@pytest.mark.parametrize("game", sorted(PLAYERS))
def test_begin_and_end_among_long_names_fit_every_phone(served: Served, game: str) -> None:
    rules = the_game(game).rules
    sit_down(served, game, LONG[: PLAYERS[game]], **demo_options(game))
    assert [seat for seat in (0, 1) if too_wide(served, seat, "de")] == []
    play_until(served, game, lambda state: rules.outcome(state) is not None)
    assert [seat for seat in (2, 3) if too_wide(served, seat, "de")] == []


@pytest.mark.parametrize("name", ["Friederike", "Maximilian", "محمد علي"])
def test_an_everyday_name_is_read_whole_beside_the_purse(served: Served, name: str) -> None:
    sit_down(served, "customs", (name, "Ben", "Cleo"), **demo_options("customs"))
    phone = served.join(0, "de")
    phone.locator(".me button.money").wait_for()
    assert phone.locator(".me h2").evaluate_all(WORDS_RUN_OUT) == []
