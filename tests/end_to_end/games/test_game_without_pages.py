"""A game without pages and words, from its set-up to its end: the touchscreen and a phone ask for every field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import added
from appliance.games.protocol import Setup
from appliance.snapshot import Accepted
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, WALL, Served, headline, needs_browser, ready, tap
from tests.narrowed import there
from tests.web.odds.game import GAME, Declare, Discard, Pack, Pay, Peek, Stack, Weigh

pytestmark = [*needs_browser, pytest.mark.thorough]


@pytest.fixture
def served(tmp_path: Path, browser: Any) -> Iterator[Served]:
    with added(GAME):
        served = Served(tmp_path, browser)
        yield served
        served.close()


class Screen:
    """One screen on which a person answers, by what stands on it."""

    def __init__(self, page: Any, root: str) -> None:
        self.page, self.root = page, root

    def field(self, name: str) -> Any:
        return self.page.locator(f"{self.root} .field", has=self.page.locator("legend", has_text=name))

    def pick(self, name: str, value: str) -> None:
        self.field(name).locator("label", has_text=value).tap()

    def keys(self, name: str, keys: str) -> None:
        for key in keys:
            self.field(name).locator(f"[data-key='{key}']").tap()

    def add(self, name: str, value: str) -> None:
        self.field(name).locator("p", has_text=value).locator("[data-step='1']").tap()

    def chip(self, name: str, nth: int) -> None:
        self.field(name).locator(".chip").nth(nth).tap()

    def confirm(self) -> Any:
        return self.page.locator(f"{self.root} .answer [type=submit]")

    def send(self) -> None:
        tap(self.page, f"{self.root} .answer [type=submit]:not([disabled])")


def test_a_number_that_did_not_count_is_not_typed_again(served: Served) -> None:
    players = GAME.demo_players(("Ann", "Ben"))
    assert isinstance(served.stand.table.open_game(Setup(format=1, game="odds", players=players), "odds"), Accepted)
    phone = served.join(0)
    screen = Screen(phone, "main")
    screen.pick("Kind", "pear")
    screen.keys("Amount", "17")
    busy = {"code": "table_busy", "message": "The table is busy.", "rule": None}
    phone.route("**/api/v1/actions", lambda route: route.fulfill(status=503, json=busy))
    screen.send()
    phone.locator("#toast", has_text="The table is busy.").wait_for()
    assert phone.locator("[data-digits]").inner_text() == "17"
    phone.unroute("**/api/v1/actions")
    screen.send()
    phone.locator(".do-declare").wait_for(state="detached")
    assert served.stand.table.snapshot().state.actions == (Declare(seat=0, kind="pear", amount=17),)
    assert phone.locator("[data-digits]").all_inner_texts() in ([], [""])
    served.complaints.clear()


@pytest.mark.thorough
def test_every_field_is_asked_for_on_the_touchscreen_and_on_a_phone(served: Served) -> None:
    table = served.stand.table
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.get_by_role("link", name="Odds").tap()
    kiosk.wait_for_url("**/kiosk/setup/odds")
    assert kiosk.locator(".options legend").all_text_contents()[:2] == ["Polite", "Goods"]
    kiosk.locator("label", has_text="dried").tap()
    kiosk.locator("#amount-purse").tap()
    for digit in ("2", "5", "0", "⏎"):
        kiosk.locator(f"#digits [data-digit='{digit}']").tap()
    kiosk.locator("#digits").wait_for(state="hidden")
    kiosk.get_by_role("button", name="Start").tap()
    kiosk.wait_for_url("**/kiosk")
    assert there(table.snapshot().setup).options == {"polite": True, "goods": "dried", "rounds": 1, "purse": 250}
    phone, wall = served.join(1), served.page("/wall", WALL)
    headline(wall, "Declare")

    def sent(action: Any) -> None:
        """Wait until the table has taken `action`, exactly as it stands here."""
        for _ in range(200):
            actions = table.snapshot().state.actions
            if actions and actions[-1] == action:
                return
            kiosk.wait_for_timeout(25)
        raise AssertionError((action, table.snapshot().state.actions[-1:]))

    screens = Screen(kiosk, "main"), Screen(phone, "main")

    def both(deed: str, answer: Any) -> None:
        for seat, screen in enumerate(screens):
            screen.page.locator(f"main .do-{deed}, main .hold[data-for='{deed}.{seat}']").first.wait_for()
            ready(screen.page)
            assert screen.page.evaluate(OVERFLOW)[0] <= 0, deed
            assert screen.page.evaluate(CUT_OFF) == [], deed
            sent(answer(seat, screen))

    def declare(seat: int, screen: Screen) -> Any:
        assert screen.confirm().is_disabled()
        screen.pick("Kind", "pear")
        screen.keys("Amount", "41")
        assert screen.confirm().is_disabled(), "41 is out of the range"
        screen.keys("Amount", "⌫0")
        screen.send()
        return Declare(seat=seat, kind="pear", amount=40)

    def pack(seat: int, screen: Screen) -> Any:
        assert screen.confirm().is_disabled()
        for value in ("apple", "apple", "sloe"):
            screen.add("Crate", value)
        for value in ("pear", "pear"):
            screen.add("Sack", value)
        screen.send()
        return Pack(seat=seat, crate=("apple", "apple", "sloe"), sack=("pear",))

    def private(seat: int, screen: Screen, deed: str) -> Screen:
        """Where the seat may answer unseen: on the phone in its page, on the touchscreen behind the curtain."""
        if seat == 1:
            return screen
        assert screen.page.locator(".answer").count() == 0
        tap(screen.page, f".hold[data-for='{deed}.0']")
        screen.page.locator(".curtain[open]").wait_for()
        ready(screen.page)
        return Screen(screen.page, ".curtain")

    def discard(seat: int, screen: Screen) -> Any:
        own = private(seat, screen, "discard")
        chips = own.field("Cards").locator(".chip")
        cards = [json.loads(chips.nth(n).get_attribute("data-json")) for n in range(4)]
        assert "king" not in screen.page.locator(".curtain, main").last.inner_text()
        twice = [n for n, card in enumerate(cards) if cards.count(card) == 2]
        other = next(n for n in range(4) if n not in twice)
        for n in twice:
            own.chip("Cards", n)
        keys = own.field("Note")
        if seat == 1:
            keys.locator("input").fill("ab")
        else:
            own.keys("Note", "ab")
        assert own.confirm().is_disabled(), "this pair is not legal now"
        own.chip("Cards", twice[1])
        own.chip("Cards", other)
        own.send()
        return Discard(seat=seat, cards=(cards[twice[0]], cards[other]), note="ab")

    def stack(seat: int, screen: Screen) -> Any:
        for place in (2, 0):
            screen.chip("Order", place)
        assert screen.confirm().is_disabled()
        screen.chip("Order", 1)
        screen.send()
        return Stack(seat=seat, order=(2, 0, 1))

    def weigh(seat: int, screen: Screen) -> Any:
        screen.pick("Scale", "2")
        screen.keys("Delta", "−1.5")
        screen.pick("Sure", "No")
        screen.send()
        return Weigh(seat=seat, scale=2, delta_g=-1.5, sure=False)

    def pay(seat: int, screen: Screen) -> Any:
        row = screen.page.locator(".taps", has_text="guest")
        row.locator(".tap", has_text="tin").tap()
        return Pay(seat=seat, payer="guest", coin="tin")

    def peek(seat: int, screen: Screen) -> Any:
        own = private(seat, screen, "peek")
        chosen = own.field("Card").locator(".chip").first
        card = json.loads(chosen.get_attribute("data-json"))
        chosen.tap()
        own.send()
        return Peek(seat=seat, card=card)

    answers = {
        "declare": declare,
        "pack": pack,
        "discard": discard,
        "stack": stack,
        "weigh": weigh,
        "pay": pay,
        "peek": peek,
    }
    for deed, answer in answers.items():
        both(deed, answer)
    for screen in (kiosk, wall):
        headline(screen, "Winner: Player 2")
    headline(phone, "You have won")
    assert GAME.rules.outcome(table.snapshot().state) is not None
    assert served.complaints == []
