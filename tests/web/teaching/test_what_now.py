"""At every moment of every game each screen says what is to be done now, and the same to all who know the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Question, Timer
from appliance.snapshot import Snapshot
from appliance.words.catalogues import LANGUAGES
from hardware.readings import DeviceHealth
from tests.moments import Moment, moments_of
from tests.pages import Pages
from web.words.viewer import Viewer

SAID = re.compile(r'<p class="now">(.+)</p>')
RAW = re.compile(r"\bnow\.|[{}]|\bNone\b")


@pytest.fixture(scope="module")
def pages() -> Pages:
    return Pages()


def said(pages: Pages, snapshot: Snapshot, viewer: Viewer) -> str:
    pages.table.now = snapshot
    with pages.app.test_request_context("/"):
        found = SAID.search(pages.web.renderer.now(snapshot, viewer))
    return found.group(1).strip() if found else ""


def viewers(snapshot: Snapshot, language: str) -> list[Viewer]:
    assert snapshot.setup is not None
    seats = [Viewer("seat", seat, language) for seat in range(len(snapshot.setup.players))]
    return [Viewer("wall", None, language), Viewer("kiosk", None, language), *seats]


@cache
def distinct(game: str) -> list[Moment]:
    return list({moment.looks: moment for moment in moments_of(game)}.values())


def sensed(snapshot: Snapshot) -> dict[str, Any]:
    senses = ("camera", "beams", "scale")
    return {one: DeviceHealth(t_s=1.0, device=one, status="ok", code="ok") for one in senses}  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
def test_every_screen_says_at_every_moment_what_is_to_be_done(pages: Pages, game: str) -> None:
    silent, looked_at = {}, 0
    for moment in distinct(game):
        for change in ({}, {"quiet": True}, {"quiet": True, "health": sensed(moment.snapshot)}):
            snapshot = msgspec.structs.replace(moment.snapshot, **change)
            for language in LANGUAGES:
                for viewer in viewers(snapshot, language):
                    looked_at += 1
                    sentence = said(pages, snapshot, viewer)
                    if not sentence or RAW.search(sentence) or len(sentence) > 140:
                        silent[sentence] = f"{moment.source} step {moment.step} {viewer}"
    assert looked_at > 500
    assert silent == {}


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
def test_who_is_asked_is_told_so_and_others_hear_whom_the_table_waits_for(pages: Pages, game: str) -> None:
    """The truth is the rules' own open prompts: somebody who must choose is named to everybody else."""
    told = 0
    for moment in distinct(game):
        snapshot = moment.snapshot
        rules = the_game(game).rules
        due = [one for one in rules.expects(snapshot.state, None) if not one.optional]
        seats = {one.seat for one in due}
        plain = snapshot.pending is None and snapshot.question is None and not snapshot.remarks
        if (
            not plain
            or len(seats) != 1
            or None in seats
            or any(one.by == "table" or one.chance == "must" for one in due)
        ):
            continue
        assert snapshot.setup is not None
        (seat,) = seats
        for viewer in viewers(snapshot, "en"):
            sentence = said(pages, snapshot, viewer)
            named = snapshot.setup.players[seat or 0].name in sentence
            assert named == (viewer.seat != seat), sentence
            assert sentence.startswith("Your turn") == (viewer.seat == seat), sentence
            told += 1
    assert told > 10


def first(game: str, deed: str) -> Snapshot:
    rules = the_game(game).rules
    return next(
        m.snapshot for m in moments_of(game) if any(p.do == deed for p in rules.expects(m.snapshot.state, None))
    )


def test_the_sensors_that_wait_are_named_and_after_a_while_what_they_miss(pages: Pages) -> None:
    snapshot = msgspec.structs.replace(first("smugglers", "roll"), pending=None, question=None, remarks={})
    watched = msgspec.structs.replace(snapshot, health=sensed(snapshot))
    wall = Viewer("wall", None, "en")
    assert "The camera reads it" in said(pages, watched, wall)
    assert "sees no die in the tray" in said(pages, msgspec.structs.replace(watched, quiet=True), wall)
    assert "at the touchscreen" in said(pages, snapshot, wall), "no sensor works: people tap it"
    asked = msgspec.structs.replace(watched, question=Question(prompt="", code="die_unclear"))
    assert "not sure" in said(pages, asked, wall)


@pytest.mark.parametrize(("language", "here"), [("en", "tap it here"), ("de", "tippe es hier an")])
def test_who_opens_is_told_of_the_buttons_on_the_own_phone(pages: Pages, language: str, here: str) -> None:
    snapshot = msgspec.structs.replace(first("smugglers", "open"), pending=None, question=None, remarks={}, quiet=True)
    watched = msgspec.structs.replace(snapshot, health=sensed(snapshot))
    (seat,) = {one.seat for one in the_game("smugglers").rules.expects(snapshot.state, None) if one.do == "open"}
    told = {viewer: said(pages, watched, viewer) for viewer in viewers(watched, language)}
    assert {viewer.seat for viewer, sentence in told.items() if here in sentence} == {seat}
    assert not any("ouchscreen" in sentence for sentence in told.values())


def test_while_the_sand_runs_it_says_so_and_asks_for_no_word_that_is_not_there(
    pages: Pages, caplog: pytest.LogCaptureFixture
) -> None:
    sand = Timer(name="hourglass", started_s=1.0, ends_s=61.0)
    snapshot = msgspec.structs.replace(first("smugglers", "time_up"), pending=None, question=None, remarks={})
    snapshot = msgspec.structs.replace(snapshot, timers={"hourglass": sand})
    assert "while the sand runs" in said(pages, snapshot, Viewer("wall", None, "en"))
    assert [one.getMessage() for one in caplog.records if "no words" in one.getMessage()] == []


def test_a_phone_that_sleeps_is_told_of_when_everybody_waits_for_it(pages: Pages) -> None:
    snapshot = msgspec.structs.replace(first("prohis", "pass"), quiet=True)
    (seat,) = {one.seat for one in the_game("prohis").rules.expects(snapshot.state, None)}
    assert snapshot.setup is not None
    assert seat is not None
    phones, wall = pages.web.phones, Viewer("wall", None, "en")
    here = type(pages.web.seat_here(0))(str(snapshot.seating), seat)
    phones.take(here, phones.code(here))
    before = pages.web.page_values.beside
    try:
        pages.know(connected=lambda: frozenset({seat}))
        assert "asleep" not in said(pages, snapshot, wall)
        pages.know(connected=frozenset)
        assert "asleep" in said(pages, snapshot, wall)
        assert snapshot.setup.players[seat].name in said(pages, snapshot, wall)
    finally:
        pages.web.page_values.beside = before


def test_there_is_nothing_to_say_in_the_lobby(pages: Pages) -> None:
    empty = Snapshot(version=1, game=None, setup=None, state=None, journal_seq=0, now_s=1.0)
    assert said(pages, empty, Viewer("wall", None, "en")) == ""
