"""Haulers among three people with two phones, one German: a load, a weigh station on its way, a bribe and the dice."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import ByHand, Keeping, Moving, Parley, Rolling, StationCall, Turn
from appliance.games.haulers.table_data import our_edition
from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.contract.play import a_setup
from tests.appliance.games.haulers.little_land import land_by_hand, little_land
from tests.end_to_end.party import Party
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, needs_browser, tap
from tests.narrowed import of_kind
from tests.patience import GIVEN_UP_S

pytestmark = needs_browser

GERMAN, AT_THE_KIOSK = 1, 2
START_DOLLARS, STATION_DOLLARS, REWARD_DOLLARS = 2000, 500, 1000
"""TR-1, TR-40, TR-34."""


class Players(Party):
    """Three who play Haulers with dice of their own, which they tell the table."""

    def __init__(self, served: Served) -> None:
        super().__init__(served, "haulers", ("Ann", "Finn", "Clara"), {0: "en", GERMAN: "de"}, dice="real")

    def roll(self, seat: int, one: int, other: int) -> None:
        """Tell on the touchscreen what the dice on the table show: no phone says it."""
        stage = self.state.stage
        assert isinstance(stage, Rolling)
        assert (stage.seat, stage.dice) == (seat, 2)
        for die, face in ((1, one), (2, other)):
            self.tap_at_the_table(f".realdice label:has([name=die_{die}][value='{face}'])")
        if seat in self.phones:
            assert self.phones[seat].locator(".realdice").count() == 0
        self.act_at_the_table(".realdice [type=submit]")

    def discard(self, seat: int, place: int) -> None:
        """Put one of the deliveries away; at the touchscreen behind the curtain, after a look."""
        if seat in self.phones:
            self.act(seat, f".hand .pick >> nth={place}")
        else:
            self.look_at_hand(seat)
            self.act(seat, f""".curtain [data-send*='"card": {place + 1},']""")

    def deliveries(self, seat: int) -> list[tuple[str, str]]:
        """Return from where to where the cards of the hand go."""
        cards = [self.state.edition.deliveries[number] for number in self.state.players[seat].hand]
        return [(card.top, card.bottom) for card in cards]

    def check_secrets(self) -> None:
        """A hand is on its owner's phone alone; what lies under a delivery nobody else is told."""
        for seat, phone in self.phones.items():
            shown = zip(texts(phone, ".own .hand .from"), texts(phone, ".own .hand .dest"), strict=True)
            assert list(shown) == self.deliveries(seat)
            loads = self.state.players[seat].loads
            assert phone.locator("main .mine .seen").count() == len(loads)
            assert phone.locator("main .delivery").count() == len(self.deliveries(seat)) + startable(phone)
        for page in (self.wall, self.kiosk):
            assert page.locator(".delivery, .mine .seen").count() == 0
        self.check_layout()


