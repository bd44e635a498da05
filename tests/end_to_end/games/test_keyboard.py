"""A whole game at the touchscreen's page by keyboard alone, as a screen reader's user plays it: by accessible names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.end_to_end.party import Page, Party
from tests.end_to_end.served import KIOSK, Served, needs_browser, press, ready
from tests.end_to_end.show.test_show_in_browser import HAS_STAGED, NOTED
from tests.end_to_end.tapped_game import TappedGame
from web.site import HostChoices
from web.words.speech import Speech

pytestmark = [*needs_browser, pytest.mark.thorough]

MOST_STEPS = 400
MOST_TABS = 80
NAMED = re.compile(r"""^- '?(\w+) "(.+?)"(?: \[|'|:|$)""")
# What is focused must be seen to be: by a ring.
FOCUSED = """wanted => {
    const style = getComputedStyle(document.activeElement);
    return [document.activeElement === wanted, style.outlineStyle !== "none" || style.boxShadow !== "none"];
}"""
# A screen reader says what is put into a live region.
LISTEN = """() => {
    window.heard = [];
    const live = "[aria-live=polite], [role=status], [role=alert]";
    new MutationObserver(changes => {
        for (const { target, addedNodes } of changes)
            if ((target.closest ? target : target.parentElement)?.closest(live))
                for (const node of addedNodes) heard.push(node.textContent.replace(/\\s+/g, " ").trim());
    }).observe(document.body, { childList: true, subtree: true });
}"""
HEARD = "() => heard.splice(0)"
COUNT_REQUESTS = """() => {
    window.sent = 0;
    const { fetch } = window;
    window.fetch = (...asked) => {
        window.sent += 1;
        return fetch(...asked);
    };
}"""


class ByKeyboard(TappedGame):
    """Nobody touches the screen: Tab goes to what is called so, Enter does it."""

    SAID_BY_EYE = ".asking [data-send]:not(details [data-send]):visible:not([disabled])"
    presses = 0

    def touch(self, screen: Page, selector: str) -> None:
        ready(screen)
        wanted = screen.locator(selector).first
        wanted.wait_for()
        if wanted.evaluate("e => e.localName") != "summary":  # Chromium has a role for it that ARIA has not
            role, name = self._named(wanted)
            same = screen.get_by_role(role, name=name, exact=True)
            assert same.count() == 1, f"{same.count()} are called {role} {name!r}"
        self._go_to(screen, wanted)
        press(screen, "Enter")

    def _named(self, wanted: Any) -> tuple[str, str]:
        told = wanted.aria_snapshot()
        found = NAMED.match(told)
        assert found, f"no name: {told}"
        return found.group(1), found.group(2)

    def _go_to(self, screen: Page, wanted: Any) -> None:
        element = wanted.element_handle()
        for _ in range(MOST_TABS):
            there, ringed = screen.evaluate(FOCUSED, element)
            if there:
                assert ringed, "the focus cannot be seen"
                return
            screen.keyboard.press("Tab")
            self.presses += 1
        raise AssertionError(f"Tab never comes to {wanted.aria_snapshot()}")

    def seated(self) -> None:
        self.kiosk.evaluate(LISTEN)

    def press(self, wanted: Any) -> None:
        self._go_to(self.kiosk, wanted)
        self.kiosk.keyboard.press("Enter")


@pytest.mark.soak
def test_a_game_of_smugglers_is_played_by_keyboard_and_accessible_names_alone(served: Served) -> None:
    played = ByKeyboard(served, "smugglers", ("Ann", "Ben"), {})
    played.play(MOST_STEPS)
    assert played.kiosk.locator(".victory").first.is_visible()
    assert served.complaints == []


@pytest.mark.parametrize(
    ("game", "cards", "called"), [("haulers", 5, "Discard"), ("prohis", 6, "Card"), ("customs", 4, "Card")]
)
def test_closed_cards_of_a_hand_are_called_by_the_place_in_which_they_lie(
    served: Served, game: str, cards: int, called: str
) -> None:
    """A screen reader tells them apart, and the names tell no kind: the places are shuffled."""
    party = Party(served, game, ("Ann", "Ben", "Clara"), dict.fromkeys(range(3), "en"))
    asked = party.state.turn if game == "prohis" else 0
    if game == "customs":
        officer = party.state.officer
        first, asked = (officer + 1) % 3, (officer + 2) % 3
        served.stand.play(
            {"do": "declare", "seat": first, "goods": []},
            {"do": "accept", "seat": officer},
            {"do": "believe", "seat": asked},
        )
    party.settle()
    hand = party.phones[asked].locator("[data-private].hand:has(button)")
    hand.wait_for()
    for place in range(1, cards + 1):
        assert hand.get_by_role("button", name=f"{called} {place}", exact=True).count() == 1


def test_a_verdict_is_announced_once(served: Served) -> None:
    played = ByKeyboard(served, "smugglers", ("Ann", "Ben"), {})
    stand = served.stand
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    played.settle()
    played.kiosk.evaluate(HEARD)
    played.kiosk.evaluate(NOTED)
    played.act_at_the_table("#region-ask button.v-passed")
    played.kiosk.wait_for_function(HAS_STAGED)
    said = str(Speech("en", "smugglers", ("Ann", "Ben")).announced(stand.table.snapshot().log[-1]))
    heard = played.kiosk.evaluate(HEARD)
    assert sum(said in one for one in heard) == 1, (said, heard)


def test_a_key_that_is_held_confirms_nothing(served: Served) -> None:
    """Held, a key presses again and again: slow hands would say yes to what a button asks them."""
    served.stand.open(3)
    kiosk = served.page("/kiosk/table", KIOSK)
    kiosk.evaluate(COUNT_REQUESTS)
    leave = kiosk.locator("button[data-send*=leave]").first
    leave.focus()
    kiosk.keyboard.down("Enter")
    kiosk.locator("button.sure").wait_for()
    ready(kiosk)
    kiosk.keyboard.down("Enter")
    kiosk.keyboard.up("Enter")
    assert kiosk.evaluate("sent") == 0
    with kiosk.expect_response("**/api/v1/actions"):
        press(kiosk, "Enter")
    left = [line.happening.code for line in served.stand.table.snapshot().log].count("player_left")
    assert left == 1


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_key_wakes_a_touchscreen_that_is_dimmed_and_presses_nothing_unseen(served: Served, key: str) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.clock.install()
    kiosk.reload()
    ready(kiosk)
    kiosk.locator("#region-ask button:has(.pips)").first.focus()
    kiosk.evaluate(COUNT_REQUESTS)
    kiosk.clock.fast_forward(1000 * int(kiosk.locator("body").get_attribute("data-dim-after-s")))
    kiosk.locator("#dimmer").wait_for()
    kiosk.keyboard.press(key)
    assert kiosk.locator("#dimmer").is_hidden()
    assert kiosk.evaluate("sent") == 0
    # The clock that went forward says that nothing was heard for minutes.
    with kiosk.expect_response("**/api/v1/actions"):
        press(kiosk, key)


def test_a_key_wakes_a_black_touchscreen_and_follows_no_link_unseen(served: Served) -> None:
    served.stand.app.extensions["smugglers"].host.change(HostChoices(dark_from_h=1, dark_until_h=8))
    kiosk = served.page("/kiosk", KIOSK)
    here = kiosk.url
    kiosk.locator("a", has_text="New game").first.focus()
    kiosk.evaluate("Date.prototype.getHours = () => 2")
    kiosk.locator("#dark").wait_for()
    kiosk.keyboard.press("Enter")
    kiosk.locator("#dark").wait_for(state="hidden")
    assert kiosk.url == here
    with kiosk.expect_navigation():
        kiosk.keyboard.press("Enter")
