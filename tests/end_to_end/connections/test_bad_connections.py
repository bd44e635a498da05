"""Smugglers on four phones with a bad connection each: no tap is lost in silence, none counts twice, nobody reloads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Step
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import restore
from tests.end_to_end.bad_links import DEAD, WEATHERS, BadLink
from tests.end_to_end.served import DEAL, WALL, Served, needs_browser, tap
from tests.end_to_end.tapped_game import FIND, TappedGame
from tests.narrowed import of_kind, there
from tests.web.rounds import opening

pytestmark = [*needs_browser, pytest.mark.thorough]

Deed = dict[str, Any]
NAMES = ("Ann", "Finn", "Clara", "Lena")
MOST_STEPS = 3000
LANGUAGES = ("en", "de", "en", "de")


def seat(number: int, do: str, **more: Any) -> Deed:
    return {"do": do, "seat": number, **more}


FIRST_ROUND: list[Deed] = [
    *opening({}),
    *(seat(0, "attempt", outcome="passed"), seat(1, "decline"), seat(2, "decline")),
    *(seat(3, "attempt", outcome="passed"), seat(3, "weigh", mass_g=30.0), seat(0, "weigh", mass_g=25.0)),
    *(seat(3, "inspect", target=1, guess="sour"), seat(1, "open", found=["sour"])),
    *(seat(0, "inspect", target=2, guess="sweet"), seat(2, "open", found=["sweet"])),
    *(seat(3, "open", found=["sour"]), seat(0, "open", found=["sweet"])),
]
LAST_ROUND: list[Deed] = [
    *(seat(1, "roll", value=3), {"do": "time_up"}, seat(1, "decline"), seat(2, "decline")),
    *(seat(3, "attempt", outcome="passed"), seat(0, "attempt", outcome="passed")),
    *(seat(3, "weigh", mass_g=30.0), seat(0, "weigh", mass_g=25.0)),
    *(seat(3, "inspect", target=1, guess="sour"), seat(1, "open", found=["bomb"])),
    *(seat(1, "take", token="sour", source=3), seat(0, "inspect", target=2, guess="sweet")),
    *(seat(2, "open", found=["sweet"]), seat(3, "open", found=["sour"]), seat(0, "open", found=["sweet"])),
]
TOLD_BY_SENSORS = {"roll", "time_up", "attempt", "weigh"}
SCORE = [[5, 0], [0, 2], [1, 0], [0, 3]]
"""Sweet and sour tokens at the end, counted by hand: SM-09, SM-71, SM-73, SM-81, SM-92."""
TOKENS = """() => Array.from({length: 4}, (_, seat) => ["sweet", "sour"].map(colour => {
    const purse = document.querySelector(`[data-spot="purse-${seat}-${colour}"]`);
    return purse ? Number(purse.textContent) : document.querySelectorAll(`[id^="token-${seat}-${colour}-"]`).length;
}))"""


@pytest.fixture
def links(served: Served) -> Iterator[list[BadLink]]:
    made: list[BadLink] = []
    yield made
    for link in made:
        link.wire.close()


@pytest.mark.thorough
def test_a_round_to_the_win_on_four_phones_whose_links_drop_lag_and_return(
    served: Served, links: list[BadLink]
) -> None:
    served.stand.open(4, goal="short")
    served.stand.play(*FIRST_ROUND)
    wall = served.page("/wall", WALL)
    weathers = Random(DEAL).sample(WEATHERS, len(WEATHERS))
    for number, language in enumerate(LANGUAGES):
        links.append(BadLink(served, partial(served.join, number, language), weathers))
    for deed in LAST_ROUND:
        if deed["do"] in TOLD_BY_SENSORS:
            served.stand.do(**deed)
        else:
            do_by_tap(links[deed["seat"]], deed)
    newest = served.stand.table.snapshot().correctable[: len(LAST_ROUND)]
    done = msgspec.json.decode(msgspec.json.encode([deed.action for deed in reversed(newest)]))
    assert done == [public(deed) for deed in LAST_ROUND]
    for page in (wall, *(link.page for link in links)):
        page.locator(".victory").wait_for()
        assert page.evaluate(TOKENS) == SCORE, page.url
    assert all(link.never_reloaded() for link in links)


class StormyGame(TappedGame):
    """A `TappedGame` on phones with bad links."""

    def __init__(self, served: Served, links: list[BadLink]) -> None:
        self._links = links
        weathers = [*WEATHERS, DEAD]
        self._weathers = Random(DEAL).sample(weathers, len(weathers))
        self.tapped: list[Action] = []
        """What was done on phones."""
        super().__init__(served, "smugglers", NAMES, dict(enumerate(LANGUAGES)), goal="short")

    def _join(self, seat: int, language: str) -> Any:
        self._links.append(BadLink(self.served, partial(super()._join, seat, language), self._weathers))
        return self._links[-1].page

    def do(self, seat: int, action: Action) -> None:
        super().do(seat, action)
        self.tapped.append(action)

    def act(self, seat: int, selector: str) -> None:
        self._links[seat].tap(selector)
        self.settle()


@pytest.mark.soak
def test_a_game_to_its_end_on_four_phones_whose_links_drop_lag_and_return(served: Served, links: list[BadLink]) -> None:
    played = StormyGame(served, links)
    played.play(MOST_STEPS)
    rules = the_game("smugglers").rules
    actions = actions_of(served)
    assert [one for one in actions if one in played.tapped] == played.tapped
    truth: Step[Any] = of_kind(Step, rules.set_up(there(served.stand.table.snapshot().setup)))
    for action in actions:
        truth = of_kind(Step, rules.apply(truth.state, action))
    score = [[player.tokens.sweet, player.tokens.sour] for player in truth.state.players]
    for page in (played.wall, *played.phones.values()):
        page.locator(".victory").wait_for()
        assert page.evaluate(TOKENS) == score, page.url
    assert all(link.never_reloaded() for link in links)


def actions_of(served: Served) -> tuple[Action, ...]:
    """Return what the journal holds of the open game."""
    game = served.stand.table.snapshot().game_id
    assert game is not None
    history = restore(served.stand.journal.read(game), the_game)
    assert isinstance(history, History), history
    return history.actions()


def public(deed: Deed) -> Deed:
    return {name: value for name, value in deed.items() if name != "mass_g"}


def do_by_tap(link: BadLink, deed: Deed) -> None:
    """Tap `deed` where the phone offers it."""
    link.page.wait_for_function(f"deed => ({FIND})(deed) !== null", arg=deed)
    place = link.page.evaluate(FIND, deed)
    where = f"{place['kind']} >> nth={place['nth']}"
    if "data-many" in place["kind"]:
        for value in deed["found"]:
            tap(link.page, f"{where} >> [data-value='{value}'][aria-pressed=false]")
        where += " >> [type=submit]"
    link.tap(where)
