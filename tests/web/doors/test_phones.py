"""A hand is either on a phone or on the shared screen: whoever joined by phone has his cards there alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from itsdangerous import URLSafeSerializer

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from tests.appliance.games.plays import demo_options
from tests.narrowed import there
from tests.web.pages.test_robots_seats import RobotStand
from tests.web.stand import NAMES, PUTTY, Stand
from web.app import create_app
from web.doors.phones import Seat

WORDS = "has the cards on the phone"


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    opened(stand, "open-1")
    yield stand
    stand.close()


def opened(stand: Stand, client_id: str, game: str = "prohis", **more: Any) -> None:
    options = demo_options(game) | more
    setup = Setup(format=1, game=game, players=tuple(Player(name=name) for name in NAMES), options=options)
    assert isinstance(stand.table.open_game(setup, client_id), Accepted)
    for _ in range(3):
        stand.table.step()


def let_go(client: Any, seat: int) -> int:
    return int(client.post(f"/api/v1/seats/{seat}/let_go", json={"id": f"go-{seat}"}).status_code)


def test_a_hand_is_on_the_touchscreen_until_its_player_joins_by_phone(stand: Stand) -> None:
    kiosk, turn = stand.kiosk(), stand.table.snapshot().state.turn
    assert kiosk.get(f"/kiosk/hand/{turn}").status_code == 200
    assert f'data-hold="/kiosk/hand/{turn}"' in kiosk.get("/kiosk").text
    stand.phone(turn)
    refused = kiosk.get(f"/kiosk/hand/{turn}")
    assert refused.status_code == 403
    assert "This hand is on a phone" in refused.text
    page = kiosk.get("/kiosk").text
    assert "data-hold" not in page
    assert f"{NAMES[turn]} {WORDS}" in page
    assert kiosk.get(f"/kiosk/hand/{(turn + 1) % 4}").status_code == 200


def test_while_declaring_only_those_without_a_phone_declare_at_the_touchscreen(stand: Stand) -> None:
    state = stand.table.snapshot().state
    others = [seat for seat in range(4) if seat != state.turn]
    stand.phone(others[0])
    smuggler = stand.phone(state.turn)
    convoy = {"do": "convoy", "seat": state.turn, "cards": list(state.players[state.turn].hand[:2])}
    assert smuggler.post("/api/v1/actions", json={"id": "convoy", "action": convoy}).status_code == 200
    page = stand.kiosk().get("/kiosk").text
    assert [seat for seat in range(4) if f'data-hold="/kiosk/hand/{seat}"' in page] == others[1:]
    assert f"{NAMES[others[0]]} {WORDS}" in page


def test_a_phone_that_lets_go_loses_the_hand_and_the_touchscreen_gets_it(stand: Stand) -> None:
    phone = stand.phone(2)
    assert "/api/v1/seats/2/let_go" in phone.get("/seat/2").text
    assert let_go(phone, 2) == 200
    told = phone.get("/seat/2")
    assert told.status_code == 403
    assert "played on the touchscreen now" in told.text
    assert phone.get("/live?kind=seat&seat=2").status_code == 403
    assert phone.get("/api/v1/view?seat=2").status_code == 403
    assert stand.kiosk().get("/kiosk/hand/2").status_code == 200
    assert stand.phone(2).get("/seat/2").status_code == 200
    assert stand.kiosk().get("/kiosk/hand/2").status_code == 403


def test_the_signature_of_a_phone_is_checked_once_and_its_right_to_the_seat_each_time(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []
    loads = URLSafeSerializer.loads

    def counted(serializer: URLSafeSerializer, text: str) -> Any:
        checked.append(text)
        return loads(serializer, text)

    phone = stand.phone(2)
    monkeypatch.setattr(URLSafeSerializer, "loads", counted)
    assert [phone.get("/api/v1/view?seat=2").status_code for _ in range(3)] == [200] * 3
    assert len(checked) == 1
    assert let_go(phone, 2) == 200
    assert phone.get("/api/v1/view?seat=2").status_code == 403


def test_the_touchscreen_can_take_a_seat_from_a_lost_phone_and_the_phone_is_told(stand: Stand) -> None:
    phone, kiosk = stand.phone(1), stand.kiosk()
    live = phone.get("/live?kind=seat&seat=1")
    stream = live.iter_encoded()
    page_of = re.search(rb'"page_of":"([^"]+)"', next(stream))
    assert page_of is not None
    assert "/api/v1/seats/1/let_go" in kiosk.get("/kiosk/table").text
    assert "/api/v1/seats/2/let_go" not in kiosk.get("/kiosk/table").text
    assert let_go(kiosk, 1) == 200
    # Another id than the page's: it loads itself anew. No card comes with it.
    gone = next(stream)
    assert b'"page_of":' in gone
    assert page_of[1] not in re.findall(rb'"page_of":"([^"]+)"', gone)
    assert b'"regions":{}' in gone
    live.close()
    assert kiosk.get("/kiosk/hand/1").status_code == 200


def test_a_seat_that_is_taken_back_while_its_phone_s_stream_begins_shows_it_no_card(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, web = stand.phone(1), stand.app.extensions["smugglers"]
    reserve = web.live.reserve

    def taken_back_meanwhile(who: str) -> bool:
        """Stand for a touchscreen that is faster than the start of the stream: access was checked before."""
        web.phones.let_go(Seat(str(stand.table.snapshot().seating), 1))
        return bool(reserve(who))

    monkeypatch.setattr(web.live, "reserve", taken_back_meanwhile)
    live = phone.get("/live?kind=seat&seat=1")
    sent = iter(live.response)
    assert b'"regions":{}' in next(sent)
    assert next(sent, None) is None, "the stream has ended"
    assert phone.get("/seat/1").status_code == 403


def test_the_tables_page_says_how_another_phone_gets_the_seat_of_a_lost_one(stand: Stand) -> None:
    kiosk = stand.kiosk()
    hint, scan = "Lost a phone", "Scan with your phone"
    assert hint not in kiosk.get("/kiosk/table").text
    stand.phone(0)
    page = kiosk.get("/kiosk/table").text
    assert hint in page
    assert scan in page, "other seats have their codes"
    for seat in range(1, len(there(stand.table.snapshot().setup).players)):
        stand.phone(seat)
    page = kiosk.get("/kiosk/table").text
    assert '<svg class="qr' not in page
    assert scan not in page, "there is nothing to scan"
    assert hint in page


def test_nobody_lets_go_of_a_seat_that_is_not_his(stand: Stand) -> None:
    stand.phone(1)
    assert let_go(stand.phone(0), 1) == 403
    assert let_go(stand.stranger(), 1) == 403
    assert let_go(stand.kiosk(), 9) == 404
    assert stand.kiosk().get("/kiosk/hand/1").status_code == 403


def test_after_a_restart_a_phone_that_comes_back_has_its_hand_again(stand: Stand) -> None:
    phone = stand.phone(3)
    cookie = phone.get_cookie("seat-3", domain="192.0.2.7")
    assert cookie is not None
    stand.app = create_app(stand.table, settings=stand.site, clock=stand.clock)
    again = stand.stranger()
    again.set_cookie("seat-3", cookie.value)
    assert again.get("/seat/3").status_code == 200
    assert stand.kiosk().get("/kiosk/hand/3").status_code == 403


def test_who_plays_again_in_the_same_seats_keeps_the_phone(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    for game in ("first", "second", "third"):
        stand.open(3)
        if game == "first":
            phones = [stand.phone(seat) for seat in range(3)]
        for seat, phone in enumerate(phones):
            assert phone.get(f"/seat/{seat}").status_code == 200, (game, seat)
            assert phone.get(f"/seat/{(seat + 1) % 3}").status_code == 403
            assert phone.get(f"/api/v1/view?seat={seat}").status_code == 200
        stand.play(*({"do": "leave", "seat": seat} for seat in range(2)))
    stand.close()


@pytest.mark.parametrize("names", [("Ben", "Ann"), ("Ann", "Cleo"), ("Ann", "Ben", "Cleo")])
def test_a_game_with_other_players_or_seats_needs_new_scans(tmp_path: Path, names: tuple[str, ...]) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    phone = stand.phone(0)
    stand.do(do="leave", seat=0)
    players = [{"name": name, "putty": putty} for name, putty in zip(names, PUTTY, strict=False)]
    body = {"id": "again", "game": "smugglers", "players": players}
    assert stand.kiosk().post("/api/v1/games", json=body).status_code == 200
    assert phone.get("/seat/0").status_code == 403
    stand.close()


def test_a_rematch_is_still_one_after_a_restart(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    phone = stand.phone(1)
    stand.do(do="leave", seat=0)
    stand.open(2)
    seating = stand.table.snapshot().seating
    stand.table.stop()
    stand.journal.close()
    again = Stand(tmp_path)
    assert again.table.snapshot().seating == seating
    back = again.stranger()
    cookie = phone.get_cookie("seat-1", domain="192.0.2.7")
    assert cookie is not None
    back.set_cookie("seat-1", cookie.value)
    assert back.get("/seat/1").status_code == 200
    again.close()


def test_a_new_game_knows_no_phones_of_the_last(stand: Stand) -> None:
    phone = stand.phone(0)
    assert isinstance(stand.table.close_game("close"), Accepted)
    opened(stand, "open-2")
    assert stand.kiosk().get("/kiosk/hand/0").status_code == 200
    assert phone.get("/seat/0").status_code == 403
    assert "not yours yet" in phone.get("/seat/0").text
    assert stand.stranger().get(stand.join_path(1)).status_code == 302
    assert stand.kiosk().get("/kiosk/hand/0").status_code == 200, "a phone of the new party brings back none"
    assert "not yours yet" in phone.get("/seat/0").text


def test_in_a_game_without_hands_too_touchscreen_and_phone_offer_to_give_a_seat_back(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    assert "let_go" not in stand.kiosk().get("/kiosk/table").text
    phone = stand.phone(0)
    assert "/api/v1/seats/0/let_go" in phone.get("/seat/0").text
    assert "/api/v1/seats/0/let_go" in stand.kiosk().get("/kiosk/table").text
    assert let_go(phone, 0) == 200
    assert "played on the touchscreen now" in phone.get("/seat/0").text
    phone = stand.phone(0)
    assert let_go(stand.kiosk(), 0) == 200
    assert phone.get("/seat/0").status_code == 403
    stand.close()


HANDED = ("customs", "haulers", "prohis")


def asked(stand: Stand, game: str) -> int:
    """Play by the electronic dice and decks until somebody has to choose, and return his seat."""
    rules = the_game(game).rules
    for number in range(40):
        stand.table.step()
        due = next((p for p in rules.expects(stand.table.snapshot().state, None) if not p.optional), None)
        if due is None or due.chance == "must":
            continue
        assert due.seat is not None
        if due.chance == "no":
            return due.seat
        stand.table.draw(due.prompt, f"dice-{number}", due.seat)
    raise AssertionError("nobody is ever asked")


@pytest.mark.parametrize("game", HANDED)
def test_the_hand_of_a_robot_is_on_no_screen_until_a_person_takes_the_seat(tmp_path: Path, game: str) -> None:
    stand = RobotStand(tmp_path)
    opened(stand, "open-1", game)
    turn = asked(stand, game)
    page = stand.kiosk().get("/kiosk").text
    assert "data-hold" not in page
    assert "data-back" not in page
    assert f"A robot plays {NAMES[turn]}." in page
    phone = stand.phone(turn)
    assert "Let a robot play" in phone.get(f"/seat/{turn}").text
    assert f"{NAMES[turn]} {WORDS}" in stand.kiosk().get("/kiosk").text
    assert phone.put(f"/api/v1/seats/{turn}/control", json={"by": "robot"}).status_code == 200
    assert "I play myself" in phone.get(f"/seat/{turn}").text
    assert stand.kiosk().get(f"/kiosk/hand/{turn}").status_code == 403
    stand.close()


@pytest.mark.parametrize("game", ["customs", "haulers"])
def test_the_cards_of_players_mark_whom_a_robot_plays(tmp_path: Path, game: str) -> None:
    stand = RobotStand(tmp_path)
    opened(stand, "open-1", game)
    for path in ("/", "/kiosk"):
        players = len(stand.table.snapshot().state.players)
        assert stand.kiosk().get(path).text.count('class="robot-face"') == players
    stand.phone(0)
    for path in ("/", "/kiosk"):
        assert stand.kiosk().get(path).text.count('class="robot-face"') == players - 1
    stand.close()


@pytest.mark.parametrize("game", HANDED)
def test_a_table_without_robots_has_hands_at_the_touchscreen_and_speaks_of_none(tmp_path: Path, game: str) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", game)
    turn = asked(stand, game)
    assert f'data-hold="/kiosk/hand/{turn}"' in stand.kiosk().get("/kiosk").text
    assert "robot" not in stand.phone(turn).get(f"/seat/{turn}").text
    stand.close()


def test_who_discards_at_the_touchscreen_does_not_wait_for_those_with_phones(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", "haulers")
    first = asked(stand, "haulers")
    stand.phone(first)
    page = stand.kiosk().get("/kiosk").text
    assert f'data-hold="/kiosk/hand/{(first + 1) % 4}"' in page
    stand.close()


def test_the_start_of_haulers_names_who_rolls_on_every_screen(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", "haulers", dice="real")
    rules, seen = the_game("haulers").rules, 0
    for number in range(40):
        stand.table.step()
        due = next((p for p in rules.expects(stand.table.snapshot().state, None) if not p.optional), None)
        if due is None or due.chance == "must":
            continue
        if due.do != "roll":
            break
        seen += 1
        assert due.seat is not None
        for page in (
            stand.kiosk().get("/"),
            stand.kiosk().get("/kiosk"),
            stand.phone((due.seat + 1) % 4).get(f"/seat/{(due.seat + 1) % 4}"),
        ):
            assert f"<h1>{NAMES[due.seat]} rolls" in page.text.replace("<h1>\n", "<h1>")
            assert "Setting the table" not in page.text
        stand.table.draw(due.prompt, f"dice-{number}", due.seat)
    assert seen >= 4
    stand.close()


def test_passing_for_good_asks_for_a_second_tap(stand: Stand) -> None:
    turn = stand.table.snapshot().state.turn
    buttons = re.findall(r"<button[^>]*>", stand.phone(turn).get(f"/seat/{turn}").text)
    sure = [button for button in buttons if "data-prompt" in button and "data-sure" in button]
    assert [re.findall(r'"do": "(\w+)"', button) for button in sure] == [["pass"]]


def test_customs_say_who_declares_and_never_that_the_officer_has_the_cards(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    opened(stand, "open-1", "customs")
    state = stand.table.snapshot().state
    traveller, officer = state.stage.seat, state.officer
    said = {"id": "declare", "action": {"do": "declare", "seat": traveller, "goods": ["wine"]}}
    phone = stand.phone(officer)
    assert stand.phone(traveller).post("/api/v1/actions", json=said).status_code == 200
    for client, path in ((stand.kiosk(), "/kiosk"), (phone, f"/seat/{officer}")):
        page = client.get(path).text
        assert f"<p>{NAMES[traveller]} declares:</p>" in page
        assert WORDS not in page
        assert "data-hold" not in page
    stand.close()
