"""A hand is for one pair of eyes: what a neighbour sees, and where fingers tap, is the same whatever the hand holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest

from tests.end_to_end.contrast import faint
from tests.end_to_end.known_hands import KEEPER, Table, alike, customs_hand, prohis_hand, seen
from tests.end_to_end.party import held
from tests.end_to_end.served import KIOSK, WALL, needs_browser, tap
from tests.patience import GIVEN_UP_S
from web.words.viewer import Viewer

pytestmark = needs_browser

TARGET_PX = 48
BELIEVED = (
    {"do": "declare", "seat": 3, "goods": []},
    {"do": "accept", "seat": 2},
    {"do": "believe", "seat": KEEPER},
)
"""The keeper took the hand of the first traveller: one of its cards has to go."""


def open_curtain(kiosk: Any) -> None:
    tap(kiosk, f'[data-hold="/kiosk/hand/{KEEPER}"]')
    kiosk.wait_for_selector(".curtain[open]")


def choose(kiosk: Any, place: int) -> None:
    """Tap a card of the closed hand. A busy browser processes the tap, and shows the card as released, with a delay."""
    card = f".curtain .chip:nth-child({place + 1})"
    tap(kiosk, card)
    kiosk.locator(f"{card}[aria-pressed=true]:not(:active)").wait_for()


@contextmanager
def refused(page: Any, table: Table) -> Iterator[None]:
    """Here the table refuses something, of which the browser writes a line of its own."""
    with page.expect_event("console", lambda line: "409" in line.text):
        yield
    table.served.complaints.clear()


def others_pages(table: Table) -> list[str]:
    """What everybody else is sent: wall, touchscreen, and the other seats' phones."""
    rendered = table.served.stand.app.extensions["smugglers"].live.pages
    snapshot = table.served.stand.table.snapshot()
    viewers = [Viewer("wall", None, "en"), Viewer("kiosk", None, "en"), *(Viewer("seat", s, "en") for s in (1, 2, 3))]
    pages = [str(rendered.of(snapshot, viewer).regions) for viewer in viewers]
    return [*pages, str([line.happening for line in snapshot.log if line.happening.to is None])]


def test_two_hands_of_prohis_look_and_are_played_alike_at_the_touchscreen(tables: Any) -> None:
    """The same numbers of the closed hand are tapped; only what lies in the convoy differs, and nobody sees that."""
    closed, opened, told, tapped, loads = [], [], [], [], []
    for kinds in ("LLLL", "IIII"):
        table = tables(prohis_hand(kinds))
        kiosk = table.screen("/kiosk", KIOSK)
        told.append(others_pages(table))
        open_curtain(kiosk)
        assert "Others look away" in kiosk.locator(".curtain .away").inner_text()
        closed.append(seen(kiosk))
        with held(kiosk, ".curtain [data-look]"):
            hand = kiosk.locator(".curtain .chip").evaluate_all("all => all.map(chip => chip.dataset.value)")
            kiosk.locator(".curtain .chip svg").first.wait_for()
            opened.append(seen(kiosk))
        goods = {"LLLL": "legal", "IIII": "illegal"}[kinds]
        places = [place for place, kind in enumerate(hand) if kind == goods][:2]
        tapped.append([str(kiosk.locator(".curtain .chip").nth(place).bounding_box()) for place in places])
        for place in places:
            choose(kiosk, place)
        closed.append(seen(kiosk))
        tap(kiosk, ".curtain .confirm")
        kiosk.wait_for_selector(".curtain", state="detached")
        kiosk.locator(".declarers").wait_for()
        closed.append(seen(kiosk))
        told.append(others_pages(table))
        loads.append(table.state.convoy.cards)
    assert loads == [("legal",) * 2, ("illegal",) * 2]
    assert not alike(*opened)
    assert all(map(alike, closed[:3], closed[3:]))
    assert told[:2] == told[2:]
    assert tapped[0] == tapped[1]


def test_two_hands_of_customs_look_alike_behind_the_curtain_even_when_the_bag_must_go(tables: Any) -> None:
    closed, told = [], []
    for kinds in (("luggage", "luggage", "luggage", "wine"), ("bag", "crown", "necklace", "luggage")):
        table = tables(customs_hand(*kinds))
        table.do(*BELIEVED)
        assert sorted(table.state.hand) == sorted(kinds)
        kiosk = table.screen("/kiosk", KIOSK)
        told.append(others_pages(table))
        open_curtain(kiosk)
        closed.append(seen(kiosk))
        choose(kiosk, 2)
        closed.append(seen(kiosk))
    assert all(map(alike, closed[:2], closed[2:]))
    assert told[0] == told[1]


def test_the_words_behind_the_curtain_are_read_by_day_and_by_night(tables: Any) -> None:
    for dealt, before in ((prohis_hand("LLLL"), ()), (customs_hand("bag", "crown", "wine", "luggage"), BELIEVED)):
        table = tables(dealt)
        table.do(*before)
        kiosk = table.screen("/kiosk", KIOSK)
        open_curtain(kiosk)
        for light in ("light", "dark"):
            kiosk.emulate_media(color_scheme=light, reduced_motion="reduce")
            assert faint(kiosk, ".curtain") == [], light


