"""A phone in a hand: what it hides shows only while it is held; it says when the table is gone, sleeps and wakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.known_hands import alike, prohis_hand, seen
from tests.end_to_end.party import held
from tests.end_to_end.served import Served, caught_up, headline, needs_browser, ready, stop_its_clock, take_taps, tap
from tests.end_to_end.wire import Wire
from tests.narrowed import there
from tests.patience import GIVEN_UP_S

pytestmark = needs_browser

SAID_WITHIN_MS = 3_000
AN_HOUR_MS = 3_600_000
ASLEEP = """value => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def wire(served: Served) -> Iterator[Wire]:
    wire = Wire(served.server.port)
    served.base = f"http://127.0.0.1:{wire.port}"
    yield wire
    wire.close()


def sculpting(served: Served) -> None:
    served.stand.open(2)
    served.stand.do(do="roll", seat=0, value=3)


def asleep(phone: Any, is_: bool) -> None:
    phone.evaluate(ASLEEP, is_)
    phone.locator("body:not(.streaming)" if is_ else "body.streaming").wait_for()


def at_rest(phone: Any) -> bytes:
    """Return how a phone looks on which nothing moves any more and no finger lies."""
    phone.reload()
    phone.locator(".region h1").first.wait_for()
    return seen(phone)


def test_what_is_sealed_shows_only_while_a_finger_or_a_key_holds_it(served: Served) -> None:
    sculpting(served)
    phone = served.join(1)
    gem, told = phone.locator("[data-hide=sour] .gem"), phone.locator(".reminder .told")
    assert not gem.is_visible()
    with held(phone, "[data-look]"):
        gem.wait_for()
    tap(phone, "[data-hide=sour]")
    phone.locator(".note", has_text="Sealed.").wait_for()
    assert not gem.is_visible()
    phone.locator("[data-look]").focus()
    phone.keyboard.down("Space")
    told.get_by_text("sour").wait_for()
    phone.keyboard.up("Space")
    told.wait_for(state="hidden")
    served.stand.do(do="time_up")
    headline(phone, "Ann rolls")
    with held(phone, ".reminder [data-look]"):
        told.get_by_text("sour").wait_for()
    assert not told.is_visible()
    assert served.complaints == []


def test_a_finger_that_looks_at_a_piece_does_not_seal_it(served: Served) -> None:
    sculpting(served)
    phone = served.join(1)
    with held(phone, "[data-hide=bomb]"):
        phone.locator("[data-hide=bomb] .gem").wait_for()
    phone.locator(".note", has_text="Nothing sealed yet.").wait_for()
    assert not served.stand.table.snapshot().state.players[1].seal


def test_whatever_was_sealed_at_a_place_the_phone_looks_the_same(tmp_path: Path, browser: Any) -> None:
    looks = []
    for piece, chance in (("sweet", 1), ("bomb", 3)):
        folder = tmp_path / piece
        folder.mkdir()
        (folder / "phones.json").write_bytes(b'{"start":"alike"}')
        served = Served(folder, browser)
        sculpting(served)
        phone = served.join(1)
        phone.add_init_script(f"crypto.getRandomValues = numbers => numbers.fill({chance})")
        phone.reload()
        headline(phone, "knead one sphere")
        tap(phone, f"[data-hide={piece}]:first-child")
        phone.locator(".note", has_text="Sealed.").wait_for()
        pictures = [at_rest(phone)]
        served.stand.do(do="time_up")
        headline(phone, "Ann rolls")
        looks.append([*pictures, at_rest(phone)])
        assert served.complaints == []
        served.close()
    assert all(map(alike, *looks))


def test_a_link_that_went_silent_is_told_within_three_seconds_and_a_tap_meanwhile_counts_once(
    served: Served,
    wire: Wire,
) -> None:
    served.stand.open(2)
    phone = served.join(0)
    stop_its_clock(phone)
    phone.reload()
    headline(phone, "You throw the die")
    caught_up(phone)
    take_taps(phone)
    wire.cut()
    tap(phone, ".chance")
    phone.clock.fast_forward(SAID_WITHIN_MS)
    phone.locator("#connection:not([hidden])").wait_for()
    assert served.stand.table.snapshot().state.phase == "roll"
    on_its_way = phone.locator("#toast", has_text="Your tap is being sent")
    on_its_way.wait_for()
    tap_offline(phone, ".chance")
    on_its_way.wait_for()
    wire.mend()
    phone.clock.fast_forward(SAID_WITHIN_MS)
    phone.locator("#connection").wait_for(state="hidden")
    phone.locator(".region h1", has_text="throw").wait_for(state="hidden")
    on_its_way.wait_for(state="hidden")
    assert [deed.action["do"] for deed in served.stand.table.snapshot().correctable] == ["roll"]


def tap_offline(phone: Any, selector: str) -> None:
    phone.locator("body.offline:not(.fresh)").wait_for()
    phone.locator(selector).first.tap()


def test_cards_that_were_chosen_stay_chosen_while_the_table_cannot_be_reached(tables: Any) -> None:
    table = tables(prohis_hand("LLLL"))
    phone = table.served.join(0)
    for place in (1, 2):
        tap(phone, f".picks .chip:nth-child({place})")
    table.served.lose_the_network(phone)
    phone.locator("#connection:not([hidden])").wait_for()
    tap_offline(phone, ".picks .confirm")
    phone.locator("#toast", has_text="nothing was sent").wait_for()
    assert table.state.convoy is None
    phone.context.set_offline(False)
    phone.locator("#connection").wait_for(state="hidden")
    assert phone.locator(".picks [aria-pressed=true]").count() == 2
    before = table.served.stand.table.snapshot().version
    tap(phone, ".picks .confirm")
    assert table.served.stand.table.wait_newer(before, GIVEN_UP_S) is not None
    assert len(there(table.state.convoy).cards) == 2
    table.served.complaints.clear()  # the browser's own line about the lost network


def test_a_phone_that_slept_shows_what_is_now_and_its_hand_is_closed(tables: Any) -> None:
    table = tables(prohis_hand("LLLL"))
    phone = table.served.join(1)
    phone.clock.install()
    phone.reload()
    headline(phone, "convoy")
    ready(phone)
    phone.locator("[data-look]").first.hover()
    phone.mouse.down()
    phone.locator("body.looking").wait_for()
    asleep(phone, True)
    phone.locator("body:not(.looking)").wait_for()
    phone.mouse.up()
    phone.clock.fast_forward(AN_HOUR_MS)
    table.do({"do": "convoy", "seat": 0, "cards": ["legal", "legal"]})
    asleep(phone, False)
    phone.locator(".taps.declare").wait_for()
    assert phone.locator("#connection").is_hidden()
    assert not phone.locator(".own .face svg").first.is_visible()
