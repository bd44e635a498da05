"""A roll shown again: who may see it, how long it is there, and that the game waits for who watches."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.protocol import Rejection
from hardware.clock import ManualClock
from tests.narrowed import of_kind, there
from tests.web.seen_rolls import roll_seen
from tests.web.stand import Stand
from web.site import HostChoices


def test_touchscreen_and_players_see_it_and_strangers_do_not(at_the_track: Stand) -> None:
    stand = at_the_track
    number = roll_seen(stand)
    told = stand.kiosk().get(f"/replays/{number}").get_json()
    pictures = stand.kiosk().get(f"/replays/{number}/pictures").data
    assert sum(told["lengths"]) == len(pictures)
    assert len(told["lengths"]) == len(told["offsets_ms"])
    assert pictures.startswith(b"\xff\xd8")
    assert told["moments"][0]["said"] == "The sphere starts down lane 7."
    for path in ("", "/pictures", "/still.jpg"):
        address = f"/replays/{number}{path}"
        assert stand.kiosk().get(address).status_code == 200
        assert stand.phone(1).get(address).status_code == 200
        assert stand.phone(1).get(address).headers["Cache-Control"] == "no-store"
        assert stand.stranger().get(address).status_code == 403


def test_the_wall_shows_what_the_touchscreen_shows(at_the_track: Stand) -> None:
    stand = at_the_track
    number = roll_seen(stand)
    watch = {"id": "watch-1", "number": number}
    assert stand.phone(1).post("/api/v1/replays/watch", json=watch).status_code == 403
    assert 'data-watched=""' in stand.stranger().get("/wall").text
    assert stand.kiosk().post("/api/v1/replays/watch", json=watch).status_code == 200
    assert f'data-watched="{number}"' in stand.stranger().get("/wall").text
    assert stand.stranger().get(f"/replays/{number}/pictures").status_code == 200
    stand.kiosk().post("/api/v1/replays/watch", json={"id": "watch-2", "number": None})
    assert stand.stranger().get(f"/replays/{number}/pictures").status_code == 403


def test_nothing_is_told_in_seconds_or_sizes(at_the_track: Stand) -> None:
    told = at_the_track.kiosk().get(f"/replays/{roll_seen(at_the_track)}").get_json()
    assert set(told) == {"number", "size", "offsets_ms", "lengths", "still", "moments"}
    assert all(set(one) == {"sense", "code", "at", "said"} for one in told["moments"])
    assert {type(one["at"]) for one in told["moments"]} == {int}
    assert isinstance(at_the_track.clock, ManualClock)
    at_the_track.clock.advance_to(at_the_track.clock.now_s() + 10.0)
    alone = at_the_track.kiosk().get(f"/replays/{roll_seen(at_the_track, camera=False)}").get_json()
    assert [(one["code"], one["at"]) for one in alone["moments"]] == [
        ("front_broken", 0),
        ("front_clear", 1),
        ("back_broken", 2),
        ("back_clear", 3),
    ]


def test_a_host_who_shows_no_live_picture_shows_none_again(at_the_track: Stand) -> None:
    number = roll_seen(at_the_track)
    at_the_track.app.extensions["smugglers"].host.change(HostChoices(live_picture=False))
    told = at_the_track.kiosk().get(f"/replays/{number}").get_json()
    assert told["lengths"] == []
    assert told["moments"]
    assert at_the_track.kiosk().get(f"/replays/{number}/pictures").data == b""
    assert at_the_track.kiosk().get(f"/replays/{number}/still.jpg").status_code == 204


def test_it_is_gone_with_the_round_and_with_the_game(at_the_track: Stand) -> None:
    stand = at_the_track
    number = roll_seen(stand)
    assert "data-replay=" in stand.kiosk().get("/kiosk").text
    stand.play({"do": "attempt", "seat": 0, "outcome": "stuck"}, {"do": "attempt", "seat": 0, "outcome": "stuck"})
    stand.play({"do": "attempt", "seat": 1, "outcome": "stuck"})
    assert stand.kiosk().get(f"/replays/{number}").status_code == 200, "it lasts for the round"
    stand.do(do="decline", seat=1)
    gone = stand.kiosk().get(f"/replays/{number}", headers={"Accept": "application/json"})
    assert gone.status_code == 404
    assert "data-replay=" not in stand.kiosk().get("/kiosk").text
    assert of_kind(Rejection, stand.table.watch(number, "watch-late")).code == "replay_gone"
    there(stand.rolls.replays).tick(stand.clock.now_s())
    assert there(stand.rolls.replays).of(number) is None
    stand.play({"do": "roll", "seat": 1, "value": 3}, {"do": "time_up"})
    number = roll_seen(stand)
    stand.table.close_game("close-1")
    assert stand.table.snapshot().replays == ()
    assert stand.kiosk().get(f"/replays/{number}").status_code == 404


def test_nothing_of_it_lies_on_the_disk(stand: Stand, tmp_path: Path) -> None:
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    number = roll_seen(stand)
    picture = stand.kiosk().get(f"/replays/{number}/still.jpg").data[-80:]
    assert picture
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or picture not in file.read_bytes(), file


def test_a_table_that_is_played_by_hand_offers_none(stand: Stand) -> None:
    stand.open(2)
    stand.play(
        {"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"}, {"do": "attempt", "seat": 0, "outcome": "passed"}
    )
    for path in ("/kiosk", "/"):
        assert "data-replay=" not in stand.kiosk().get(path).text
    assert "data-replay=" not in stand.phone(0).get("/seat/0").text


def test_a_practice_roll_is_not_kept(stand: Stand) -> None:
    stand.open(2)
    assert stand.table.practise(True) is None
    there(stand.rolls.replays).tick(stand.clock.now_s())
    assert not there(stand.rolls.replays).wanted


def test_no_grace_ends_while_the_touchscreen_watches(at_the_track: Stand) -> None:
    stand = at_the_track
    assert isinstance(stand.clock, ManualClock)
    number = roll_seen(stand)
    assert stand.table.snapshot().pending is not None
    stand.kiosk().post("/api/v1/replays/watch", json={"id": "watch-1", "number": number})
    for again in range(3):
        stand.clock.advance_to(stand.clock.now_s() + 12.0)
        stand.table.step()
        assert stand.table.snapshot().pending is not None, "the game waits"
        stand.kiosk().post("/api/v1/replays/watch", json={"id": f"again-{again}", "number": number})
    stand.kiosk().post("/api/v1/replays/watch", json={"id": "watch-2", "number": None})
    assert stand.table.snapshot().pending is not None
    stand.clock.advance_to(stand.clock.now_s() + 1.0)
    stand.table.step()
    assert stand.table.snapshot().pending is not None, "who has watched has the whole grace"
    stand.clock.advance_to(stand.clock.now_s() + 1.5)
    stand.table.step()
    assert stand.table.snapshot().pending is None
    assert [deed.action["outcome"] for deed in stand.table.snapshot().correctable[:1]] == ["passed"]


def test_a_touchscreen_that_has_gone_holds_nobody_up(at_the_track: Stand) -> None:
    stand = at_the_track
    assert isinstance(stand.clock, ManualClock)
    number = roll_seen(stand)
    stand.kiosk().post("/api/v1/replays/watch", json={"id": "watch-1", "number": number})
    for _ in range(3):
        stand.clock.advance_to(stand.clock.now_s() + 10.0)
        stand.table.step()
    assert stand.table.snapshot().watched is None
    assert stand.table.snapshot().pending is None


@pytest.mark.parametrize(
    ("language", "said"), [("en", "Scale</b> <span>has no say here"), ("de", "Lichtschranken</b>")]
)
def test_a_verdict_says_what_it_rests_on(at_the_track: Stand, language: str, said: str) -> None:
    stand = at_the_track
    number = roll_seen(stand)
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = kiosk.get("/kiosk").text
    assert said in page
    assert f"/replays/{number}/still.jpg" in page
    pending = stand.table.snapshot().pending
    assert pending is not None
    stand.table.object_to(pending.id, "object-1")
    assert said in kiosk.get("/kiosk").text, "who objects still sees it"
    assert f"/replays/{number}/still.jpg" not in stand.stranger().get("/wall").text
