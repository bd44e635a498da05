"""Past games: listed, looked at, saved as a file, and taken in from one."""

from __future__ import annotations

import html
import io
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from appliance.games.catalogue import GAMES, the_game
from appliance.journal import transcript
from appliance.journal.media.removable_media import Sticks
from appliance.journal.past_games import PastGames
from appliance.words.catalogues import words_for
from tests.appliance.journal.hanging import hanging_at
from tests.narrowed import of_kind
from tests.web.evening.test_last_evening import WON_BY_B, play
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import PIN, Stand

SETUP = b'{"format":1,"game":"smugglers","players":[{"name":"Ann","putty":"yellow"},{"name":"Ben","putty":"pink"}]}\n'
MASSES = {0: 21.37, 2: 33.91, 3: 11.73}


def play_to_the_end(stand: Stand) -> int:
    """Play a round, let all but one leave, and put the game away; return its number."""
    stand.open(4)
    stand.play(*opening({}), *ranking(MASSES), *INSPECTIONS)
    stand.play(*({"do": "leave", "seat": seat} for seat in range(3)))
    number = stand.table.snapshot().game_id
    assert number is not None
    stand.kiosk().post("/api/v1/games/close", json={"id": f"away-{number}"})
    return number


def give(client: FlaskClient, text: str | bytes, client_id: str = "import-1") -> Any:
    content = text.encode() if isinstance(text, str) else text
    data = {"id": client_id, "file": (io.BytesIO(content), "game.jsonl")}
    return client.post("/kiosk/games", data=data, headers={"Origin": "http://localhost"})


def test_a_finished_game_is_listed_looked_at_saved_and_taken_in_again(stand: Stand) -> None:
    number = play_to_the_end(stand)
    kiosk = stand.kiosk()
    assert "Ann, Ben, Cleo, Dan" in kiosk.get("/kiosk/games").text
    page = kiosk.get(f"/kiosk/games/{number}").text
    assert "Ben’s sphere is stuck" in page
    saved = kiosk.get(f"/kiosk/games/{number}/transcript")
    assert saved.headers["Content-Disposition"] == f'attachment; filename="smugglers-{number}.jsonl"'
    taken = give(kiosk, saved.data)
    assert taken.status_code == 302
    listed = kiosk.get("/kiosk/games").text
    assert listed.count("Ann, Ben, Cleo, Dan") == 2
    assert "(from a file)" in listed
    again = kiosk.get(taken.location + "/transcript")
    assert again.text == saved.text


def test_without_everyones_consent_a_file_holds_no_mass(stand: Stand) -> None:
    number = play_to_the_end(stand)
    shared, whole = (
        stand.kiosk().get(f"/kiosk/games/{number}/transcript{query}").text for query in ("", "?consent=everyone")
    )
    assert json.loads(shared.splitlines()[0])["stand_in_masses"] is True
    assert not any(str(mass_g) in shared for mass_g in MASSES.values())
    assert all(str(mass_g) in whole for mass_g in MASSES.values())
    assert not any(str(mass_g) in stand.kiosk().get(f"/kiosk/games/{number}").text for mass_g in MASSES.values())