def test_what_cannot_be_discarded_is_refused_behind_the_curtain_alone(tables: Any) -> None:
    table = tables(customs_hand("bag", "crown", "necklace", "luggage"))
    table.do(*BELIEVED)
    kiosk = table.screen("/kiosk", KIOSK)
    open_curtain(kiosk)
    tap(kiosk, ".curtain .chip[data-value=crown]")
    with refused(kiosk, table):
        tap(kiosk, ".curtain .confirm")
    kiosk.locator(".curtain #toast:not([hidden])").wait_for()
    tap(kiosk, "[data-close]")
    kiosk.wait_for_selector(".curtain", state="detached")
    assert not kiosk.locator("#toast").is_visible()


def test_a_prohi_that_is_not_there_is_refused_on_its_own_phone_without_a_word_about_the_hand(tables: Any) -> None:
    table = tables(prohis_hand("LLLL"))
    phone = table.served.join(1)
    kiosk = table.screen("/kiosk", KIOSK)
    open_curtain(kiosk)
    for place in (0, 1):
        choose(kiosk, place)
    tap(kiosk, ".curtain .confirm")
    phone.locator(".taps.declare").wait_for()
    assert phone.locator(".taps.declare .tap:disabled").count() == 0
    shown = seen(kiosk)
    with refused(phone, table):
        tap(phone, ".taps.declare [data-send*=lieutenant]")  # seat 1 has none
    said = phone.locator("#toast:not([hidden])")
    said.wait_for()
    assert not {"Lieutenant", "B ", "lack"} & set(said.inner_text().split())
    assert alike(seen(kiosk), shown)


def test_a_hand_lies_in_every_order_alike(tables: Any) -> None:
    """Of four cards everything that chance can draw gives another order, and all of it every order once."""
    page = tables(prohis_hand("LLLL")).screen("/kiosk", KIOSK)
    orders = set()
    for numbers in product(range(1), range(2), range(3), range(4)):
        orders.add(
            page.evaluate(
                """numbers => {
                    crypto.getRandomValues = list => list.map((_, place) => (list[place] = numbers[place]));
                    const list = document.createElement("ol");
                    list.dataset.shuffle = "";
                    list.innerHTML = "<li>1</li><li>2</li><li>3</li><li>4</li>";
                    document.body.append(list);
                    document.dispatchEvent(new Event("settled"));
                    list.remove();
                    return list.textContent;
                }""",
                list(numbers),
            )
        )
    assert len(orders) == 24


def test_every_button_behind_the_curtain_and_before_it_is_large_enough(tables: Any) -> None:
    for dealt in (prohis_hand("LLII"), customs_hand("wine", "luggage", "bag", "crown")):
        table = tables(dealt)
        kiosk = table.screen("/kiosk", KIOSK)
        holder = table.prompts()[0].seat
        for where in ("#region-ask", ".curtain"):
            if where == ".curtain":
                tap(kiosk, f'[data-hold="/kiosk/hand/{holder}"]')
                kiosk.wait_for_selector(".curtain[open]")
            buttons = kiosk.locator(f"{where} button")
            assert buttons.count() >= 2
            small = [
                (box, buttons.nth(number).inner_text())
                for number in range(buttons.count())
                if (box := buttons.nth(number).bounding_box()) and min(box["width"], box["height"]) < TARGET_PX
            ]
            assert small == [], where
            sizes = kiosk.locator(f"{where} *").evaluate_all(
                "all => all.filter(e => e.offsetParent && e.innerText)"
                ".map(e => parseFloat(getComputedStyle(e).fontSize))"
            )
            assert min(sizes) >= 11


def test_what_a_phone_says_of_the_own_warehouse_follows_it(tables: Any) -> None:
    table = tables(prohis_hand("LLLL"))
    phone = table.served.join(KEEPER)
    phone.locator(".store", has_text="Your warehouse: 0 cards").wait_for()
    for place in (1, 2):
        tap(phone, f".picks .chip:nth-child({place})")
    before = table.served.stand.table.snapshot().version
    tap(phone, ".picks .confirm")
    assert table.served.stand.table.wait_newer(before, GIVEN_UP_S) is not None
    table.do(*({"do": "declare", "seat": seat, "prohi": None} for seat in (1, 2, 3)))
    phone.locator(".store", has_text="Your warehouse: 2 cards").wait_for()
    kinds = phone.locator(".store .kinds")
    assert not kinds.is_visible()
    with held(phone, ".store [data-look]"):
        kinds.wait_for()
    assert table.served.page("/", WALL).locator("[data-private]").count() == 0


FINGER = """(card, [sign, at_ms]) => {
    const event = new PointerEvent(sign, { bubbles: true });
    Object.defineProperty(event, "timeStamp", { value: at_ms });
    card.dispatchEvent(event);
    if (sign === "pointerup") card.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
}"""
"""What a browser says of a finger: when it came and left, which a busy page hears later."""


@pytest.mark.parametrize(("left_after_ms", "chosen"), [(100, 1), (300, 0)])
def test_a_short_tap_chooses_a_card_also_where_a_busy_phone_hears_late_that_it_ended(
    tables: Any, left_after_ms: int, chosen: int
) -> None:
    phone = tables(prohis_hand("LLLL")).served.join(KEEPER)
    card = phone.locator(".picks .chip").first
    card.evaluate(FINGER, ["pointerdown", 1000])
    phone.locator("body.looking").wait_for()
    card.evaluate(FINGER, ["pointerup", 1000 + left_after_ms])
    phone.locator("body:not(.looking)").wait_for()
    assert phone.locator(".picks .chip[aria-pressed=true]").count() == chosen
