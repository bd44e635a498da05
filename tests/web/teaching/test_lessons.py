"""The first round explains itself to seats that said they are new, one thing at a time, until each was done once."""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES, words_for
from tests.markup import faults
from tests.moments import moments_of
from tests.narrowed import there
from tests.pages import Pages
from tests.web.stand import Stand
from web.teaching.lessons import FIRST_ROUND, lesson_for
from web.words.speech import Speech
from web.words.viewer import Viewer

LESSON = re.compile(r'<div class="lesson"[^>]*>(.*?)</div>', re.DOTALL)
AGREED = {"goal": "full"}
"""The options that lessons name."""
SVG = re.compile(r'<svg class="drawing".*?</svg>', re.DOTALL)


def lesson(page: bytes) -> str:
    found = LESSON.search(page.decode())
    return "" if found is None else html.unescape(re.sub(r"<[^>]+>", "", found.group(1))).strip()


def explain(client: object, seat: int, on: bool = True) -> int:
    answer = client.put(f"/api/v1/seats/{seat}/lessons", json={"on": on})  # type: ignore[attr-defined]
    return int(answer.status_code)


def test_a_newcomer_is_told_each_thing_once_on_their_phone_alone(stand: Stand) -> None:
    stand.open(2)
    new, old = stand.phone(0), stand.phone(1)
    assert lesson(new.get("/seat/0").data) == ""
    assert explain(old, 0) == 403, "others do not say who is new"
    assert explain(new, 0) == 200
    assert lesson(new.get("/seat/0").data).startswith("The die moves the boss")
    assert lesson(old.get("/seat/1").data) == ""
    assert lesson(stand.kiosk().get("/kiosk").data) == "", "their phone explains it"
    stand.do(do="roll", seat=0, value=2)
    assert lesson(new.get("/seat/0").data).startswith("Knead one sphere")
    stand.do(do="time_up")
    assert lesson(new.get("/seat/0").data).startswith("Push gently")
    stand.do(do="attempt", seat=0, outcome="passed")
    assert lesson(new.get("/seat/0").data) == "", "they have done it: now they watch"


@pytest.mark.parametrize(
    ("goal", "enough"), [("full", "7 of one colour or 5 + 5"), ("short", "5 of one colour or 4 + 4")]
)
def test_the_first_lesson_says_how_this_game_is_won(stand: Stand, goal: str, enough: str) -> None:
    stand.open(2, goal=goal)
    explain(stand.kiosk(), 0)
    for page in ("/kiosk", "/"):
        assert enough in lesson(stand.kiosk().get(page).data)


def test_a_lesson_that_comes_later_needs_no_style_sheet_of_its_own(stand: Stand) -> None:
    stand.open(2)
    explain(stand.kiosk(), 0)
    for page in (stand.kiosk().get("/kiosk").data, stand.kiosk().get("/").data, stand.phone(0).get("/seat/0").data):
        assert lesson(page)
        assert faults(page.decode(), "smugglers") == []


def test_it_is_skipped_with_one_tap_and_asked_for_at_the_table_too(stand: Stand) -> None:
    stand.open(2)
    kiosk = stand.kiosk()
    assert explain(kiosk, 0) == 200
    assert lesson(kiosk.get("/kiosk").data)
    assert lesson(kiosk.get("/").data)
    assert b"Stop explaining" in kiosk.get("/kiosk/table").data
    assert explain(kiosk, 0, on=False) == 200
    assert not lesson(kiosk.get("/kiosk").data)
    assert explain(kiosk, 7) == 404


def test_what_a_seat_did_before_its_player_came_is_explained_all_the_same(stand: Stand) -> None:
    """A robot, or who left the seat to a newcomer, had done it: the newcomer has not."""
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    for seat in (0, 0, 1):
        stand.do(do="attempt", seat=seat, outcome="stuck")
    new = stand.phone(1)
    assert explain(new, 1) == 200
    assert lesson(new.get("/seat/1").data).startswith("Push gently")
    assert lesson(stand.kiosk().get("/").data).startswith("Push gently"), "the wall explains it to them, too"
    assert explain(new, 1) == 200
    stand.do(do="attempt", seat=1, outcome="stuck")
    assert not lesson(new.get("/seat/1").data).startswith("Push gently"), "now they have done it"


def test_a_restart_explains_what_a_seat_did_before_its_player_came(tmp_path: Path) -> None:
    before = Stand(tmp_path)
    before.open(2)
    before.play({"do": "roll", "seat": 0, "value": 2}, {"do": "time_up"})
    for seat in (0, 0, 1):
        before.do(do="attempt", seat=seat, outcome="stuck")
    assert explain(before.kiosk(), 1) == 200
    before.close()
    after = Stand(tmp_path)
    assert lesson(after.kiosk().get("/").data).startswith("Push gently")
    assert lesson(after.kiosk().get("/kiosk").data).startswith("Push gently")
    after.close()


