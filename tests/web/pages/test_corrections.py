"""Whatever could have been done instead has words on its button, in every game and language."""

from __future__ import annotations

import html
import json
import re
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.snapshot import Accepted, Submission
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import at_least, play_of
from tests.patience import GIVEN_UP_S
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
    for options in getattr(play, "VARIANTS", ({},)):
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


def preview(stand: Stand, seq: int, action: dict[str, object] | None, language: str = "en") -> str:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    answer = kiosk.get(f"/kiosk/corrections/{seq}", query_string={"action": json.dumps(action)})
    assert answer.status_code == 200
    return html.unescape(answer.text)


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


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
    assert "→ becomes As if it had not happened" in taken_back


def sent_by(page: str, to: str) -> dict[str, Any]:
    """Return what the page's button for that address sends."""
    button = next(one for one in re.findall(r"<button[^>]*>", html.unescape(page)) if f'data-api="{to}"' in one)
    return dict(json.loads(re.search(r"data-send='([^']*)'", button)[1]))  # type: ignore[index]


def test_a_correction_is_refused_if_the_game_went_on_since_its_preview_and_is_shown_anew(stand: Stand) -> None:
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    kiosk, first = stand.kiosk(), stand.table.snapshot().correctable[0].seq
    stuck = {"do": "attempt", "seat": 0, "outcome": "stuck"}
    seen = sent_by(preview(stand, first, stuck), "POST /api/v1/amendments")
    stand.do(do="attempt", seat=1, outcome="passed")
    refused = kiosk.post("/api/v1/amendments", json=seen | {"id": "amend-1"})
    assert (refused.status_code, refused.json["code"]) == (409, "game_went_on")
    assert "went on since" in refused.json["message"]
    assert stand.table.snapshot().correctable[0].action["seat"] == 1, "nothing is lost"
    again = kiosk.get(f"/kiosk/corrections/{first}", query_string={"action": json.dumps(stuck), "went_on": ""}).text
    assert "went on since" in again
    assert "Ben’s sphere is through" in text_of(again[again.index('class="lost"') :]), "now it says what would be lost"
    seen = sent_by(again, "POST /api/v1/amendments")
    assert kiosk.post("/api/v1/amendments", json=seen | {"id": "amend-2"}).status_code == 200
    assert stand.table.snapshot().correctable[0].action == stuck


def test_undo_is_refused_if_the_game_went_on_since_the_page_was_made(stand: Stand) -> None:
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    kiosk = stand.kiosk()
    seen = sent_by(kiosk.get("/kiosk/corrections").text, "POST /api/v1/undo")
    assert kiosk.post("/api/v1/undo", json=seen | {"id": "undo-1"}).status_code == 200
    assert kiosk.post("/api/v1/undo", json=seen | {"id": "undo-2"}).json["code"] == "game_went_on", "another tap"
    seen = sent_by(kiosk.get("/kiosk/corrections?went_on").text, "POST /api/v1/undo")
    assert kiosk.post("/api/v1/undo", json=seen | {"id": "undo-3"}).status_code == 200
    assert kiosk.post("/api/v1/undo", json={"id": "undo-4"}).status_code == 200, "a program that does not mind"


