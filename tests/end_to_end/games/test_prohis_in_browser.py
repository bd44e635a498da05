"""Prohis among four people with three phones, one of them German, from set-up to the count: everything by taps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from appliance.games.prohis.rules.cards import CARDS
from tests.end_to_end.party import Party, shown
from tests.end_to_end.served import Served, needs_browser

pytestmark = [*needs_browser, pytest.mark.thorough]

GERMAN, AT_THE_KIOSK = 1, 3


class Players(Party):
    """Four who play Prohis; what one of them sees on his own screen, he may tap."""

    def __init__(self, served: Served) -> None:
        super().__init__(served, "prohis", ("Ann", "Finn", "Clara", "David"), {0: "en", GERMAN: "de", 2: "en"})

    def choose(self, seat: int, do: str, number: int, first: str | None = None) -> list[str]:
        """Look, then lay hand cards down as a convoy or a bribe: one of kind `first`, then what they need least."""
        hand = self.look_at_hand(seat)
        places = sorted(range(len(hand)), key=lambda place: CARDS.index(hand[place]))
        if first:
            places.insert(0, places.pop(next(at for at, place in enumerate(places) if hand[place] == first)))
        places = places[:number]
        for place in places:
            self.tap(seat, f".picks.do-{do} .chip:nth-child({place + 1})")
        self.act(seat, f".picks.do-{do} .confirm")
        return [hand[place] for place in places]

    def declare(self, seat: int, prohi: str | None) -> None:
        if seat not in self.phones:
            self.look_at_hand(seat)
        what = f'"prohi": "{prohi}"' if prohi else '"prohi": null'
        self.act(seat, f".taps.declare [data-send*='{what}']")

    def check_secrets(self) -> None:
        """Everybody sees his own hand, and of the rest nothing but what lies open."""
        state = self.state
        convoy = state.convoy
        turned = [convoy.cards[place] for place in sorted(convoy.turned)] if convoy else []
        against = [convoy.prohi] if convoy and convoy.prohi else []
        row = [card for card in state.row if card]
        for page in (self.wall, self.kiosk):
            assert Counter(faces(page, "#region-scene")) == Counter([*row, *turned, *against])
        for seat, phone in self.phones.items():
            assert Counter(faces(phone, ".hand")) == Counter(state.players[seat].hand), seat
            smuggler = convoy and seat == state.turn
            assert faces(phone, ".convoy .load") == (list(convoy.cards) if smuggler else turned), seat
            assert faces(phone, ".convoy .offer") == [], seat
            # Nothing of the others' is anywhere else in the page either; moments show what happened to all.
            own = [*faces(phone, ".hand"), *faces(phone, ".store"), *faces(phone, ".convoy .load")]
            market = faces(phone, ".market")
            assert market in ([], row), seat
            open_to_all = [*faces(phone, ".draws"), *faces(phone, ".taps.declare"), *market, *against]
            said = faces(phone, ".others .said")
            assert Counter(faces(phone, "main > :not(#region-moments)")) == Counter([*own, *open_to_all, *said]), seat
        self.check_layout()


def faces(page: Any, selector: str) -> list[str]:
    return [kind for kind in shown(page, selector, "pr-") if kind in CARDS]


def others(seat: int) -> list[int]:
    return [(seat + step) % 4 for step in (1, 2, 3)]


def test_a_game_of_prohis_from_set_up_to_the_count(served: Served) -> None:
    players = Players(served)
    players.wall.locator(".market .row .card").first.wait_for()
    players.check_secrets()

    # A draw: one from the row, one unseen.
    first = players.state.turn
    open_card = players.state.row[0]
    players.act(first, ".do-take.v-0")
    players.act(first, ".do-draw")
    assert players.wall.locator(f"#player-{first} .fan + b").inner_text() == "8"
    assert Counter(players.state.players[first].hand)[open_card] >= 1
    players.check_secrets()

    # A convoy that the first of the others who has a phone stops with his Captain; one bribe too few, one taken.
    smuggler = players.state.turn
    inspector = next(seat for seat in (GERMAN, 0, 2) if seat != smuggler)
    load = players.choose(smuggler, "convoy", 2)
    players.check_secrets()
    for seat in others(smuggler):
        players.declare(seat, "captain" if seat == inspector else None)
    assert shown(players.wall, ".convoy .inspector", "pr-")[0] == "captain"
    first_bribe = players.choose(smuggler, "offer", 1)
    asked = players.screen_of(inspector)
    assert shown(asked, ".convoy .offer", "pr-") == ["back"]
    if inspector == GERMAN:
        assert "Bestechung" in asked.locator(".convoy .offer").inner_text()
        assert asked.locator(".do-answer.v-false").inner_text() == "Ablehnen"
    players.check_secrets()
    players.act(inspector, ".do-answer.v-false")
    second_bribe = players.choose(smuggler, "offer", 2, first_bribe[0])
    assert second_bribe[0] == first_bribe[0]
    players.act(inspector, ".do-answer.v-true")
    assert players.wall.locator(f"#player-{smuggler} .store + b").inner_text() == "2"
    assert Counter(players.state.players[smuggler].warehouse) == Counter(load)
    assert Counter(players.state.players[inspector].warehouse) == Counter(second_bribe)
    players.check_secrets()

    # A Captain in the load, turned up first: the Inspector loses his Major to the Smuggler.
    smuggler = players.state.turn
    inspector = next(seat for seat in (2, 0, GERMAN) if seat != smuggler)
    stored = len(players.state.players[smuggler].warehouse)
    players.choose(smuggler, "convoy", 2, "captain")
    for seat in others(smuggler):
        players.declare(seat, "major" if seat == inspector else None)
    players.act(smuggler, ".do-stop_bribing")
    players.act(inspector, ".do-decide.v-true")
    players.check_secrets()
    players.act(inspector, ".do-turn.v-0")
    assert players.wall.locator(f"#player-{smuggler} .store + b").inner_text() == str(stored + 2)
    assert players.state.players[smuggler].hand.count("major") == 2
    assert "major" not in players.state.players[inspector].hand
    players.check_secrets()

    # One that nobody inspects, at whatever screen; then all have had enough.
    smuggler = players.state.turn
    players.choose(smuggler, "convoy", 2)
    for seat in others(smuggler):
        players.declare(seat, None)
    players.check_secrets()
    for _ in range(4):
        # A first tap only asks: nobody falls out of the game by one.
        players.tap(players.state.turn, ".do-pass")
        players.act(players.state.turn, ".do-pass.sure")

    # The count: what everybody sees is what the rules of the book give (PR-50, PR-51).
    assert players.wall.locator(".scores").is_visible()
    for seat, player in enumerate(players.state.players):
        warehouse, hand_left = Counter(player.warehouse), Counter(player.hand)
        worth = {"legal": 1000, "illegal": 4000, "lieutenant": 3000, "captain": 4000, "major": 5000}
        held = {"legal": 0, "illegal": -4000, "lieutenant": 1000, "captain": 2000, "major": 3000}
        points = sum(worth[kind] * n for kind, n in warehouse.items())
        points += sum(held[kind] * n for kind, n in hand_left.items())
        assert players.wall.locator(f"#score-{seat} .total").inner_text() == f"{points:,}"
        assert players.phones[GERMAN].locator(f"#score-{seat} .total").inner_text() == f"{points:,}".replace(",", ".")
    players.check_layout()