def test_a_phone_says_that_it_explains_even_where_nothing_is_new_now(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    assert "I am new" in phone.get("/seat/1").text
    explain(phone, 1)
    told = phone.get("/seat/1").text
    assert "What is new to you is explained at the top." in told
    assert "Stop explaining" in told
    assert "I am new" not in told


def test_newcomers_are_remembered_for_their_seating_alone(stand: Stand) -> None:
    stand.open(2)
    explain(stand.kiosk(), 1)
    evening = stand.app.extensions["smugglers"].evening
    seating = str(stand.table.snapshot().seating)
    assert type(evening)(stand.site.evening_file).newcomers(seating) == {1}
    assert evening.newcomers("another") == frozenset()


def test_a_phone_that_changes_its_mind_for_hours_writes_the_card_once(stand: Stand) -> None:
    stand.open(2)
    phone, file = stand.phone(1), stand.site.evening_file
    assert file is not None
    assert explain(phone, 1) == 200
    first = file.stat()
    for on in (True, False, False, True, False) * 3:
        assert explain(phone, 1, on=on) == 200
        assert lesson(phone.get("/seat/1").data) == "" or on
    # Each write is another file under the same name.
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    evening, seating = stand.app.extensions["smugglers"].evening, str(stand.table.snapshot().seating)
    assert evening.newcomers(seating) == frozenset(), "it counts at once all the same"
    assert explain(stand.kiosk(), 0) == 200
    assert type(evening)(file).newcomers(seating) == {0}


@pytest.fixture(scope="module")
def pages() -> Pages:
    return Pages()


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_is_on_a_deed_of_its_game_and_has_a_drawing(pages: Pages, game: str) -> None:
    deeds = {kind.__struct_config__.tag for kind in get_args(the_game(game).rules.action_type)}
    own = {code.removeprefix("teach.") for code in words_of("en", game).codes() if code.startswith("teach.")}
    own -= {code.removeprefix("teach.") for code in words_for("en").codes() if code.startswith("teach.")}
    own = {code.removesuffix(".you") for code in own}
    assert len(own) > 5
    assert own <= deeds
    drawing = pages.app.jinja_env.get_template(f"{game}/drawing.html")
    chapters = re.findall(
        r"'(\w+)'",
        str(
            there(pages.app.jinja_env.loader)
            .get_source(pages.app.jinja_env, f"{game}/rules.html")[0]
            .split("steps = ")[1]
            .split("%}")[0]
        ),
    )
    drawn = {name: drawing.render(drawn=name, lesson=object()) for name in own}
    drawn |= {f"chapter {name}": drawing.render(drawn=name) for name in chapters}
    assert [name for name, svg in drawn.items() if "<use" not in svg and "<path" not in svg] == []
    sprite = pages.app.jinja_env.get_template(f"{game}/sprite.html").render()
    missing = {
        link for svg in drawn.values() for link in re.findall(r'href="#([\w-]+)"', svg) if f'id="{link}"' not in sprite
    }
    assert missing == set()


SPOKEN_TO = {"en": re.compile(r"\b(your?|yours)\b", re.I), "de": re.compile(r"\b(du|dein\w*|dir|dich)\b", re.I)}
PERSONAL = {"haulers": {"call_in", "go", "draw", "check", "build"}, "prohis": {"decide", "turn"}}
"""Deeds that one player is asked for while the others watch."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PERSONAL)
def test_a_lesson_says_you_only_to_who_is_asked(game: str, language: str) -> None:
    from appliance.games.protocol import Prompt

    names, viewers = ("Ann", "Ben"), (Viewer("seat", 0, language), Viewer("seat", 1, language))
    for do in PERSONAL[game]:
        asked = [Prompt(prompt="p", seat=0, do=do, choices={})]
        own, other = (
            lesson_for(one, asked, {}, {0, 1}, frozenset(), Speech(language, game, names, one.seat)) for one in viewers
        )
        assert own is not None
        assert other is not None
        assert own.text != other.text, do
        assert not SPOKEN_TO[language].search(other.text), other.text


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_in_a_game_each_lesson_comes_before_its_deed_and_none_comes_late(game: str) -> None:
    """Counted here from what is done, step by step: the truth is the recorded game itself."""
    rules, taught = the_game(game).rules, Counter[str]()
    done: dict[str, dict[int, str]] = {}
    say = Speech("en", game, ("A", "B", "C", "D", "E", "F"), 0)
    for moment in moments_of(game):
        snapshot, known = moment.snapshot, done.setdefault(moment.source, {})
        known |= {one.seq: one.action["do"] for one in snapshot.correctable if one.action.get("seat") == 0}
        counted = Counter(known.values())
        prompts = rules.expects(snapshot.state, None)
        deeds: dict[tuple[str, int | None], int] = {(do, 0): count for do, count in counted.items()}
        told = lesson_for(Viewer("seat", 0, "en"), prompts, deeds, {0}, frozenset(), say, AGREED)
        if told is not None and told.do in [one.do for one in prompts if one.seat == 0 and not one.optional]:
            assert counted[told.do] == 0
            same = {one.do for one in prompts if one.prompt in {p.prompt for p in prompts if p.do == told.do}}
            assert max(counted[do] for do in same) < FIRST_ROUND
            taught[told.do] += 1
    assert len(taught) >= 4, taught


def test_a_game_without_such_words_is_explained_by_how_its_prompts_are_answered() -> None:
    from appliance.games.protocol import OneOf, Prompt

    say = Speech("en", None, ("A", "B"), 0)
    ask = Prompt(prompt="p", seat=0, do="juggle", choices={"with": OneOf(values=(1, 2))})
    viewer = Viewer("seat", 0, "en")
    told = [
        lesson_for(viewer, [one], {}, {0}, frozenset(), say)
        for one in (ask, msgspec.structs.replace(ask, veiled=True), msgspec.structs.replace(ask, by="table"))
    ]
    assert all(one is not None and one.do == "juggle" for one in told)
    assert len({one.text for one in told if one is not None}) == 3
    assert lesson_for(viewer, [ask], {("juggle", 0): 1}, {0}, frozenset(), say) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_is_short_enough_for_the_strip(language: str) -> None:
    for game in GAMES:
        catalogue = words_of(language, game)
        long = [
            code for code in catalogue.codes() if code.startswith("teach.") and len(catalogue.say(code, AGREED)) > 140
        ]
        assert long == []
