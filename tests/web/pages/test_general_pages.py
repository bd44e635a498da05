"""The general pages: what they say of a game without pages and words, and to whom."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import added
from appliance.games.protocol import OneOf, Player, Prompt, Setup
from appliance.snapshot import Accepted, Submission
from tests.markup import faults, text_of
from tests.porters_game.game import GAME as PORTERS
from tests.porters_game.rules.rules import PortersRules
from tests.porters_game.rules.state import State
from tests.web.odds.game import GAME, HANDS, Declare, Discard, Odds, Pack, Pay, Stack, Weigh
from tests.web.stand import Stand
from web.pages.general_setup import option_fields
from web.words.speech import Speech

TO_THE_HANDS = [Declare(seat=seat, kind="sloe", amount=3 + seat) for seat in (0, 1)] + [
    Pack(seat=seat, crate=("pear",), sack=()) for seat in (0, 1)
]
CODE = re.compile(r"\b(rejection|happening|remark|question|button|ask|game|field|general|over)\.[a-z_]+")

HELD = re.compile(r'<span class="face">.*?</span></span>|<div class="told">.*?</dl></div>', re.DOTALL)


@pytest.fixture
def odds(tmp_path: Path) -> Iterator[Stand]:
    with added(GAME):
        stand = Stand(tmp_path)
        setup = Setup(format=1, game="odds", players=(Player(name="Ann"), Player(name="Ben")))
        assert isinstance(stand.table.open_game(setup, "open"), Accepted)
        yield stand
        stand.close()


def do(stand: Stand, *actions: Any) -> None:
    for number, action in enumerate(actions):
        seq = stand.table.snapshot().journal_seq
        assert isinstance(stand.table.submit(Submission(id=f"{seq}-{number}", action=action)), Accepted), action


def says(html: str, cards: tuple[str, ...]) -> bool:
    """Return whether a page names any of the cards; "ten" is not in "listens"."""
    return re.search(rf"\b({'|'.join(cards)})\b", text_of(html)) is not None


def pages(stand: Stand) -> dict[str, str]:
    paths = ("/wall", "/kiosk", "/rules", "/kiosk/table", "/kiosk/corrections", "/seats")
    shared = {path: stand.kiosk().get(path).text for path in paths}
    return shared | {f"/seat/{seat}": stand.phone(seat).get(f"/seat/{seat}").text for seat in (0, 1)}


def test_what_only_one_seat_may_see_is_on_its_own_page_alone_and_held_to_look(odds: Stand) -> None:
    do(odds, *TO_THE_HANDS)
    curtain = odds.kiosk().get("/kiosk/hand/0").text
    seen = pages(odds)
    for seat, cards in enumerate(HANDS):
        own = {f"/seat/{seat}"}
        assert {path for path, html in seen.items() if says(html, cards)} == own
    assert all(card in curtain for card in HANDS[0])
    assert not says(curtain, HANDS[1])
    for html in (curtain, seen["/seat/0"]):
        bare = re.sub(
            r'<span class="face">.*?</span></span>|<div class="told">.*?</dl></div>', "", html, flags=re.DOTALL
        )
        assert not says(bare, HANDS[0]), "hidden until it is held"
    assert odds.kiosk().get("/kiosk/hand/1").status_code == 403, "the phone shows it"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_shows_a_code_and_all_is_well_formed(
    odds: Stand, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    rest = [Discard(seat=0, cards=("king",), note="ab"), Discard(seat=1, cards=("ten",), note="ab")]
    rest += [Stack(seat=seat, order=(0, 1, 2)) for seat in (0, 1)]  # type: ignore[misc]
    rest += [Weigh(seat=seat, scale=1, delta_g=0.5, sure=True) for seat in (0, 1)]  # type: ignore[misc]
    with caplog.at_level(logging.WARNING):
        for action in [*TO_THE_HANDS, *rest, Pay(seat=0, payer="host", coin="tin")]:
            for path, html in pages(odds).items():
                assert not CODE.search(text_of(html)), path
                assert not list(faults(html, "odds")), path
            assert odds.kiosk().get(f"/language/{language}").status_code == 302
            do(odds, action)
    assert [record.getMessage() for record in caplog.records] == []


def test_names_of_the_code_become_words_with_names_of_players(odds: Stand) -> None:
    do(odds, TO_THE_HANDS[0])
    wall = text_of(odds.kiosk().get("/wall").text)
    assert "Declare done: Ann, Kind sloe, Amount 3" in wall
    assert "Answers 1" in wall
    action = {"do": "pay", "seat": 1, "payer": "", "coin": ""}
    refused = odds.kiosk().post("/api/v1/actions", json={"id": "again", "prompt": None, "action": action})
    assert refused.get_json()["message"] == "Not asked now: Ben"


@pytest.mark.parametrize(("language", "said"), [("en", "Carry the load across"), ("de", "Die Last hinübertragen")])
def test_a_button_that_chooses_nothing_says_what_is_asked(language: str, said: str) -> None:
    action = {"do": "cross", "seat": 0}
    with added(PORTERS):
        assert Speech(language, "porters", ("Ann", "Ben")).tap("cross", None, None, action) == said
    with added(GAME):
        assert Speech(language, "odds", ("Ann", "Ben")).tap("end_turn", None, None, action) == "End turn"


def test_a_secret_is_asked_behind_the_curtain_also_as_the_second_of_two_ways(tmp_path: Path) -> None:
    class Hasty(PortersRules):
        def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
            outcome = {"outcome": OneOf(("passed", "stuck"))}
            return tuple(
                asked
                for hide in super().expects(state, seat)
                for asked in (Prompt(prompt=hide.prompt, seat=hide.seat, do="cross", choices=outcome), hide)
            )

    with added(replace(PORTERS, rules=Hasty())):
        stand = Stand(tmp_path)
        setup = Setup(format=1, game="porters", players=(Player(name="Ann"), Player(name="Ben")))
        assert isinstance(stand.table.open_game(setup, "open"), Accepted)
        kiosk = stand.kiosk()
        assert 'data-keypad="mass_g"' not in kiosk.get("/kiosk").text
        curtain = kiosk.get("/kiosk/hand/0").text
        assert 'data-keypad="mass_g"' in curtain
        assert "Carry the load across" in text_of(curtain)
        stand.close()


def test_a_correction_asks_for_every_field_and_shows_what_would_change(odds: Stand) -> None:
    do(odds, TO_THE_HANDS[0])
    (deed,) = odds.table.snapshot().correctable
    kiosk = odds.kiosk()
    page = kiosk.get(f"/kiosk/corrections/{deed.seq}").text
    assert 'name="kind"' in page
    assert 'data-keypad="amount"' in page
    meant = json.dumps({"do": "declare", "seat": 0, "kind": "pear", "amount": 7})
    preview = text_of(kiosk.get(f"/kiosk/corrections/{deed.seq}", query_string={"action": meant}).text)
    assert "Last · Kind sloe pear" in preview
    assert "Last · Amount 3 7" in preview


def test_a_table_offers_leaving_only_where_the_game_knows_it(odds: Stand) -> None:
    assert '"do": "leave"' not in odds.kiosk().get("/kiosk/table").text
    assert isinstance(odds.table.close_game("close"), Accepted)
    odds.open(2)
    assert '"do": "leave"' in odds.kiosk().get("/kiosk/table").text


def test_the_set_up_asks_for_truths_literals_and_numbers() -> None:
    asked = {one.name: one for one in option_fields(Odds.options_type)}
    assert list(asked) == ["polite", "goods", "rounds", "purse"]
    assert asked["goods"].values == ("fresh", "dried")
    assert asked["rounds"].values == (1, 2, 3, 4)
    assert (asked["purse"].least, asked["purse"].most, asked["purse"].default) == (0, 500, 100)


def test_a_game_without_pages_has_no_files(odds: Stand) -> None:
    assert odds.kiosk().get("/games/odds/game.css").status_code == 404
    assert "/games/odds" not in odds.kiosk().get("/kiosk").text
