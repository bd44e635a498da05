"""Seats that robots play, as a person takes them over with a phone and gives them back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.catalogue import the_game
from tests.web.stand import Stand
from web.app import create_app
from web.context import SeatControl


class RobotStand(Stand):
    """A stand whose seats all begin as robots."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.by = dict.fromkeys(range(4), "robot")
        control = SeatControl(self.by.__getitem__, self.by.__setitem__)
        self.app = create_app(
            self.table,
            settings=self.site,
            clock=self.clock,
            seat_control=control,
            rolls=self.rolls,
        )


@pytest.fixture
def robots(tmp_path: Path) -> Iterator[RobotStand]:
    stand = RobotStand(tmp_path)
    stand.open(2)
    yield stand
    stand.close()


def test_who_joins_by_phone_plays_instead_of_the_robot(robots: RobotStand) -> None:
    phone = robots.phone(1)
    assert robots.by == {0: "robot", 1: "person", 2: "robot", 3: "robot"}
    assert "Let a robot play" in phone.get("/seat/1").text


def test_seats_are_not_all_on_phones_while_a_robot_plays_one(robots: RobotStand) -> None:
    web = robots.app.extensions["smugglers"]
    web.host.change(type(web.host.choices)(join_codes_on_wall=False))
    robots.phone(1)
    page = robots.stranger().get("/seats").text
    assert "A robot plays" in page
    assert "Every seat already plays on a phone" not in page
    assert "scan your seat’s code" in page


def test_a_phone_gives_its_seat_back_and_takes_it_again_with_a_tap(robots: RobotStand) -> None:
    phone = robots.phone(0)
    assert phone.put("/api/v1/seats/0/control", json={"by": "robot"}).status_code == 200
    assert robots.by[0] == "robot"
    assert "I play myself" in phone.get("/seat/0").text
    robots.play({"do": "roll", "seat": 0, "value": 3})
    seal = {"id": "tap-1", "action": {"do": "commit", "seat": 0, "seal": "0" * 64}}
    assert phone.post("/api/v1/actions", json=seal).status_code == 200
    assert robots.by[0] == "person"


def test_nobody_hands_over_a_seat_that_is_not_his(robots: RobotStand) -> None:
    phone = robots.phone(0)
    assert phone.put("/api/v1/seats/1/control", json={"by": "person"}).status_code == 403
    assert robots.by[1] == "robot"


def test_a_table_without_robots_offers_none(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    page = stand.phone(1).get("/seat/1").text
    assert "robot" not in page
    stand.close()


def test_a_phone_whose_game_was_put_away_is_told_so(robots: RobotStand) -> None:
    phone = robots.phone(0)
    robots.kiosk().post("/api/v1/games/close", json={"id": "away"})
    page = phone.get("/seat/0").text
    assert "The game is over and put away." in page
    assert "not yours" not in page, "the largest line says the same"


def test_wall_and_touchscreen_tell_which_seats_are_robots_and_where_to_take_one(robots: RobotStand) -> None:
    wall, kiosk = robots.kiosk().get("/").text, robots.kiosk().get("/kiosk").text
    assert wall.count('class="robot"') == 2
    assert kiosk.count('href="/kiosk/table"><span aria-hidden') == 2
    robots.phone(1)
    assert robots.kiosk().get("/").text.count('class="robot"') == 1
    assert "A robot plays Ann: take the seat" in robots.kiosk().get("/kiosk").text
    assert "A robot plays Ben" not in robots.kiosk().get("/kiosk").text
    assert "Robots play the seats that nobody took" in robots.kiosk().get("/kiosk/table").text


def test_the_wall_offers_the_seats_of_robots_in_every_round(robots: RobotStand, tmp_path: Path) -> None:
    robots.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    robots.play(*({"do": "decline", "seat": seat} for seat in (0, 1)))
    while robots.table.snapshot().state.round == 1:
        state = robots.table.snapshot().state
        prompt = next(p for p in the_game("smugglers").rules.expects(state, None) if not p.optional)
        robots.do(do=prompt.do, seat=prompt.seat, **({"found": []} if prompt.do == "open" else {}))
    assert 'class="joining"' in robots.kiosk().get("/").text
    for seat in (0, 1):
        robots.phone(seat)
    assert 'class="joining"' not in robots.kiosk().get("/").text


def test_who_throws_the_electronic_die_by_phone_plays_the_seat(robots: RobotStand) -> None:
    phone = robots.phone(0)
    phone.put("/api/v1/seats/0/control", json={"by": "robot"})
    prompt = the_game("smugglers").rules.expects(robots.table.snapshot().state, 0)[0].prompt
    assert phone.post("/api/v1/chance", json={"id": "die-1", "prompt": prompt, "seat": 0}).status_code == 200
    assert robots.by[0] == "person"


def test_a_robots_seat_is_not_said_to_play_at_the_touchscreen_when_no_code_is_on_the_wall(robots: RobotStand) -> None:
    web = robots.app.extensions["smugglers"]
    web.host.change(type(web.host.choices)(join_codes_on_wall=False))
    robots.by[1] = "person"
    page = robots.stranger().get("/seats").text
    ann, ben = (page[page.index(f'id="place-{seat}"') :].partition("</li>")[0] for seat in (0, 1))
    assert "A robot plays" in ann
    assert "touchscreen" not in ann
    assert "Plays at the touchscreen" in ben