def test_a_game_that_has_no_stand_ins_is_saved_with_everyones_consent_only(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = replace(the_game("smugglers"), anonymise=None)
    monkeypatch.setitem(GAMES, "smugglers", lambda: bare)
    number = play_to_the_end(stand)
    kiosk, address = stand.kiosk(), f"/kiosk/games/{number}/transcript"
    page = kiosk.get(f"/kiosk/games/{number}").text
    assert "everyone at the table must agree" in page
    assert words_for("en").say("games.save_all") in page
    assert not any(words_for("en").say(code) in page for code in ("games.save", "games.save_stick"))
    refused = kiosk.get(address)
    assert refused.status_code == 409
    assert "everyone at the table must agree" in refused.text
    whole = kiosk.get(f"{address}?consent=everyone")
    assert all(str(mass_g) in whole.text for mass_g in MASSES.values())


def test_a_game_put_away_before_its_end_is_not_shared(stand: Stand) -> None:
    stand.open(4)
    stand.play(*opening({}), *ranking(MASSES))
    number = stand.table.snapshot().game_id
    assert stand.kiosk().get(f"/kiosk/games/{number}/transcript").status_code == 404
    stand.kiosk().post("/api/v1/games/close", json={"id": "away"})
    assert stand.kiosk().get(f"/kiosk/games/{number}/transcript?consent=everyone").status_code == 409
    page = stand.kiosk().get(f"/kiosk/games/{number}").text
    assert "put away before its end" in page
    assert "transcript" not in page


def test_a_file_taken_in_leaves_the_open_game_alone_also_after_a_restart(stand: Stand) -> None:
    number = play_to_the_end(stand)
    text = stand.kiosk().get(f"/kiosk/games/{number}/transcript").data
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    before = stand.table.snapshot()
    assert give(stand.kiosk(), text).status_code == 302
    assert stand.table.snapshot().game_id == before.game_id
    assert stand.journal.newest_game() == before.game_id


def test_the_same_tap_twice_takes_a_file_in_once(stand: Stand) -> None:
    number = play_to_the_end(stand)
    text = stand.kiosk().get(f"/kiosk/games/{number}/transcript").data
    first, second = give(stand.kiosk(), text), give(stand.kiosk(), text)
    assert first.location == second.location
    assert len(of_kind(tuple, stand.table.past_games())) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Line 1 of the file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "Line 1 of the file"),
        (SETUP + b'{"do":"roll"', "Line 2"),
        (SETUP, "not played to its end"),
        (b"[" * 60_000, "Line 1 of the file"),
    ],
)
def test_a_file_that_is_no_finished_game_is_refused_in_one_sentence(stand: Stand, content: bytes, said: str) -> None:
    answer = give(stand.kiosk(), content)
    assert answer.status_code in (409, 422)
    assert said in answer.text
    assert stand.table.past_games() == ()


REFUSED = b'{"do":"attempt","seat":0,"outcome":"passed"}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "Zeile 1 der Datei: Das ist kein Text"),
        (SETUP + b'{"do":"roll"', "Zeile 2 der Datei: Die Zeile bricht ab"),
        (SETUP + REFUSED, "Zeile 2 der Datei: Jetzt nicht: Ann muss würfeln."),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_the_viewers_language(stand: Stand, content: bytes, said: str) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", "de")
    assert said in html.unescape(give(kiosk, content).text)


def test_every_reason_against_a_file_has_words() -> None:
    codes = set(re.findall(r'_BadLineError\(\s*"(\w+)"', Path(transcript.__file__).read_text()))
    assert len(codes) > 12
    assert {code for code in codes if f"transcript.{code}" not in words_for("de")} == set()


def test_a_file_too_large_is_refused(stand: Stand) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="game.jsonl"\r\n\r\n'
    answer = stand.kiosk().post(
        "/kiosk/games",
        data=head + b"x" * 2_000_000 + b"\r\n--x--\r\n",
        content_type="multipart/form-data; boundary=x",
        headers={"Origin": "http://localhost"},
    )
    assert answer.status_code == 413


