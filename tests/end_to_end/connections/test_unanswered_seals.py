"""Seals of hidden pieces on a phone in a real browser whose requests get no answer: what counts can still be proven."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.party import held
from tests.end_to_end.served import Served, headline, needs_browser, ready, tap, until, wait_without_limit
from tests.narrowed import there
from tests.patience import GIVEN_UP_MS, GIVEN_UP_S

pytestmark = [*needs_browser, pytest.mark.thorough]


def lose_the_answer(route: Any) -> None:
    route.fetch()
    route.abort()


FATES = {"answer lost": lose_the_answer, "lost": lambda route: route.abort()}
"""What may become of a request that gets no answer."""


def test_a_seal_that_got_no_answer_can_still_be_proven(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = served.join(0)
    headline(phone, "knead one sphere")
    phone.clock.install()
    sent: list[str] = []

    def lose_the_answers(route: Any) -> None:
        if not sent:
            route.fetch()
        sent.append(route.request.post_data)

    phone.route("**/api/v1/actions", lose_the_answers)
    with phone.expect_request("**/api/v1/actions"):
        tap(phone, "[data-hide=sweet]")
    phone.locator(".note", has_text="Sealed.").wait_for()
    with phone.expect_request("**/api/v1/actions"):
        phone.clock.fast_forward(6_000)
    phone.clock.fast_forward(6_000)
    phone.locator("#toast", has_text="does not answer").wait_for()
    with held(phone, "[data-look]"):
        phone.locator(".reminder .told").get_by_text("sweet").wait_for()
    served.complaints.clear()


def test_a_seal_that_the_table_was_too_busy_to_answer_can_still_be_proven(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = served.join(0)
    headline(phone, "knead one sphere")

    def do_it_later(route: Any) -> None:
        route.fetch()
        route.fulfill(status=503, json={"code": "table_busy", "message": "The table is busy.", "rule": ""})

    phone.route("**/api/v1/actions", do_it_later)
    tap(phone, "[data-hide=sweet]")
    phone.locator(".note", has_text="Sealed.").wait_for()
    phone.locator("#toast", has_text="The table is busy.").wait_for()
    with held(phone, "[data-look]"):
        phone.locator(".reminder .told").get_by_text("sweet").wait_for()
    served.complaints.clear()


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [
        ("answer lost", "lost", "sweet"),
        ("answered", "lost", "sweet"),
        ("answered", "answer lost", "sour"),
        ("answer lost", "answered", "sour"),
    ],
)
def test_of_two_seals_the_one_that_the_table_took_is_proven_whichever_got_no_answer(
    served: Served, first: str, second: str, counts: str
) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = served.join(0)
    headline(phone, "knead one sphere")
    for piece, fate in (("sweet", first), ("sour", second)):
        before = now = served.stand.table.snapshot()
        if fate == "answered":
            tap(phone, f"[data-hide={piece}]")
        else:
            phone.locator("#toast").evaluate("sign => { sign.hidden = true; }")
            phone.route("**/api/v1/actions", FATES[fate])
            tap(phone, f"[data-hide={piece}]")
            phone.locator("#toast", has_text="does not answer").wait_for()
            phone.unroute("**/api/v1/actions")
        while fate != "lost" and now.state.players[0].seal == before.state.players[0].seal:
            now = there(served.stand.table.wait_newer(now.version, GIVEN_UP_S))
    served.stand.play(
        {"do": "time_up"},
        {"do": "decline", "seat": 0},
        {"do": "attempt", "seat": 1, "outcome": "passed"},
        {"do": "inspect", "seat": 1, "target": 0, "guess": "bomb"},
        {"do": "open", "seat": 0, "found": [counts]},
    )
    tap(phone, "[data-show-seal]")
    phone.locator(".latest", has_text="Your seal was true.").wait_for()
    served.complaints.clear()


def sent_id(late: list[tuple[Any, Any]]) -> str:
    return str(late[0][0].request.post_data_json["id"])


def test_of_two_tabs_of_one_phone_the_last_seal_is_proven_also_where_the_first_is_answered_late(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)
    phone = served.join(0)
    other = phone.context.new_page()
    other.set_default_timeout(GIVEN_UP_MS)
    other.goto(phone.url)
    ready(other)
    for tab in (phone, other):
        headline(tab, "knead one sphere")

    late: list[tuple[Any, Any]] = []
    wait_without_limit(phone)
    phone.route("**/api/v1/actions", lambda route: late.append((route, route.fetch())), times=1)
    tap(phone, "[data-hide=sweet]")
    other.locator(".note", has_text="Sealed.").wait_for()
    until(phone, lambda: bool(late))
    with other.expect_response(lambda answer: answer.request.post_data_json["id"] != sent_id(late)):
        tap(other, "[data-hide=sour]")
    with phone.expect_event("requestfinished"):
        route, answer = late.pop()
        route.fulfill(response=answer)
    served.stand.play(
        {"do": "time_up"},
        {"do": "decline", "seat": 0},
        {"do": "attempt", "seat": 1, "outcome": "passed"},
        {"do": "inspect", "seat": 1, "target": 0, "guess": "bomb"},
        {"do": "open", "seat": 0, "found": ["sour"]},
    )
    tap(phone, "[data-show-seal]")
    phone.locator(".latest", has_text="Your seal was true.").wait_for()
