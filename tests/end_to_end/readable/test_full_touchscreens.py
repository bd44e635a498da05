"""Full touchscreens: what a card says of a player is read whole, and all there is to tap is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.customs.rules.state import Loan, Opening
from appliance.games.haulers.rules.state import Bonus
from appliance.words.catalogues import LANGUAGES
from hardware.readings import Device, DeviceHealth
from tests.appliance.games.contract.play import a_setup
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.readable.test_full_haulers import EVERYDAY, ended, results
from tests.end_to_end.served import KIOSK, Served, needs_browser
from tests.moments import Course, Moment, moments_of, named
from tests.pages import Pages
from tests.web.stand import Stand

pytestmark = needs_browser

PLAYERS = 6

# Words of cards and head whose end is left out, that go on in another line, or that lie outside their card by more than
# a pixel.
CUT = """() => Array.from(document.querySelectorAll(".region-players article *, .region-head .ours")).filter(word => {
    const range = document.createRange();
    const parted = Array.from(word.childNodes).filter(part => part.nodeType === Node.TEXT_NODE).some(text => {
        range.selectNodeContents(text);
        const lines = new Set(Array.from(range.getClientRects(), line => Math.round(line.top)));
        return lines.size > text.data.trim().split(/\\s+/).length;
    });
    const within = (word.closest("article") ?? word.parentElement).getBoundingClientRect();
    const box = word.getBoundingClientRect(), style = getComputedStyle(word);
    const ends = style.overflowX !== "visible" && word.clientWidth > 1 && word.scrollWidth > word.clientWidth;
    return parted || ends || (box.width > 1 && (box.right > within.right + 1 || box.bottom > within.bottom + 1));
}).map(word => `${word.className} ${word.textContent.trim()}`)"""


def of_six(game: str) -> Iterator[Moment]:
    """Yield a moment of each phase of Prohis with six, and the first of the other games."""
    if game != "prohis":
        yield Course(game, named(play_of(game).a_setup(PLAYERS))).moment("six", 0)
        return
    seen = set()
    for moment in moments_of(game):
        state: Any = moment.snapshot.state
        if len(state.players) == PLAYERS and state.phase not in seen:
            seen.add(state.phase)
            yield moment


# What the card says of debts, whether it is all on the card, and whether the role above keeps its line.
DEBTS = """debt => {
    const card = debt.closest("article"), around = card.getBoundingClientRect(), box = debt.getBoundingClientRect();
    const role = card.querySelector(".role");
    return [debt.textContent, debt.checkVisibility() && box.bottom <= around.bottom && box.right <= around.right,
        role.getBoundingClientRect().height >= parseFloat(getComputedStyle(role).fontSize)];
}"""


# To whom they owe it: the names that are read whole, on the card.
CREDITORS = """all => all.filter(name => {
    const around = name.closest("article").getBoundingClientRect(), box = name.getBoundingClientRect();
    return name.checkVisibility() && name.scrollWidth <= name.clientWidth
        && box.bottom <= around.bottom && box.right <= around.right;
}).map(name => name.textContent)"""


@pytest.mark.parametrize("players", [3, 4, 5, PLAYERS])
def test_what_a_player_owes_to_two_is_read_on_their_card(browser: Any, players: int) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    first = Course("customs", named(play_of("customs").a_setup(players))).moment("debts", 0)
    loans = (Loan(debtor=1, creditor=2, amount=1250), Loan(debtor=1, creditor=0, amount=450))
    state = msgspec.structs.replace(first.snapshot.state, loans=loans)
    owing = first._replace(snapshot=msgspec.structs.replace(first.snapshot, state=state), told="debts")
    total = "b" if players > 4 else "> span:not(.creditors)"
    for kind, html, part in (("kiosk", pages.kiosk(owing, "de"), "b"), ("wall", pages.wall(owing, "de"), total)):
        screen = screens.screen(kind, html)
        screen.evaluate(SHOW, html)
        screen.evaluate(AT_REST)
        said, inside, role = screen.locator(f".debt {part}").evaluate(DEBTS)
        assert "£1.700" in said
        assert (inside, role) == (True, True), (kind, said)
    assert screens.screen("wall", "").locator(".creditors bdi").evaluate_all(CREDITORS) == ["Cleo", "Ann"]
    screens.close()


# The outlines that stand for creditors and are whole on the card, and that of everybody's own card.
WHOSE = """all => all.filter(mark => {
    const around = mark.closest("article").getBoundingClientRect(), box = mark.getBoundingClientRect();
    return mark.checkVisibility() && box.width > 11 && box.right <= around.right && box.bottom <= around.bottom;
}).map(mark => mark.querySelector("path").getAttribute("d"))"""


@pytest.mark.parametrize("players", [4, PLAYERS])
def test_whom_a_player_owes_is_told_apart_by_shapes_where_names_begin_alike(browser: Any, players: int) -> None:
    pages, alike = Pages(), ("Anna", "Annika", "Annegret", "Antonia", "Anton", "Andrea")
    screens = Screens(browser, pages)
    setup = play_of("customs").a_setup(players)
    guests = [msgspec.structs.replace(one, name=name) for one, name in zip(setup.players, alike, strict=False)]
    first = Course("customs", msgspec.structs.replace(setup, players=tuple(guests))).moment("debts", 0)
    lenders = [seat for seat in range(players) if seat != 1]
    loans = tuple(Loan(debtor=1, creditor=seat, amount=450) for seat in lenders)
    state = msgspec.structs.replace(first.snapshot.state, loans=loans)
    owing = first._replace(snapshot=msgspec.structs.replace(first.snapshot, state=state), told="debts")
    html = pages.wall(owing, "de")
    screen = screens.screen("wall", html)
    screen.evaluate(SHOW, html)
    screen.evaluate(AT_REST)
    own = screen.locator(".person > header .mark").evaluate_all(WHOSE)
    assert len(set(own)) == players
    assert screen.locator(".creditors .mark").evaluate_all(WHOSE) == [own[seat] for seat in lenders]
    screens.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_ten_kinds_of_cards_are_in_sight_when_a_suitcase_is_opened(browser: Any, language: str) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    opening = next(one for one in moments_of("customs") if isinstance(one.snapshot.state.stage, Opening))
    html = pages.kiosk(opening, language)
    screen = screens.screen("kiosk", html)
    screen.evaluate(SHOW, html)
    screen.evaluate(AT_REST)
    confirm = screen.locator(".counts .confirm").bounding_box()
    lowest = [box["y"] + box["height"] for box in (one.bounding_box() for one in screen.locator(".counter").all())]
    assert len(lowest) == 10
    assert max(lowest) <= confirm["y"]
    screens.close()


# Numbers of cities that lie on a name, of which a fifth above and below is empty.
ON_A_NAME = """() => Array.from(document.querySelectorAll("svg.map .badge")).filter(badge => {
    const disc = badge.getBoundingClientRect();
    return Array.from(document.querySelectorAll("svg.map .town")).some(name => {
        const box = name.getBoundingClientRect(), rim = box.height / 5;
        return disc.right > box.left + 2 && disc.left < box.right - 2
            && disc.bottom > box.top + rim + 2 && disc.top < box.bottom - rim - 2;
    });
}).map(badge => badge.parentElement.textContent)"""


@pytest.mark.parametrize("kind", ["wall", "kiosk", "seat"])
def test_the_number_of_a_start_city_and_its_name_are_both_read(browser: Any, kind: str) -> None:
    first, pages = Course("haulers", a_setup(the_game("haulers"), 2)).moment("map", 0), Pages()
    screens = Screens(browser, pages)
    html = {"wall": pages.wall, "kiosk": pages.kiosk}.get(kind, lambda at, language: pages.phone(at, 0, language))
    screen = screens.screen(kind, html(first, "en"))
    screen.evaluate(SHOW, html(first, "en"))
    screen.evaluate(AT_REST)
    assert screen.locator("svg.map .badge").count()
    assert screen.evaluate(ON_A_NAME) == []
    screens.close()


@pytest.mark.parametrize("game", ["prohis", "haulers", "customs"])
def test_no_word_of_six_players_is_cut(browser: Any, game: str) -> None:
    pages, looked = Pages(), 0
    screens = Screens(browser, pages)
    for moment in of_six(game):
        for language in LANGUAGES:
            html = pages.kiosk(moment, language)
            screen = screens.screen("kiosk", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            assert screen.evaluate(CUT) == [], (language, getattr(moment.snapshot.state, "phase", ""))
            looked += 1
    screens.close()
    assert looked >= len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_starts_sensors_and_the_way_on_are_in_sight_and_in_their_places(
    browser: Any, language: str, tmp_path: Path
) -> None:
    """Whichever device was heard of first: who looks once more finds each where it was."""
    devices: tuple[Device, ...] = ("scale", "panel", "beams", "camera")
    orders = []
    for heard in (devices, devices[::-1]):
        stand = Stand(tmp_path, pin="", owner_file=tmp_path / "owner.json", port=0)
        for device in heard:
            stand.table.sense(DeviceHealth(t_s=1.0, device=device, status="ok", code=f"{device}_ok"))
        stand.table.step()
        served = Served(tmp_path, browser, stand)
        try:
            page = served.page("/first/sensors", KIOSK, language)
            assert page.evaluate("document.documentElement.scrollHeight") <= KIOSK[1]
            orders.append(page.locator("dt").all_inner_texts())
        finally:
            served.close()
    assert len(orders[0]) == len(devices)
    assert orders[0] == orders[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_taps_at_the_end_of_haulers_are_in_sight_below_four_players(browser: Any, language: str) -> None:
    end, pages = ended(EVERYDAY[:4]), Pages()
    most_white = tuple(Bonus(seat, "white", 666) for seat in range(3))
    state = msgspec.structs.replace(end.snapshot.state, bonuses=(*most_white, Bonus(0, "black", 2_000)))
    end = end._replace(snapshot=msgspec.structs.replace(end.snapshot, state=state))
    screens = Screens(browser, pages)
    screen = results(screens, "kiosk", pages.kiosk(end, language))
    region = screen.locator(".region-ask").bounding_box()
    taps = [tap.bounding_box() for tap in screen.locator(".go-on .tap").all()]
    assert len(taps) == 4
    assert max(box["y"] + box["height"] for box in taps) <= region["y"] + region["height"]
    screens.close()