def texts(page: Any, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def startable(phone: Any) -> int:
    return int(phone.locator(".startable .delivery").count())


def dice_for(players: Players, seat: int, taken: set[int]) -> tuple[int, int]:
    """Return dice that start `seat` where one of his deliveries begins, none that somebody rolled."""
    sums = {sum(dice): dice for dice in [(one, other) for one in range(1, 7) for other in range(1, 7)]}
    for top, _ in players.deliveries(seat):
        for number, city in players.state.board.numbers.items():
            if city == top and int(number) not in taken:
                return sums[int(number)]
    return next(dice for total, dice in sums.items() if total not in taken)


@pytest.mark.thorough
def test_a_smuggled_load_is_caught_at_a_weigh_station(served: Served) -> None:
    players = Players(served)
    players.wall.locator(".map").first.wait_for()

    # Start cities by dice of one's own, then two of five deliveries are put away on every screen.
    taken: set[int] = set()
    for seat in range(3):
        dice = dice_for(players, seat, taken)
        taken.add(sum(dice))
        players.roll(seat, *dice)
        assert players.state.players[seat].truck == players.state.board.numbers[str(sum(dice))]
    of_kind(Keeping, players.state.stage)
    players.check_secrets()
    for seat in range(3):
        here = players.state.players[seat].truck
        for _ in range(2):
            useless = [place for place, (top, _) in enumerate(players.deliveries(seat)) if top != here]
            players.discard(seat, (useless or [0])[-1])
    players.check_secrets()

    # Whoever has a phone and stands where a delivery begins starts it smuggled; the other puts a station beside him.
    def ready(seat: int) -> bool:
        return any(top == players.state.players[seat].truck for top, _ in players.deliveries(seat))

    carrier = next((seat for seat in (GERMAN, 0) if ready(seat)), None)
    assert carrier is not None, "the dice were told so that somebody can start"
    checker = GERMAN + 0 - carrier
    while not (players.state.stations and players.state.players[carrier].loads and at_turn(players, carrier)):
        seat = players.state.stage.seat
        if seat == carrier:
            place = next(
                k for k, (top, _) in enumerate(players.deliveries(seat)) if top == players.state.players[seat].truck
            )
            players.answer(seat, do="start", card=place + 1, kind="smuggled")
            players.check_secrets()
        elif seat == checker and not players.state.stations:
            beside = next(iter(players.state.board.roads[players.state.players[carrier].truck]))
            players.tap(seat, ".placer > summary")
            players.answer(seat, do="build", at=beside)
            assert f"${START_DOLLARS - STATION_DOLLARS:,}" in players.wall.locator("#region-players").inner_text()
        elif seat == AT_THE_KIOSK:
            players.answer(seat, do="drive", dice=2)
            players.roll(seat, 1, 2)
            players.answer(seat, do="stop")
        players.answer(seat, do="end_turn")

    # On the way: the station's owner calls him in, does not take the bribe, and rolls higher.
    station = next(iter(players.state.stations))
    players.answer(carrier, do="drive", dice=2)
    players.roll(carrier, 2, 3)
    assert isinstance(players.state.stage, Moving)
    players.answer(carrier, do="go", to=station)
    assert isinstance(players.state.stage, StationCall)
    players.answer(checker, do="call_in")
    assert isinstance(players.state.stage, Parley)
    keypad = ".keypad:has([data-keypad=amount])"
    players.tap(carrier, f"{keypad} summary")
    for digit in "250":
        players.tap(carrier, f"{keypad} [data-key='{digit}']")
    players.act(carrier, f"{keypad} [type=submit]")
    assert "250\u00a0$" in players.phones[GERMAN].locator(".check").inner_text()
    assert "$250" in players.wall.locator(".check").inner_text()
    players.check_secrets()
    players.answer(checker, do="roll_off")
    for seat, dice in ((checker, (6, 5)), (carrier, (2, 1))):
        players.roll(seat, *dice)

    # Found: the load is gone, and the finder has the reward and a red chip, for all to see.
    assert players.state.players[carrier].loads == ()
    found = players.state.players[checker]
    assert (found.cash, found.chips.red) == (START_DOLLARS - STATION_DOLLARS + REWARD_DOLLARS, 1)
    assert f"${found.cash:,}" in players.wall.locator("#region-players").inner_text()
    dollars = players.phones[checker].locator("header .cash").inner_text()
    assert dollars in (f"${found.cash:,}", f"{found.cash:,}\u00a0$".replace(",", "."))
    players.answer(carrier, do="skip")
    players.answer(carrier, do="stop")
    players.answer(carrier, do="end_turn")
    assert not at_turn(players, carrier)
    players.check_secrets()


def at_turn(players: Players, seat: int) -> bool:
    return isinstance(players.state.stage, Turn) and players.state.stage.seat == seat


FINGER_PX = 48
BOXES = "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"


def at_the_first_roll(served: Served, edition: Any, dice: tuple[int, int], **options: Any) -> Any:
    """Open a game of two with dice of their own, and let the first player drive and roll `dice`; return who that is."""
    table = served.stand.table
    players = (Player(name="Ann"), Player(name="Ben"))
    options = {"edition": edition, "dice": "real", **options}
    setup = Setup(format=1, game="haulers", players=players, options=options)
    assert isinstance(table.open_game(setup, "open"), Accepted)
    done = 0

    def do(**action: Any) -> None:
        nonlocal done
        done += 1
        told = Submission(id=f"told-{done}", action=msgspec.convert(action, RULES.action_type))
        answer = table.submit(told)
        assert isinstance(answer, Accepted), (action, answer)

    served.stand.let_chance_draw()
    assert isinstance(table.snapshot().state.stage, Rolling)
    do(do="roll", seat=0, die_1=3, die_2=4)
    do(do="roll", seat=1, die_1=1, die_2=2)
    for seat in (0, 0, 1, 1):
        do(do="discard", seat=seat, card=1)
    do(do="drive", seat=0, dice=2)
    do(do="roll", seat=0, die_1=dice[0], die_2=dice[1])
    return table


def test_a_phone_of_2022_follows_the_map(served: Served) -> None:
    """Safari has Element.checkVisibility since 17.4; a phone that gets no newer one keeps what it came with."""
    at_the_first_roll(served, msgspec.to_builtins(our_edition()), (1, 1))
    phone = served.page("/seats", PHONE)
    phone.context.add_init_script("delete Element.prototype.checkVisibility")
    phone.goto(served.base + served.join_path(0))
    assert not phone.evaluate("'checkVisibility' in document.body")
    phone.locator(".pan [data-middle]").first.wait_for(state="attached")
    phone.locator("body.streaming").wait_for()
    assert served.complaints == []


@pytest.mark.parametrize("size", [KIOSK, PHONE])
def test_every_square_of_a_move_is_as_large_as_a_finger_and_none_covers_another(
    served: Served,
    size: tuple[int, int],
) -> None:
    at_the_first_roll(served, msgspec.to_builtins(our_edition()), (6, 6))
    page = served.page("/kiosk", KIOSK) if size == KIOSK else served.join(0)
    squares = page.locator(".spot.do-go")
    squares.first.wait_for()
    boxes = squares.evaluate_all(BOXES)
    assert len(boxes) > 30
    assert all(min(right - left, low - top) >= FINGER_PX - 0.5 for left, top, right, low in boxes)
    for one, other in combinations(boxes, 2):
        across = min(one[2], other[2]) - max(one[0], other[0])
        down = min(one[3], other[3]) - max(one[1], other[1])
        assert min(across, down) <= 0.5
    frame, middle = (page.locator(f"{where} >> nth=0").bounding_box() for where in (".pan", ".pan .middle"))
    assert frame["x"] <= middle["x"] <= frame["x"] + frame["width"], "the vehicle is in sight"
    assert frame["y"] <= middle["y"] <= frame["y"] + frame["height"]


def test_the_map_of_a_move_opens_where_the_vehicle_is_on_a_page_that_followed_the_roll(served: Served) -> None:
    table = at_the_first_roll(served, msgspec.to_builtins(our_edition()), (6, 6))
    table.undo("undo-1")
    page = served.page("/kiosk", KIOSK)
    page.locator(".region-ask *").first.wait_for()
    page.locator("body.streaming").wait_for()
    assert page.locator(".spot.do-go").count() == 0
    served.stand.do(do="roll", seat=0, die_1=6, die_2=6)
    page.locator(".spot.do-go").first.wait_for()
    frame, middle = (page.locator(f"{where} >> nth=0").bounding_box() for where in (".pan", ".pan .middle"))
    reach = page.locator(".pan >> nth=0").evaluate("pan => [pan.scrollWidth - pan.clientWidth, pan.scrollLeft]")
    assert reach[0] > 0
    assert frame["x"] <= middle["x"] <= frame["x"] + frame["width"], reach
    assert frame["y"] <= middle["y"] <= frame["y"] + frame["height"], reach


CUT_OFF_THE_MAP = """map => {
    const frame = map.getBoundingClientRect();
    return Array.from(map.querySelectorAll(".town, .badge, .city svg, .spot")).filter(e => {
        const box = e.getBoundingClientRect();
        return box.left < frame.left - 0.5 || box.right > frame.right + 0.5
            || box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5;
    }).map(e => e.outerHTML.slice(0, 120));
}"""


def test_cities_at_the_edge_of_a_map_are_drawn_whole(served: Served) -> None:
    """Aal lies on the left edge of the little land, Fin near the lower one."""
    at_the_first_roll(served, little_land(), (1, 1))
    kiosk, wall = served.page("/kiosk", KIOSK), served.page("/wall", WALL)
    tap(kiosk, ".do-stop")
    kiosk.locator(".placer > summary").first.wait_for()
    for page in (kiosk, wall):
        page.locator(".region-scene .map .town").first.wait_for()
        assert page.locator(".region-scene .map").evaluate(CUT_OFF_THE_MAP) == []
    tap(kiosk, ".placer > summary")
    assert kiosk.locator(".placer[open] .spot.do-build").count() == 4
    assert kiosk.locator(".placer[open] .map").evaluate(CUT_OFF_THE_MAP) == []


def test_squares_to_build_on_are_as_large_as_a_finger(served: Served) -> None:
    table = at_the_first_roll(served, msgspec.to_builtins(our_edition()), (1, 1))
    page = served.page("/kiosk", KIOSK)
    tap(page, ".do-stop")
    tap(page, ".placer > summary")
    boxes = page.locator(".spot.do-build").evaluate_all(BOXES)
    assert len(boxes) > 40
    assert all(min(right - left, low - top) >= FINGER_PX - 0.5 for left, top, right, low in boxes)
    before = table.snapshot().version
    tap(page, ".spot.do-build >> nth=3")
    table.wait_newer(before, GIVEN_UP_S)
    assert len(table.snapshot().state.stations) == 1


def test_a_card_by_hand_is_obeyed_on_the_touchscreen(served: Served) -> None:
    """Its text is read, $250 go from Ann to Ben, a blue chip comes from the bank, and Ann drives on."""
    land = land_by_hand()
    storm = land["transit"][-1]
    table = at_the_first_roll(served, {**land, "transit": [storm]}, (3, 4), transit=True)
    assert isinstance(table.snapshot().state.stage, ByHand)
    page, phone = served.page("/kiosk", KIOSK), served.join(0, "de")
    for screen in (page, phone):
        assert screen.locator(".cardtext").inner_text().endswith(storm["text"]["en"])
    tap(page, ".handover summary")
    for source, target, what, digits in ((1, 2, "$", "250"), (0, 1, "blue", "1")):
        for name, place in (("source", source), ("target", target)):
            page.locator(f".handover label:has([name={name}]) >> nth={place}").tap()
        page.locator(".handover label:has([name=what])", has_text=what).tap()
        before = table.snapshot().version
        for digit in digits:
            tap(page, f".handover [data-key='{digit}']")
        tap(page, ".handover [type=submit]")
        table.wait_newer(before, GIVEN_UP_S)
        page.locator(f"body[data-version='{table.snapshot().version}']").wait_for()
    ann, ben = table.snapshot().state.players
    assert (ann.cash, ben.cash) == (START_DOLLARS - 250, START_DOLLARS + 250)
    assert (ann.chips.blue, ben.chips.blue) == (1, 0)
    before = table.snapshot().version
    tap(phone, ".do-done")
    table.wait_newer(before, GIVEN_UP_S)
    assert isinstance(table.snapshot().state.stage, Moving)
    assert served.complaints == []


def on_our_map(served: Served) -> None:
    """Open a game of two on our own map, up to where all choose their deliveries."""
    setup = a_setup(the_game("haulers"), 2)
    assert isinstance(served.stand.table.open_game(setup, "on our map"), Accepted)
    served.stand.let_chance_draw()


SIZES = "all => all.map(one => one.offsetWidth + 'x' + one.offsetHeight)"


@pytest.mark.parametrize("wide", [390, 195])
def test_closed_deliveries_are_alike_large_whatever_stands_on_them(served: Served, wide: int) -> None:
    """195 px is a phone of 390 px whose owner enlarges everything to 200 %."""
    on_our_map(served)
    phone = served.join(0)
    phone.set_viewport_size({"width": wide, "height": 844})
    cards = phone.locator(".held-card .face")
    cards.first.wait_for()
    assert len(set(cards.evaluate_all("all => all.map(one => one.textContent.trim().length)"))) > 1
    sizes = cards.evaluate_all(SIZES)
    assert (len(sizes), len(set(sizes))) == (5, 1), sizes
    cards.first.locator(".dest").evaluate("one => { one.textContent = 'Oberammergau an der Ammer'; }")
    assert cards.evaluate_all(SIZES) == sizes


@pytest.mark.parametrize(("wide", "high"), [(844, 390), (667, 375)])
def test_a_phone_on_its_side_shows_the_whole_own_truck_and_own_deliveries(served: Served, wide: int, high: int) -> None:
    on_our_map(served)
    for seat in range(2):
        phone = served.join(seat)
        phone.set_viewport_size({"width": wide, "height": high})
        places = ("figure.view", f"#piece-truck-{seat}", "[data-look]", ".held-card .face >> nth=2")
        frame, truck, look, card = (phone.locator(one).first.bounding_box() for one in places)
        assert frame["y"] <= truck["y"], seat
        assert truck["y"] + truck["height"] <= frame["y"] + frame["height"], seat
        assert frame["x"] + frame["width"] < look["x"], seat
        assert card["y"] + card["height"] <= high, seat
