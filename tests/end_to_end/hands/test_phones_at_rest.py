"""A phone that lies on the table is closed: it looks the same whatever its owner holds, lacks or hides.

Each moment is drawn twice, of two states that differ in secrets alone, and the two pictures are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from appliance.games.catalogue import the_game
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.known_hands import alike
from tests.end_to_end.served import needs_browser
from tests.end_to_end.usable import built, moments_to_see
from tests.moments import Moment
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]

LANGUAGE = "en"
FRESH = "() => document.body.classList.remove('fresh')"
Secrets = Callable[[Any, int], Any]
"""From a state and a seat to a state in which that seat's secrets are others."""


def prohis(state: Any, seat: int) -> Any:
    """Other kinds in hand and warehouse."""
    other = {"legal": "illegal", "illegal": "legal", "lieutenant": "major", "captain": "legal", "major": "illegal"}
    me = state.players[seat]
    changed = replace(
        me,
        hand=tuple(sorted(other.get(kind, "legal") for kind in me.hand)),
        warehouse=tuple("illegal" for _ in me.warehouse),
    )
    return _seated(state, seat, changed)


def customs(state: Any, seat: int) -> Any:
    """Another hand, with the bag that must not stay, and other money."""
    hand = tuple(dict.fromkeys(("bag", *reversed(state.pack))))[: len(state.hand)]
    me = state.players[seat]
    return _seated(replace(state, hand=hand if None not in state.hand else state.hand), seat, replace(me, money=17))


def haulers(state: Any, seat: int) -> Any:
    """Deliveries from elsewhere, all of them for a boat where there are such, and the other kind in transit."""
    me = state.players[seat]
    boats = [card for card in state.pile if state.is_overseas(card)]
    rest = [card for card in state.pile if card not in boats and state.card(card).top != me.truck]
    loads = tuple(
        load if load.open else replace(load, kind="smuggled" if load.kind == "legal" else "legal") for load in me.loads
    )
    return _seated(state, seat, replace(me, hand=tuple([*boats, *rest, *me.hand][: len(me.hand)]), loads=loads))


def _seated(state: Any, seat: int, player: Any) -> Any:
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


@dataclass
class Closed:
    """A phone at rest, of which one picture after the other is taken."""

    pages: Pages
    screens: Screens

    def page(self, moment: Moment, seat: int, state: Any) -> str:
        """Return what is sent to the phone of `seat` in that state."""
        return self.pages.phone(moment._replace(snapshot=replace(moment.snapshot, state=state)), seat, LANGUAGE)

    def picture(self, html: str) -> bytes:
        """Return how a page looks that nobody touches."""
        phone = self.screens.screen("seat", html)
        phone.evaluate(SHOW, html)
        phone.evaluate(FRESH)
        phone.evaluate(AT_REST)
        return bytes(phone.screenshot(full_page=True))


@pytest.fixture
def closed(browser: Any) -> Iterator[Closed]:
    pages = Pages()
    screens = Screens(browser, pages)
    yield Closed(pages, screens)
    screens.close()


def test_a_phone_that_shows_another_number_looks_otherwise(closed: Closed) -> None:
    moment = next(one for one in moments_to_see("customs") if one.snapshot.state.options.show_balances)
    state = moment.snapshot.state
    mine, others = (closed.page(moment, 0, one) for one in (state, customs(state, 0)))
    assert not alike(closed.picture(mine), closed.picture(others))


@pytest.mark.parametrize("other", [prohis, customs, haulers])
def test_a_phone_at_rest_looks_alike_whatever_its_owner_holds(closed: Closed, other: Secrets) -> None:
    seen = set()
    for moment in moments_to_see(other.__name__):
        state, setup = moment.snapshot.state, moment.snapshot.setup
        assert setup is not None
        if the_game(moment.game).rules.outcome(state) is not None or setup.options.get("physical"):
            continue
        if hasattr(state.options, "show_balances"):
            state = replace(state, options=replace(state.options, show_balances=False))
        for seat in range(2):
            mine, others = (closed.page(moment, seat, one) for one in (state, other(state, seat)))
            looks = built(mine), built(others)
            if looks not in seen:
                assert alike(closed.picture(mine), closed.picture(others)), (moment.source, moment.step, seat)
            seen.add(looks)
