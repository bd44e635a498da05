"""Live happenings as events for other programs: complete, in order, resumed where a reader stopped, nothing secret."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.service.outside.events import START, read_id
from appliance.service.outside.feed import Feed
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.recordings import recorded
from tests.appliance.games.recordings import told as told_by_rules
from tests.patience import GIVEN_UP_S
from tests.web.api_document import Document
from tests.web.event_streams import followed, read, told
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand
from web.routes.api.public import stream

COURSE = [*opening({1: "bomb"}), *ranking({0: 71.83, 2: 83.94, 3: 61.27}), *INSPECTIONS]


@pytest.fixture
def feed(stand: Stand) -> Iterator[Feed]:
    feed = stand.app.extensions["smugglers"].feed
    yield feed
    feed.close()


def test_a_game_is_told_from_its_opening_to_its_end_in_order_and_as_the_document_says(stand: Stand, feed: Feed) -> None:
    feed.start()
    document = Document(stand.kiosk())
    won = recorded("smugglers", "S-44-five-sweet")
    assert isinstance(stand.table.open_game(won.setup, "open"), Accepted)
    for number, action in enumerate(won.actions):
        assert isinstance(stand.table.submit(Submission(id=f"won-{number}", action=action)), Accepted)
    followed(feed, stand)
    assert isinstance(stand.table.close_game("close"), Accepted)
    followed(feed, stand)
    heard = told(feed)
    names = [player.name for player in won.setup.players]
    assert [heard[0]["kind"], heard[-2]["kind"], heard[-1]["kind"]] == ["game_opened", "game_over", "game_closed"]
    assert heard[0]["values"]["players"] == names
    assert heard[-2]["values"] == {"winners": [1], "reason": "five_sweet"}
    assert heard[-2]["text"]["de"] == f"Das Spiel ist aus. Gewonnen: {names[1]}."
    places = [read_id(event["id"]) for event in heard]
    assert places == sorted(set(places), key=lambda place: place or START)
    for event in heard:
        plain = {key: value for key, value in event.items() if key != "event"}
        assert document.problems({"$ref": "#/components/schemas/PublicEvent"}, plain) == []
        assert set(event["text"]) == {"en", "de"}
    happened = [event["code"] for event in heard if event["kind"] == "happening" and event["seq"] > 1]
    assert happened == told_by_rules("smugglers", "S-44-five-sweet")


@pytest.mark.parametrize("seen", [0, 1, 7, 20])
def test_a_reader_that_comes_back_gets_what_it_missed_and_nothing_twice(stand: Stand, feed: Feed, seen: int) -> None:
    feed.start()
    stand.open(4)
    stand.play(*COURSE)
    followed(feed, stand)
    whole = told(feed)
    last = read_id(whole[seen]["id"])
    assert [event["id"] for event in told(feed, last)] == [event["id"] for event in whole[seen + 1 :]]


def test_after_a_restart_a_reader_goes_on_where_it_was(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    feed = Feed(stand.table)
    feed.start()
    stand.open(4)
    stand.play(*COURSE[:9])
    followed(feed, stand)
    before = told(feed)
    feed.close()
    stand.close()
    again = Stand(tmp_path)
    again._ids = (f"again-{number}" for number in itertools.count())
    feed = Feed(again.table)
    feed.start()
    assert told(feed)[-len(before) :] == before
    again.play(*COURSE[9:13])
    followed(feed, again)
    new = told(feed, read_id(before[-1]["id"]))
    assert new
    assert all(event["event"] == "message" for event in new)
    assert {event["seq"] for event in new}.isdisjoint(event["seq"] for event in before)
    feed.close()
    again.close()


def test_who_missed_more_than_is_kept_is_told_so(stand: Stand) -> None:
    feed = Feed(stand.table, kept=5)
    feed.start()
    stand.open(4)
    followed(feed, stand)
    first = feed.newest
    stand.play(*COURSE)
    followed(feed, stand)
    heard = told(feed, first)
    assert heard[0]["event"] == "missed"
    assert len(heard) == 6
    assert [event["event"] for event in told(feed, read_id(heard[3]["id"]))] == ["message"] * 2
    feed.close()


def test_a_correction_is_an_event_of_its_own_and_earlier_ones_stay_told(stand: Stand, feed: Feed) -> None:
    feed.start()
    stand.open(4)
    stand.play(*COURSE[:6])
    followed(feed, stand)
    before = told(feed)
    stuck = stand.table.snapshot().correctable[0]
    kiosk = stand.kiosk()
    better = {"do": "attempt", "seat": 1, "outcome": "passed"}
    assert kiosk.post("/api/v1/amendments", json={"id": "a", "seq": stuck.seq, "action": better}).status_code == 200
    followed(feed, stand)
    after = told(feed)
    assert after[: len(before)] == before
    assert [(event["kind"], event["code"]) for event in after[len(before) :]] == [("amended", "sphere_passed")]


def test_what_a_correction_adds_to_the_past_is_no_new_happening(stand: Stand, feed: Feed) -> None:
    feed.start()
    stand.open(2)
    stand.play(
        {"do": "roll", "seat": 0, "value": 3},
        {"do": "time_up"},
        {"do": "attempt", "seat": 0, "outcome": "stuck"},
        {"do": "attempt", "seat": 0, "outcome": "passed"},
    )
    followed(feed, stand)
    before = feed.newest
    passed = stand.table.snapshot().correctable[0]
    stuck = {"do": "attempt", "seat": 0, "outcome": "stuck"}
    answer = stand.kiosk().post("/api/v1/amendments", json={"id": "a", "seq": passed.seq, "action": stuck})
    assert answer.status_code == 200
    followed(feed, stand)
    assert any(line.happening.code == "sphere_junked" for line in stand.table.snapshot().log)
    assert [(event["kind"], event["code"]) for event in told(feed, before)] == [("amended", "sphere_stuck")]


def test_a_reader_without_an_id_hears_only_what_happens_next(stand: Stand, feed: Feed) -> None:
    stand.open(4)
    stand.play(*COURSE[:3])
    answer = stand.stranger().get("/api/v1/events", buffered=False)
    assert answer.mimetype == "text/event-stream"
    messages = answer.iter_encoded()
    next(messages)
    stand.play(COURSE[3])
    heard = next(read(messages))
    assert heard["seq"] == stand.table.snapshot().correctable[0].seq
    answer.close()


def test_a_header_wins_over_the_address_and_a_wrong_one_is_refused(stand: Stand, feed: Feed) -> None:
    stand.open(2)
    feed.start()
    guest = stand.stranger()
    for header in ("rubbish", "1", "1.x", "-1.0", "9" * 40 + ".0", "١.٠"):
        answer = guest.get("/api/v1/events", headers={"Last-Event-ID": header.encode().decode("latin-1")})
        assert (answer.status_code, answer.get_json()["code"]) == (400, "malformed_request")
    answer = guest.get("/api/v1/events?after=99.0", headers={"Last-Event-ID": "1.0"}, buffered=False)
    assert next(read(answer.iter_encoded()))["id"] == "1.1"
    answer.close()


def test_a_stream_ends_with_its_client_and_gives_its_place_back(tmp_path: Path) -> None:
    stand = Stand(tmp_path, streams_most=1)
    feed = stand.app.extensions["smugglers"].feed
    feed.start()
    leave: list[Any] = []
    messages = stream(feed, None, leave.append)
    assert next(messages)
    ended = threading.Event()

    def reads() -> None:
        list(messages)
        ended.set()

    reader = threading.Thread(target=reads)
    reader.start()
    leave[0]()
    assert ended.wait(GIVEN_UP_S)
    first = stand.stranger().get("/api/v1/events", buffered=False)
    assert stand.stranger().get("/api/v1/events").status_code == 503
    first.close()
    second = stand.stranger().get("/api/v1/events", buffered=False)
    assert second.status_code == 200
    second.close()
    feed.close()
    stand.close()


def test_games_that_differ_in_masses_and_sealed_pieces_tell_the_same_bytes(tmp_path: Path) -> None:
    heard = []
    for name, masses, hidden in (
        ("a", {0: 71.83, 2: 83.94, 3: 61.27}, {1: "bomb", 3: "sour"}),
        ("b", {0: 12.05, 2: 12.61, 3: 5.49}, {1: "sweet", 3: "bomb"}),
    ):
        (tmp_path / name).mkdir()
        stand = Stand(tmp_path / name)
        feed = Feed(stand.table)
        feed.start()
        stand.open(4)
        stand.play(*opening(hidden), *ranking(masses))
        followed(feed, stand)
        told_now = told(feed)
        heard.append((told_now, stand.stranger().get("/api/v1/table").data))
        text = json.dumps(heard[-1][0])
        assert not [mass_g for mass_g in masses.values() if str(mass_g) in text]
        feed.close()
        stand.close()
    assert len(heard[0][0]) > 10
    assert heard[0] == heard[1]
