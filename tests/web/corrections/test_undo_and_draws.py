"""Undo at the touchscreen, and what the table drew: it stands, however often it is undone."""

from __future__ import annotations

from pathlib import Path

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import OneOf
from appliance.snapshot import Accepted, Submission
from tests.markup import text_of
from tests.narrowed import of_kind, there
from tests.web.corrections.touchscreen import sent_by
from tests.web.doors.test_phones import opened
from tests.web.rounds import opening
from tests.web.stand import Stand


def test_undo_is_refused_if_the_game_went_on_since_the_page_was_made(stand: Stand) -> None:
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    kiosk = stand.kiosk()
    seen = sent_by(kiosk.get("/kiosk/corrections").text, "POST /api/v1/undo")
    assert kiosk.post("/api/v1/undo", json=seen | {"id": "undo-1"}).status_code == 200
    another = kiosk.post("/api/v1/undo", json=seen | {"id": "undo-2"})
    assert there(another.json)["code"] == "game_went_on", "another tap"
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
        assert [there(answer.json)["code"] for answer in refused] == ["chance_stands"] * 2
        assert "drew that fairly" in there(refused[0].json)["message"]
    assert f"/kiosk/corrections/{deed.seq}" not in kiosk.get("/kiosk/corrections").text
    assert "drawn by the table" in kiosk.get("/kiosk/corrections").text
    assert kiosk.post("/api/v1/undo", json={"id": "undo-1"}).status_code == 200
    told = kiosk.post("/api/v1/actions", json={"id": "told", "prompt": "r1.roll.seat0", "action": other})
    assert there(told.json)["code"] == "chance_stands"
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
        fields = {name: of_kind(OneOf, choice).values[0] for name, choice in due.choices.items()}
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
    for language, told in (
        ("en", "Taken back: {} drives with 2 dice."),
        ("de", "Zurückgenommen: {} fährt mit 2 Würfeln."),
    ):
        wall = stand.kiosk()
        wall.set_cookie("language", language)
        assert told.format(state.players[drive.seat].name) in text_of(wall.get("/").text)
    assert isinstance(stand.table.submit(Submission(id="drive-2", action=action)), Accepted)
    stand.table.step()
    assert stand.table.snapshot().correctable[0].action == rolled
    stand.close()
