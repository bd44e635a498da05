"""A roll that all agreed to keep: who is asked, who sees it, and every way in which it goes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.web.pages.test_robots_seats import RobotStand
from tests.web.seen_rolls import roll_seen
from tests.web.stand import NAMES, Stand
from web.site import HostChoices


def keep(client: FlaskClient, number: int, seat: int | None, *, yes: bool = True) -> Any:
    return client.put(f"/api/v1/replays/{number}/kept", json={"seat": seat, "yes": yes})


def is_shown(client: FlaskClient, number: int) -> bool:
    return client.get(f"/replays/{number}/still.jpg").status_code == 200


def end_round(stand: Stand) -> None:
    stand.play(
        {"do": "attempt", "seat": 0, "outcome": "stuck"},
        {"do": "decline", "seat": 0},
        {"do": "attempt", "seat": 1, "outcome": "stuck"},
        {"do": "decline", "seat": 1},
    )


@pytest.fixture
def kept(at_the_track: Stand) -> tuple[Stand, int]:
    """A roll that both keep, one at the touchscreen and one on a phone; the round is over."""
    number = roll_seen(at_the_track)
    phone = at_the_track.phone(1)
    assert keep(at_the_track.kiosk(), number, 0).status_code == 200
    assert keep(phone, number, 1).status_code == 200
    end_round(at_the_track)
    return at_the_track, number


def test_without_everybodys_yes_it_goes_with_the_round(at_the_track: Stand) -> None:
    stand = at_the_track
    number, phone = roll_seen(stand), stand.phone(1)
    assert keep(phone, number, 1).status_code == 200
    assert "for your party," not in phone.get("/seat/1").text, "who has agreed is asked no more"
    page = stand.kiosk().get("/kiosk").text
    assert "for your party," in page
    assert "Ann agrees" in page
    assert "Ben agrees" not in page
    end_round(stand)
    assert not is_shown(stand.kiosk(), number)
    assert "for your party," not in stand.kiosk().get("/kiosk").text
    assert keep(stand.kiosk(), number, 0).status_code == 404


def test_with_it_the_pictures_alone_stay_for_those_who_agreed(kept: tuple[Stand, int]) -> None:
    stand, number = kept
    for client in (stand.kiosk(), stand.phone(0), stand.phone(1)):
        told = client.get(f"/replays/{number}").get_json()
        assert told["moments"] == []
        assert sum(told["lengths"]) == len(client.get(f"/replays/{number}/pictures").data) > 0
        assert f'data-replay="{number}"' in client.get("/kept").text
    assert stand.stranger().get(f"/replays/{number}/pictures").status_code == 403
    assert stand.stranger().get("/kept").status_code == 403
    assert f'data-replay="{number}"' not in stand.stranger().get("/wall").text


def test_a_seat_on_a_phone_agrees_there_alone_and_nobody_for_another(at_the_track: Stand) -> None:
    stand = at_the_track
    number, phone = roll_seen(stand), stand.phone(1)
    refused = keep(stand.kiosk(), number, 1)
    assert (refused.status_code, refused.json["code"]) == (403, "agrees_by_phone")
    assert keep(phone, number, 0).status_code == 403
    assert keep(phone, number, None).status_code == 403
    assert keep(stand.stranger(), number, 0).status_code == 403
    assert keep(stand.kiosk(), number, 7).status_code == 404
    assert keep(stand.kiosk(), number + 1, 0).status_code == 404
    assert keep(stand.kiosk(), number, None).status_code == 200, "the touchscreen may ask for all"
    assert "for your party," in phone.get("/seat/1").text


def test_the_wall_is_not_told_what_the_party_decided(at_the_track: Stand) -> None:
    stand = at_the_track
    number, phone = roll_seen(stand), stand.phone(1)
    undecided = stand.stranger().get("/wall").text
    keep(phone, number, 1, yes=True)
    assert f'data-decided="{number}"' in phone.get("/seat/1").text
    for yes in (True, False):
        keep(phone, number, 1, yes=yes)
        sign = re.findall("<i data-replays=.*?>", stand.stranger().get("/wall").text)
        assert sign == re.findall("<i data-replays=.*?>", undecided)
        assert len(sign) == 1


def test_robots_are_not_asked(tmp_path: Path) -> None:
    stand = RobotStand(tmp_path)
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    number, phone = roll_seen(stand), stand.phone(1)
    assert stand.by[1] == "person", "who joins plays"
    assert keep(phone, number, 1).status_code == 200
    assert f'data-replay="{number}"' in phone.get("/kept").text
    assert "Still to agree" not in phone.get("/kept").text
    stand.close()


def test_a_no_ends_the_question_for_good(at_the_track: Stand) -> None:
    stand = at_the_track
    number, phone = roll_seen(stand), stand.phone(1)
    keep(stand.kiosk(), number, 0)
    assert keep(phone, number, 1, yes=False).status_code == 200
    again = keep(stand.kiosk(), number, 0)
    assert (again.status_code, again.json["code"]) == (409, "replay_refused")
    assert again.json["message"] == "Somebody said no: this roll is not kept."
    assert NAMES[1] not in again.json["message"]
    keep(phone, number, 1)
    end_round(stand)
    assert not is_shown(phone, number)


@pytest.mark.parametrize("whoever", ["one who agreed", "the touchscreen", "the host, who shows no picture any more"])
def test_it_goes_at_once_with_the_first_no(kept: tuple[Stand, int], whoever: str) -> None:
    stand, number = kept
    if whoever == "one who agreed":
        assert keep(stand.phone(1), number, 1, yes=False).status_code == 200
    elif whoever == "the touchscreen":
        assert keep(stand.kiosk(), number, None, yes=False).status_code == 200
    else:
        stand.app.extensions["smugglers"].host.change(HostChoices(live_picture=False))
        stand.kiosk().get("/kept")
        stand.app.extensions["smugglers"].host.change(HostChoices(live_picture=True))
    for client in (stand.kiosk(), stand.phone(0), stand.phone(1)):
        assert client.get(f"/replays/{number}").status_code == 404
        assert "No roll is kept." in client.get("/kept").text


def test_it_stays_through_a_rematch_and_goes_when_others_sit_down(kept: tuple[Stand, int]) -> None:
    stand, number = kept
    # Both leave nothing to play for: the last one at the table ends the game.
    stand.do(do="leave", seat=1)
    page = stand.kiosk().get("/after").text
    assert f'data-replay="{number}"' in page
    assert f'data-replay="{number}"' not in stand.stranger().get("/after").text
    stand.open(2)
    assert is_shown(stand.phone(1), number), "the same people in the same seats"
    stand.table.close_game("close-1")
    assert not is_shown(stand.kiosk(), number)
    stand.open(2)
    assert not is_shown(stand.kiosk(), number)


def test_a_yes_lasts_through_a_pause(at_the_track: Stand) -> None:
    stand = at_the_track
    number, phone = roll_seen(stand), stand.phone(1)
    keep(stand.kiosk(), number, 0)
    for what in ("pause", "resume"):
        assert stand.kiosk().post(f"/api/v1/games/{what}", json={"id": what}).status_code == 200
        for client, path in ((stand.kiosk(), "/kiosk"), (phone, "/seat/1"), (stand.stranger(), "/wall")):
            assert client.get(path).status_code == 200
    assert "for your party," in phone.get("/seat/1").text
    assert keep(phone, number, 1).status_code == 200
    assert f'data-replay="{number}"' in phone.get("/kept").text


def test_a_roll_without_pictures_cannot_be_kept(at_the_track: Stand) -> None:
    number = roll_seen(at_the_track, camera=False)
    assert keep(at_the_track.kiosk(), number, 0).status_code == 404
    assert "data-replay-keep hidden" in at_the_track.kiosk().get("/kiosk").text


def test_nothing_of_a_kept_roll_lies_on_the_disk(kept: tuple[Stand, int], tmp_path: Path) -> None:
    stand, number = kept
    picture = stand.kiosk().get(f"/replays/{number}/still.jpg").data[-80:]
    assert picture
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or picture not in file.read_bytes(), file


@pytest.mark.parametrize(("language", "said"), [("en", "until you stop playing together"), ("de", "Behaltene Würfe")])
def test_the_privacy_card_says_so(stand: Stand, language: str, said: str) -> None:
    assert said in stand.stranger().get("/privacy", headers={"Accept-Language": language}).text


def test_who_gives_their_seat_to_a_robot_is_still_asked_and_may_still_say_no(tmp_path: Path) -> None:
    stand = RobotStand(tmp_path)
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    first, second = stand.phone(0), stand.phone(1)
    number = roll_seen(stand)
    assert keep(second, number, 1).status_code == 200
    assert first.put("/api/v1/seats/0/control", json={"by": "robot"}).status_code == 200
    assert first.post("/api/v1/seats/0/let_go", json={"id": "off"}).status_code == 200
    assert "Still to agree" in second.get("/kept").text
    assert "Ann agrees" in stand.kiosk().get("/kiosk").text, "who sat there, or the table for them"
    assert keep(first, number, 0).status_code == 403
    assert keep(stand.stranger(), number, 0, yes=False).status_code == 403
    assert keep(first, number, 0, yes=False).status_code == 200
    assert keep(second, number, 1).json["code"] == "replay_refused"
    stand.close()