def test_a_guest_who_is_called_guest_is_not_mistaken_for_one_whose_name_was_erased(stand: Stand) -> None:
    play(stand, WON_BY_B, ("Guest", "Ann", "Ben"))
    kiosk = stand.host()
    for name in ("Ann", "Ben"):
        assert kiosk.post("/host/guests", data={"name": name}).status_code == 302
    assert "Guest, a guest, a guest 2" in kiosk.get("/kiosk/games").text
    saved = kiosk.get("/kiosk/games/1/transcript?consent=everyone").text
    assert [one["name"] for one in json.loads(saved.split("\n")[0])["players"]] == ["Guest", "guest 2", "guest 3"]
    assert give(kiosk, saved).status_code == 302


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entries that were read from the journal, by number."""
    read: list[int] = []
    body_if_known = PastGames._body_if_known

    def noted(past: PastGames, seq: int) -> Any:
        read.append(seq)
        return body_if_known(past, seq)

    monkeypatch.setattr(PastGames, "_body_if_known", noted)
    return read


def test_an_evening_of_many_games_makes_the_page_of_one_no_slower(stand: Stand, decoded: list[int]) -> None:
    newest = play_to_the_end(stand)
    kiosk = stand.kiosk()

    def work() -> int:
        decoded.clear()
        assert kiosk.get(f"/kiosk/games/{newest}").status_code == 200
        return len(decoded)

    alone = work()
    for _ in range(3):
        play_to_the_end(stand)
    assert work() == alone


def test_the_page_of_guests_reads_each_past_game_once(stand: Stand, decoded: list[int]) -> None:
    play(stand, WON_BY_B, ("Ann", "Ben", "Cleo"))
    stand.table.close_game("closed")
    play(stand, WON_BY_B, ("Dan", "Eve", "Fay"))
    kiosk = stand.host()
    decoded.clear()
    for _ in range(2):
        page = kiosk.get("/host/guests").text
        assert all(name in page for name in ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"))
    assert sorted(decoded) == sorted(set(decoded)) != []


@pytest.mark.parametrize("number", [0, 2, 999, 2**63, 10**400])
def test_a_number_that_is_no_past_game_is_answered_in_a_sentence(stand: Stand, number: int) -> None:
    assert play_to_the_end(stand) == 1
    answer = stand.kiosk().get(f"/kiosk/games/{number}")
    assert answer.status_code == 404
    assert words_for("en").say("rejection.no_such_game") in html.unescape(answer.text)


def test_only_the_kiosk_sees_past_games(stand: Stand) -> None:
    number = play_to_the_end(stand)
    for path in ("/kiosk/games", f"/kiosk/games/{number}", f"/kiosk/games/{number}/transcript"):
        assert stand.stranger().get(path).status_code == 302
    assert give(stand.stranger(), b"").status_code in (302, 403)


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "media" / "STICK"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def with_stick(tmp_path: Path, stick: Path) -> Iterator[Stand]:
    sticks = Sticks((stick.parent,), lambda folder: folder == stick)
    stand = Stand(tmp_path, sticks=sticks)
    yield stand
    stand.close()


HERE = {"Origin": "http://localhost"}
OPENS_DISK = re.compile(r'type="file"|\bdownload\b|/transcript"|\.pdf"|multipart')


def test_the_own_screen_opens_no_file_chooser_and_downloads_nothing(with_stick: Stand) -> None:
    number = play_to_the_end(with_stick)
    kiosk, host = with_stick.kiosk(), with_stick.stranger()
    assert host.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://192.0.2.7"}).status_code == 302
    for path in ("/kiosk/games", f"/kiosk/games/{number}"):
        assert OPENS_DISK.findall(kiosk.get(path).text) == []
        assert OPENS_DISK.findall(host.get(path).text) != []
    assert "192.0.2.7:8080/kiosk/games" in kiosk.get("/kiosk/games").text


def test_a_game_is_saved_to_a_stick_and_taken_in_from_it(with_stick: Stand, stick: Path) -> None:
    number = play_to_the_end(with_stick)
    kiosk = with_stick.kiosk()
    assert "no saved game" in kiosk.get("/kiosk/games").text
    saved = kiosk.post(f"/kiosk/games/{number}/stick", headers=HERE)
    assert f"Saved as smugglers-{number}.jsonl" in kiosk.get(saved.location).text
    (file,) = stick.iterdir()
    assert not any(str(mass_g) in file.read_text() for mass_g in MASSES.values())
    kiosk.post(f"/kiosk/games/{number}/stick", data={"consent": "everyone"}, headers=HERE)
    assert all(str(mass_g) in (stick / f"smugglers-{number}-2.jsonl").read_text() for mass_g in MASSES.values())
    page = kiosk.get("/kiosk/games").text
    key = html.unescape(re.findall(r'name="file" value="([^"]+)"', page)[0])
    taken = kiosk.post("/kiosk/games/stick", data={"id": "in-1", "file": key}, headers=HERE)
    assert taken.status_code == 302
    assert "(from a file)" in kiosk.get("/kiosk/games").text


def test_without_a_stick_the_page_says_what_to_do(stand: Stand) -> None:
    number = play_to_the_end(stand)
    kiosk = stand.kiosk()
    assert "Plug a USB stick" in kiosk.get("/kiosk/games").text
    refused = kiosk.post(f"/kiosk/games/{number}/stick", headers=HERE)
    assert (refused.status_code, "There is no USB stick" in refused.text) == (409, True)
    assert f'href="/kiosk/games/{number}"' in refused.text
    assert kiosk.post("/kiosk/games/stick", data={"file": "0/x.jsonl"}, headers=HERE).status_code == 409


def test_a_stick_that_hangs_is_told_by_every_page_that_would_use_it(
    with_stick: Stand, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = play_to_the_end(with_stick)
    monkeypatch.setattr("appliance.journal.media.medium.ANSWERS_S", 0.1)
    with hanging_at(stick):
        kiosk = with_stick.kiosk()
        pages = [kiosk.get(path) for path in ("/kiosk/games", f"/kiosk/games/{number}")]
        assert [page.status_code for page in pages] == [200, 200]
        taps = [kiosk.post(path, headers=HERE) for path in ("/kiosk/games/stick", f"/kiosk/games/{number}/stick")]
        assert [tap.status_code for tap in taps] == [409, 409]
        assert all("The stick does not answer" in shown.text for shown in (*pages, *taps))


def test_a_bad_file_on_a_stick_is_refused_in_one_sentence(with_stick: Stand, stick: Path) -> None:
    (stick / "bad.jsonl").write_bytes(SETUP + b'{"do":"roll"')
    answer = with_stick.kiosk().post("/kiosk/games/stick", data={"id": "x", "file": "0/bad.jsonl"}, headers=HERE)
    assert answer.status_code == 422
    assert "Line 2" in answer.text


def test_a_file_whose_name_is_no_text_is_listed_and_taken_in(with_stick: Stand, stick: Path) -> None:
    """A stick of a system with another alphabet: its names are bytes that are no UTF-8."""
    number = play_to_the_end(with_stick)
    kiosk = with_stick.kiosk()
    kiosk.post(f"/kiosk/games/{number}/stick", headers=HERE)
    (stick / f"smugglers-{number}.jsonl").rename(stick / os.fsdecode(b"caf\xe9.jsonl"))
    page = kiosk.get("/kiosk/games")
    assert (page.status_code, "caf\ufffd.jsonl" in page.text) == (200, True)
    (key,) = re.findall(r'name="file" value="([^"]+)"', page.text)
    taken = kiosk.post("/kiosk/games/stick", data={"id": "in-1", "file": html.unescape(key)}, headers=HERE)
    assert taken.status_code == 302
    assert "(from a file)" in kiosk.get("/kiosk/games").text


def test_sticks_are_the_kiosks(with_stick: Stand) -> None:
    number = play_to_the_end(with_stick)
    for path in ("/kiosk/games/stick", f"/kiosk/games/{number}/stick"):
        assert with_stick.stranger().post(path, headers={"Origin": "http://192.0.2.7"}).status_code == 302


def test_a_past_game_is_dated_by_the_time_zone_of_now(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    play_to_the_end(stand)
    kiosk = stand.kiosk()

    def listed_at(zone: str) -> datetime:
        monkeypatch.setenv("TZ", zone)
        found = re.search(r"<b>(\d{4}-\d\d-\d\d \d\d:\d\d)</b>", kiosk.get("/kiosk/games").text)
        assert found is not None
        return datetime.fromisoformat(found[1])

    try:
        assert listed_at("Asia/Tokyo") - listed_at("UTC") == timedelta(hours=9)
    finally:
        monkeypatch.undo()
        time.tzset()
