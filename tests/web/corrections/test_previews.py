"""The preview of a correction: every alternative has words, what would change is shown, and nothing hidden is."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import at_least, play_of
from tests.markup import sends_of, text_of
from tests.narrowed import there
from tests.web.corrections.touchscreen import preview, sent_by
from tests.web.doors.test_phones import opened
from tests.web.rounds import opening
from tests.web.stand import Stand
from web.pages.marked import marked
from web.words.asks import asks_of
from web.words.speech import Speech

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")


def headed(say: Speech, field: str, value: object) -> bool:
    return f"given.{field}" in say.words or f"given.{field}.{value}" in say.words


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", [game for game in GAMES if the_game(game).pages])
def test_every_alternative_is_said(game: str, language: str) -> None:
    play = play_of(game)
    say = Speech(language, game, NAMES)
    unsaid = set()
    buttons = 0
    variants: tuple[dict[str, Any], ...] = getattr(play, "VARIANTS", ({},))
    for options in variants:
        for state, *_ in islice(play.played(play.a_setup(3, **options), Random(1)), 400):
            for ask in asks_of(play.RULES.expects(state, None)):
                for control in ask.controls:
                    for row in control.rows:
                        unsaid |= {field for field, value in row.given.items() if not headed(say, field, value)}
                        for button in row.buttons:
                            buttons += 1
                            said = say.choice(control.do, button.field, button.value, button.action)
                            unsaid |= {said} if said.startswith("button.") else set()
    assert buttons > at_least(game, 80)
    assert unsaid == set()


STUCK = {"do": "attempt", "seat": 1, "outcome": "stuck"}


def test_the_preview_says_what_becomes_what_and_names_what_is_set_aside(stand: Stand) -> None:
    stand.open(4)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"}, STUCK, STUCK)
    stand.do(do="attempt", seat=2, outcome="passed")
    first = stand.table.snapshot().correctable[2].seq
    page = preview(stand, first, STUCK | {"outcome": "passed"})
    said = text_of(page[page.index('class="correction"') :])
    assert said.index("Ben’s sphere is stuck") < said.index("→") < said.index("Ben’s sphere is through")
    assert "2 later entries would be set aside" in said
    lost = text_of(page[page.index('class="lost"') : page.index("</ol>", page.index('class="lost"'))])
    assert "Ben’s sphere is stuck" in lost
    assert "Cleo’s sphere is through" in lost
    assert "Ann" not in lost
    german = text_of(preview(stand, first, STUCK | {"outcome": "passed"}, "de"))
    assert "2 spätere Einträge fielen weg" in german
    taken_back = text_of(preview(stand, stand.table.snapshot().correctable[0].seq, None))
    assert "Cleo’s sphere is through" in taken_back
    assert "→ becomes Cleo is yet to roll." in taken_back


def test_a_correction_is_refused_if_the_game_went_on_since_its_preview_and_is_shown_anew(stand: Stand) -> None:
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    kiosk, first = stand.kiosk(), stand.table.snapshot().correctable[0].seq
    stuck = {"do": "attempt", "seat": 0, "outcome": "stuck"}
    seen = sent_by(preview(stand, first, stuck), "POST /api/v1/amendments")
    stand.do(do="attempt", seat=1, outcome="passed")
    refused = kiosk.post("/api/v1/amendments", json=seen | {"id": "amend-1"})
    assert (refused.status_code, there(refused.json)["code"]) == (409, "game_went_on")
    assert "went on since" in there(refused.json)["message"]
    assert stand.table.snapshot().correctable[0].action["seat"] == 1, "nothing is lost"
    again = kiosk.get(f"/kiosk/corrections/{first}", query_string={"action": json.dumps(stuck), "went_on": ""}).text
    assert "went on since" in again
    assert "Ben’s sphere is through" in text_of(again[again.index('class="lost"') :]), "now it says what would be lost"
    seen = sent_by(again, "POST /api/v1/amendments")
    assert kiosk.post("/api/v1/amendments", json=seen | {"id": "amend-2"}).status_code == 200
    assert stand.table.snapshot().correctable[0].action == stuck


def searched(stand: Stand) -> int:
    """Customs, where the Officer accepts what the first traveller declares. Return the entry of that."""
    opened(stand, "open-1", "customs", first_officer=0)
    stand.do(do="declare", seat=1, goods=["wine"])
    stand.do(do="accept", seat=0)
    return stand.table.snapshot().correctable[0].seq


@pytest.mark.parametrize(
    ("language", "said"), [("en", "show what is still hidden"), ("de", "zeigen, was noch verdeckt ist")]
)
def test_a_preview_shows_no_hand_that_was_never_opened(tmp_path: Path, language: str, said: str) -> None:
    """The Officer accepted the declaration: nobody but the traveller knows the hand (RULES §4.8, AP-3)."""
    stand = Stand(tmp_path)
    accepted = searched(stand)
    page = preview(stand, accepted, {"do": "search", "seat": 0}, language)
    assert said in text_of(page)
    body = {"seq": accepted, "action": {"do": "search", "seat": 0}}
    answer = there(stand.kiosk().post("/api/v1/amendments/preview", json=body).json)
    assert answer["instead"]["happened"] == []
    assert answer["after"] == answer["before"]
    assert answer["before"]["opened"] is None
    sent = sends_of(page)[0]
    assert stand.kiosk().post("/api/v1/amendments", json=sent | {"id": "amend-1"}).status_code == 200
    assert stand.table.snapshot().state.opened is not None, "confirmed, everybody sees it"
    stand.close()


def test_a_face_down_card_of_a_convoy_is_no_preview(tmp_path: Path) -> None:
    """PR-37: cards that were not turned stay secret."""
    stand = Stand(tmp_path)
    opened(stand, "open-1", "prohis")
    rules = the_game("prohis").rules
    smuggler = stand.table.snapshot().state.turn
    hand = stand.table.snapshot().state.players[smuggler].hand
    stand.do(do="convoy", seat=smuggler, cards=[card for card in hand if card in ("captain", "major")])
    inspector, *others = stand.table.snapshot().state.undeclared()
    stand.do(do="declare", seat=inspector, prohi="captain")
    for seat in others:
        stand.do(do="declare", seat=seat, prohi=None)
    stand.do(do="stop_bribing", seat=smuggler)
    stand.do(do="decide", seat=inspector, inspect=True)
    stand.do(do="turn", seat=inspector, position=0)
    turned = stand.table.snapshot().correctable[0].seq
    page = text_of(preview(stand, turned, {"do": "turn", "seat": inspector, "position": 1}))
    assert "becomes Turn card 2" in page
    assert "Major" not in page[page.index("It really was") :]
    assert rules.view(stand.table.snapshot().state, None).convoy is None
    stand.close()


def test_only_what_changes_is_marked(stand: Stand) -> None:
    stand.open(4)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"}, STUCK, STUCK)
    page = preview(stand, stand.table.snapshot().correctable[0].seq, STUCK | {"outcome": "passed"})
    marked = re.findall(r"<ins>(.*?)</ins>", page)
    assert marked
    assert not [mark for mark in marked if "sweet" in mark or "sour" in mark or re.search(r"\d", mark)]
    assert "sweet" in page[page.index('class="changes"') :]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 sweet, 1 sour · Bar", "2 sweet, 1 sour · Office", "2 sweet, 1 sour · <ins>Office</ins>"),
        ("2 sweet", "3 sweet", "<ins>3</ins> sweet"),
        ("1 sour · at the track", "1 sour · behind the screen", "1 sour · <ins>behind the screen</ins>"),
        ("Turin Bern –", "Turin –", "Turin <del>Bern</del> –"),
        ("the same", "the same", "the same"),
        ("a", "<b>", "<ins>&lt;b&gt;</ins>"),
    ],
)
def test_words_that_stay_are_not_marked(old: str, new: str, said: str) -> None:
    assert marked(new, old) == said


def test_alternatives_belong_to_the_deed_whatever_happens_meanwhile(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    roll = stand.table.snapshot().correctable[0].seq
    before = stand.table.snapshot()
    stand.do(do="commit", seat=0, seal="0" * 64)
    # Whoever looked just before the commit: the roll was the newest deed.
    with monkeypatch.context() as earlier:
        earlier.setattr(stand.table, "snapshot", lambda: before)
        page = stand.kiosk().get(f"/kiosk/corrections/{roll}").text
    assert set(re.findall(r"do-(\w+)", page)) == {"roll"}
    assert "commit" not in page
