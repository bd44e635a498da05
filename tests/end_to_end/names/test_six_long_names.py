"""Six people with the longest names: codes to scan, closed cards, final scores, and what asks for a second tap."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.games.game_words import words_of
from appliance.games.prohis.rules.actions import Answer, Declare, LayConvoy, Offer
from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.customs import play as customs
from tests.appliance.games.plays import demo_options
from tests.appliance.games.prohis import play as prohis
from tests.end_to_end.served import (
    CUT_OFF,
    KIOSK,
    OVERFLOW,
    WALL,
    Served,
    needs_browser,
    ready,
    stop_its_clock,
    take_taps,
    tap,
)

pytestmark = [*needs_browser, pytest.mark.thorough]

LONG = (
    "W" * 24,
    "Bo",
    "Donaudampfschifferin",
    "Friederike-Charlotte",
    "Maximiliane von Hohenst.",
    "<b>W</b>&amp;Wilhelmine",
)
NAMES_CUT = """names => names.filter(n => n.scrollWidth > n.clientWidth + 1).map(n => {
    const style = getComputedStyle(n);
    return style.textOverflow + ' ' + style.display.replace('inline-', '');
})"""


WIDER_THAN_THEIR_REGION = """all => all
    .map(e => [e, e.getBoundingClientRect(), e.closest('.region').getBoundingClientRect()])
    .filter(([e, box, region]) => box.width && (box.left < region.left - 1 || box.right > region.right + 1))
    .map(([e]) => e.outerHTML)"""
FOUR_COLOURS = """all => all.forEach(chips => {
    const dot = '<svg class="chip-dot" viewBox="0 0 24 24"></svg>';
    chips.innerHTML = `<span class="chipset">${dot}<b>10</b></span>`.repeat(4);
})"""
FULL = """all => all.forEach(goods => {
    goods.querySelectorAll("b").forEach((number, at) => { number.textContent = [12, 28][at]; });
})"""
ON_THE_RIM = """all => all.filter(number => {
    const card = number.closest(".trader"), rim = card.getBoundingClientRect().right - parseFloat(
        getComputedStyle(card).borderRightWidth);
    return number.getBoundingClientRect().right > rim - 1;
}).map(number => number.textContent)"""
RUNS_OUT = """all => all.map(e => [e.getBoundingClientRect(), e.closest('.region').getBoundingClientRect()])
    .filter(([e, region]) => e.left < region.left || e.right > region.right || e.bottom > region.bottom + 1)"""

BROKEN = """all => all.filter(one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return new Set(Array.from(text.getClientRects(), line => Math.round(line.top))).size > 1;
}).map(one => one.textContent)"""


def sit_down(served: Served, game: str, names: tuple[str, ...] = LONG, **options: Any) -> None:
    putties = ("yellow", "green", "orange", "pink") if game == "smugglers" else (None,) * len(names)
    players = tuple(Player(name=name[:24], putty=putty) for name, putty in zip(names, putties, strict=True))
    setup = Setup(format=1, game=game, players=players, options=options)
    assert isinstance(served.stand.table.open_game(setup, "long"), Accepted)
    served.stand.let_chance_draw()


def play_to_the_end(served: Served, game: str) -> None:
    """Answer whatever is asked, at random, until there is a winner."""
    table, rules, rng = served.stand.table, the_game(game).rules, Random(3)
    for number in range(3000):
        served.stand.let_chance_draw()
        state = table.snapshot().state
        if rules.outcome(state) is not None:
            return
        due = [prompt for prompt in customs.own_prompts(state) if prompt.chance != "must"] if game == "customs" else []
        action = customs.answered(rng.choice(due), rng) if due else prohis.a_choice(state, rng)
        table.submit(Submission(id=f"any-{number}", action=action))
    raise AssertionError("the game does not end")


def test_six_codes_are_large_while_the_table_waits_and_long_names_end_in_an_ellipsis(served: Served) -> None:
    sit_down(served, "prohis")
    wall = served.page("/", WALL, "de")
    boxes = [code.bounding_box() for code in wall.locator(".joining .qr").all()]
    assert len(boxes) == 6
    assert all(box["width"] >= 130 for box in boxes)
    lowest = max(box["y"] + box["height"] for box in boxes)
    assert lowest < wall.locator(".region-players").bounding_box()["y"]
    assert not wall.locator(".region-log").is_visible() or lowest < wall.locator(".region-log").bounding_box()["y"]
    cut = wall.locator(".joining .who").evaluate_all(NAMES_CUT)
    assert cut
    assert set(cut) == {"ellipsis block"}, "flex boxes cut a name in the middle of a letter"
    assert wall.evaluate(OVERFLOW)[0] <= 0


@pytest.mark.parametrize("players", [4, 6])
def test_codes_of_haulers_are_squares_that_a_phone_reads_while_all_choose(served: Served, players: int) -> None:
    sit_down(served, "haulers", LONG[:players], **demo_options("haulers"))
    wall = served.page("/", WALL, "de")
    for wide, high in (WALL, (1280, 720)):
        wall.set_viewport_size({"width": wide, "height": high})
        boxes = [code.bounding_box() for code in wall.locator(".joining .qr").all()]
        assert len(boxes) == players
        # What is drawn of a code is as large as the shorter side of its box.
        assert all(min(box["width"], box["height"]) >= wide * 0.055 for box in boxes)
        assert wall.evaluate(OVERFLOW)[1] <= 0


@pytest.mark.parametrize("game", ["customs", "haulers", "prohis"])
def test_the_start_of_a_game_fits_every_screen(served: Served, game: str) -> None:
    sit_down(served, game, **demo_options(game))
    for page in (served.page("/", WALL, "de"), served.page("/kiosk", KIOSK, "de"), served.join(1, "de")):
        page.locator("h1").first.wait_for()
        assert page.evaluate(OVERFLOW)[0] <= 0, page.url
        assert page.evaluate(CUT_OFF) == [], page.url
        assert page.locator(".who, .label").evaluate_all(WIDER_THAN_THEIR_REGION) == [], page.url


EVERYDAY = ("Anna", "Bruno", "Clara", "Dieter", "Emilia", "Felix")
NINE_LETTERS = ("Katharina", "Alexander", "Sebastian", "Christine", "Magdalena", "Friedrich")


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("customs", EVERYDAY),
        ("haulers", EVERYDAY),
        ("customs", NINE_LETTERS),
        ("haulers", NINE_LETTERS),
        ("prohis", NINE_LETTERS),
        ("customs", NINE_LETTERS[:5]),
        ("haulers", NINE_LETTERS[:4]),
        ("smugglers", NINE_LETTERS[1:5]),
        ("customs", NINE_LETTERS[1:5]),
    ],
)
def test_names_of_everyday_length_are_read_whole_on_the_touchscreen(
    served: Served, game: str, names: tuple[str, ...]
) -> None:
    sit_down(served, game, names, **demo_options(game))
    page = served.page("/kiosk", KIOSK, "de")
    page.locator("article h2").first.wait_for()
    assert page.locator("article h2").evaluate_all(NAMES_CUT) == []


@pytest.mark.parametrize(("path", "size"), [("/kiosk", KIOSK), ("/", WALL)])
@pytest.mark.parametrize("language", ["en", "de"])
def test_five_names_of_nine_letters_are_read_whole_while_a_bribe_was_refused(
    served: Served, path: str, size: tuple[int, int], language: str
) -> None:
    """Prohis: on the cards, with the roles of two players on the wall, and on the road beside a convoy of four."""
    sit_down(served, "prohis", NINE_LETTERS[:5])
    state = served.stand.table.snapshot().state
    smuggler = state.turn
    inspector, *others = [seat for seat in range(5) if seat != smuggler]
    hand = state.players[smuggler].hand
    deeds: list[Any] = [LayConvoy(seat=smuggler, cards=hand[:4]), Declare(seat=inspector, prohi="major")]
    deeds += [Declare(seat=seat, prohi=None) for seat in others]
    deeds += [Offer(seat=smuggler, cards=hand[4:5]), Answer(seat=inspector, accept=False)]
    for number, deed in enumerate(deeds):
        assert isinstance(served.stand.table.submit(Submission(id=f"convoy-{number}", action=deed)), Accepted)
    page = served.page(path, size, language)
    page.locator(".rejected").wait_for()
    named = page.locator(".trader h2, .convoy .who")
    assert named.count() == 7
    assert named.evaluate_all(NAMES_CUT) == []


def test_every_chip_of_six_players_is_seen_on_the_touchscreen(served: Served) -> None:
    sit_down(served, "haulers", **demo_options("haulers"))
    page = served.page("/kiosk", KIOSK, "de")
    page.locator(".hauler").first.wait_for()
    page.locator(".hauler .chips").evaluate_all(FOUR_COLOURS)
    assert page.locator(".hauler").count() == 6
    over = "all => all.map(e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])"
    assert page.locator(".hauler").evaluate_all(over) == [[0, 0]] * 6


def test_full_hands_and_warehouses_of_six_keep_off_the_rim_of_their_cards(served: Served) -> None:
    sit_down(served, "prohis")
    page = served.page("/kiosk", KIOSK)
    page.locator(".trader .goods").first.wait_for()
    page.locator(".trader .goods").evaluate_all(FULL)
    assert page.locator(".trader .goods b").evaluate_all(ON_THE_RIM) == []


@pytest.mark.parametrize("game", ["customs", "prohis"])
def test_the_end_of_a_game_fits_every_screen(served: Served, game: str) -> None:
    sit_down(served, game, **(demo_options(game) if game == "customs" else {}))
    play_to_the_end(served, game)
    for page in (served.page("/", WALL, "de"), served.page("/kiosk", KIOSK, "de"), served.join(0, "de")):
        page.locator(".victory h1").wait_for()
        assert page.evaluate(OVERFLOW)[0] <= 0, page.url
        assert page.evaluate(CUT_OFF) == [], page.url
        scores = page.locator(".standing" if game == "customs" else ".scores").first.bounding_box()
        said = page.locator(".victory > p").last.bounding_box()
        aside = scores["x"] + scores["width"] <= said["x"] + 1
        above = scores["y"] + scores["height"] <= said["y"] + 1
        below = said["y"] + said["height"] <= scores["y"] + 1
        assert aside or above or below, page.url
        cut = page.locator(".standing b, .scores .total").evaluate_all(RUNS_OUT)
        assert cut == [], page.url
    beside_the_widest = served.join(1, "de")
    beside_the_widest.locator(".victory h1").wait_for()
    assert beside_the_widest.locator(".others b").evaluate_all(BROKEN) == []


def test_a_closed_card_of_customs_does_not_tell_its_kind_by_its_width(served: Served) -> None:
    sit_down(served, "customs", **demo_options("customs"))
    rules = the_game("customs").rules
    traveller = next(p.seat for p in rules.expects(served.stand.table.snapshot().state, None) if p.seat is not None)
    phone = served.join(traveller, "de")
    cards = phone.locator(".own [data-private] .face")
    cards.first.wait_for()
    longest = max((words_of("de", "customs").say(f"card.{kind}") for kind in ("bag", "luggage", "crown")), key=len)
    for number, name in enumerate(("Uhr", longest, "Uhr", "Uhr")):
        cards.nth(number).locator("b").evaluate("(b, name) => { b.textContent = name; }", name)
    assert len({round(card.bounding_box()["width"]) for card in cards.all()}) == 1
    assert phone.evaluate(OVERFLOW)[0] <= 0


def test_passing_for_good_needs_two_taps_that_are_meant(served: Served) -> None:
    sit_down(served, "prohis")
    turn = served.stand.table.snapshot().state.turn
    phone = served.join(turn)

    def passed() -> bool:
        return bool(served.stand.table.snapshot().state.players[turn].passed)

    button = phone.locator(".tap.do-pass")
    ready(phone)
    button.evaluate("button => { button.click(); button.click(); }")
    phone.locator(".tap.do-pass.sure", has_text="Tap again").wait_for()
    # Something else tapped: it was not meant.
    ready(phone)
    phone.locator(".picks .chip").first.tap()
    phone.locator(".tap.do-pass:not(.sure)", has_text="Pass for good").wait_for()
    assert not passed()
    tap(phone, ".tap.do-pass")
    tap(phone, ".tap.do-pass.sure")
    phone.locator(".waiting").wait_for()
    assert passed()
    assert served.complaints == []


def test_news_that_changes_no_offer_does_not_take_a_question_back(served: Served) -> None:
    sit_down(served, "prohis")
    phone = served.join(served.stand.table.snapshot().state.turn)
    held: list[Any] = []
    stop_its_clock(phone)
    phone.route("**/live?*", lambda route: held.append(route))
    with phone.expect_request("**/live?*"):
        phone.reload()
    take_taps(phone)
    tap(phone, ".tap.do-pass")
    phone.locator(".tap.do-pass.sure", has_text="Tap again").wait_for()
    held[-1].continue_()
    phone.locator("body[data-version]").wait_for(state="attached")
    assert phone.locator(".tap.do-pass.sure", has_text="Tap again").count() == 1
    take_taps(phone)
    tap(phone, ".tap.do-pass.sure")
    phone.locator(".waiting").wait_for()