def test_what_a_touchscreen_saw_holds_after_a_restart_and_a_pause(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    stand.table.undo("undo-1")
    seen = sent_by(stand.kiosk().get("/kiosk/corrections").text, "POST /api/v1/undo")
    stand.close()
    again = Stand(tmp_path)
    again.table.pause(True, "pause")
    again.table.pause(False, "resume")
    assert again.kiosk().post("/api/v1/undo", json=seen | {"id": "undo-2"}).status_code == 200
    again.close()


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
    answer = stand.kiosk().post("/api/v1/amendments/preview", json=body).json
    assert answer["instead"]["happened"] == []
    assert answer["after"] == answer["before"]
    assert answer["before"]["opened"] is None
    sent = json.loads(re.search(r"data-send='([^']*)'", page)[1])  # type: ignore[index]
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


def test_what_the_table_drew_is_not_corrected_and_undone_it_comes_again(stand: Stand) -> None:
    stand.open(2)
    kiosk = stand.kiosk()
    draw = {"prompt": "r1.roll.seat0", "seat": 0}
    assert kiosk.post("/api/v1/chance", json=draw | {"id": "die-1"}).status_code == 200
    (deed,) = stand.table.snapshot().correctable
    drawn = deed.action["value"]
    other = {"do": "roll", "seat": 0, "value": drawn % 6 + 1}
    for action in (other, None):
        body = {"seq": deed.seq, "action": action}
        refused = [
            kiosk.post("/api/v1/amendments", json=body | {"id": f"amend-{action}"[:30]}),
            kiosk.post("/api/v1/amendments/preview", json=body),
        ]
        assert [answer.json["code"] for answer in refused] == ["chance_stands"] * 2
        assert "drew that fairly" in refused[0].json["message"]
    assert f"/kiosk/corrections/{deed.seq}" not in kiosk.get("/kiosk/corrections").text
    assert "drawn by the table" in kiosk.get("/kiosk/corrections").text
    assert kiosk.post("/api/v1/undo", json={"id": "undo-1"}).status_code == 200
    told = kiosk.post("/api/v1/actions", json={"id": "told", "prompt": "r1.roll.seat0", "action": other})
    assert told.json["code"] == "chance_stands"
    assert kiosk.post("/api/v1/chance", json=draw | {"id": "die-2"}).status_code == 200
    assert stand.table.snapshot().correctable[0].action["value"] == drawn


def test_what_was_drawn_stands_after_a_restart(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    stand.kiosk().post("/api/v1/chance", json={"id": "die-1", "prompt": "r1.roll.seat0", "seat": 0})
    drawn = stand.table.snapshot().correctable[0].action["value"]
    stand.kiosk().post("/api/v1/undo", json={"id": "undo-1"})
    stand.close()
    again = Stand(tmp_path)
    again.kiosk().post("/api/v1/chance", json={"id": "die-2", "prompt": "r1.roll.seat0", "seat": 0})
    assert again.table.snapshot().correctable[0].action["value"] == drawn
    again.close()


def test_undo_goes_back_past_what_the_table_draws_by_itself(tmp_path: Path) -> None:
    """In Haulers with electronic dice every choice to drive is followed by a roll at once."""
    stand = Stand(tmp_path)
    opened(stand, "open-1", "haulers")
    game = the_game("haulers").rules
    for number in range(200):
        stand.table.step()
        state = stand.table.snapshot().state
        drive = next((p for seat in range(4) for p in game.expects(state, seat) if p.do == "drive"), None)
        if drive is not None:
            break
        due = next(
            p for seat in range(4) for p in game.expects(state, seat) if p.seat == seat and p.do != "swap_mission"
        )
        fields = {name: choice.values[0] for name, choice in due.choices.items()}
        action = msgspec.convert({"do": due.do, "seat": due.seat, **fields}, game.action_type)
        assert isinstance(stand.table.submit(Submission(id=f"a-{number}", action=action)), Accepted)
    assert drive is not None
    before = msgspec.msgpack.encode(state)
    action = msgspec.convert({"do": "drive", "seat": drive.seat, "dice": 2}, game.action_type)
    assert isinstance(stand.table.submit(Submission(id="drive", action=action)), Accepted)
    stand.table.step()
    rolled = stand.table.snapshot().correctable[0].action
    assert rolled["do"] == "roll"
    assert isinstance(stand.table.undo("undo-1"), Accepted)
    stand.table.step()
    assert msgspec.msgpack.encode(stand.table.snapshot().state) == before
    assert isinstance(stand.table.submit(Submission(id="drive-2", action=action)), Accepted)
    stand.table.step()
    assert stand.table.snapshot().correctable[0].action == rolled
    stand.close()


def asked(stand: Stand, seat: int = 1, nth: int = 0, name: str = "ask-1") -> Any:
    """Let the phone of `seat` ask for the correction that its page offers in that place."""
    phone = stand.phone(seat)
    page = html.unescape(phone.get(f"/seat/{seat}/object").text)
    sent = json.loads(re.findall(r"data-send='([^']*)'", page)[nth])
    return phone.post("/api/v1/corrections/ask", json=sent | {"id": name})


def at_the_second_roll(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "stuck"})


@pytest.mark.parametrize(("language", "said"), [("en", "asks for a correction"), ("de", "bittet um eine Korrektur")])
def test_a_phone_asks_with_one_tap_and_the_touchscreen_grants(stand: Stand, language: str, said: str) -> None:
    at_the_second_roll(stand)
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    assert asked(stand).status_code == 200
    assert stand.table.snapshot().state.players[0].attempts == 1, "asking changes nothing"
    page = html.unescape(kiosk.get("/kiosk").text)
    assert said in page
    address = re.search(r'href="(/kiosk/corrections/\d+\?action=[^"]+)"', page)
    assert address is not None
    preview = html.unescape(kiosk.get(address[1]).text)
    granted = json.loads(re.search(r"data-send='([^']*)'", preview)[1])  # type: ignore[index]
    assert kiosk.post("/api/v1/amendments", json=granted | {"id": "grant-1"}).status_code == 200
    assert [line.kind for line in stand.table.snapshot().log].count("amended") == 1, "announced once"
    assert stand.table.snapshot().correctable[0].action["outcome"] == "passed"
    assert said not in html.unescape(kiosk.get("/kiosk").text)


def test_only_the_touchscreen_grants_and_only_who_plays_a_seat_asks_for_it(stand: Stand) -> None:
    at_the_second_roll(stand)
    seq = stand.table.snapshot().correctable[0].seq
    wish = {"id": "ask-1", "seat": 0, "seq": seq, "action": {"do": "attempt", "seat": 0, "outcome": "passed"}}
    assert stand.stranger().post("/api/v1/corrections/ask", json=wish).status_code == 403
    assert stand.phone(1).post("/api/v1/corrections/ask", json=wish).status_code == 403
    assert (
        stand.phone(1).post("/api/v1/amendments", json={key: wish[key] for key in ("id", "seq", "action")}).status_code
        == 403
    )
    assert stand.stranger().get("/seat/1/object").status_code == 403
    other = wish | {"seat": 1, "action": {"do": "roll", "seat": 0, "value": 9}}
    refused = stand.phone(1).post("/api/v1/corrections/ask", json=other)
    assert (refused.status_code, refused.json["code"]) == (409, "not_offered")


def test_what_is_asked_for_is_seen_by_who_asks_and_taken_back_or_refused(stand: Stand) -> None:
    at_the_second_roll(stand)
    asked(stand)
    assert "You have asked the table" in stand.phone(1).get("/seat/1").text
    assert "You have asked the table" not in stand.phone(0).get("/seat/0").text
    asked(stand, nth=1, name="ask-2")
    assert len(stand.table.snapshot().asked) == 1, "the newer wish replaces the older one"
    assert stand.phone(0).post("/api/v1/corrections/refuse", json={"id": "no-0", "seat": 1}).status_code == 403
    assert stand.kiosk().post("/api/v1/corrections/refuse", json={"id": "no-1", "seat": 1}).status_code == 200
    assert stand.table.snapshot().asked == ()
    asked(stand, name="ask-3")
    stand.phone(1).post("/api/v1/corrections/refuse", json={"id": "no-2", "seat": 1})
    assert stand.table.snapshot().asked == ()


def test_what_is_asked_for_outlives_a_bug_of_the_referee(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_second_roll(stand)
    asked(stand)
    before = stand.table.snapshot()
    stand.table.start()

    def trip(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("appliance.table.game.open_game.OpenGame.command", trip)
    with pytest.raises(ZeroDivisionError):
        stand.table.command("turn_hourglass", "turn-1")
    assert stand.table.wait_newer(before.version, GIVEN_UP_S) is not None
    assert stand.table.snapshot().asked == before.asked


def test_the_likeliest_stands_first_at_the_touchscreen(stand: Stand) -> None:
    at_the_second_roll(stand)
    page = text_of(html.unescape(stand.kiosk().get("/kiosk/corrections").text))
    offered = page[page.index("Most likely meant") :]
    assert offered.index("Ann’s sphere is stuck") < offered.index("Ann’s sphere is through")


def test_a_game_that_says_nothing_of_mistakes_offers_none(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", "customs")
    assert stand.table.offers() == ()
    assert "Most likely meant" not in stand.kiosk().get("/kiosk/corrections").text
    stand.close()
