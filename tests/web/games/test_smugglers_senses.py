"""What Smugglers' pages say of the senses: which are there, who answers instead, and who acts at a simulated table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import ManualClock
from hardware.readings import SENSES, DeviceHealth, DieSettled
from tests.markup import text_of
from tests.narrowed import of_kind
from tests.web.games.test_smugglers_pages import PASSED
from tests.web.pages.test_robots_seats import RobotStand
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand


def sense(stand: Stand, **status: Any) -> None:
    for device in SENSES:
        if (said := status.get(device)) is not None:
            stand.table.sense(DeviceHealth(t_s=0.0, device=device, status=said, code=f"{device}_{said}"))
    stand.table.step()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({}, "By hand: no sensors"),
        ({"camera": "absent", "beams": "faulty", "scale": "absent"}, "By hand: no sensors"),
        ({"camera": "ok", "beams": "ok", "scale": "absent"}, "Camera and beams live, no scale"),
        ({"scale": "ok"}, "Scale live, no camera, no beams"),
        ({"camera": "ok", "beams": "ok", "scale": "ok"}, "Live sensors"),
    ],
)
def test_every_page_tells_which_senses_are_there(real_stand: Stand, status: dict[str, str], said: str) -> None:
    sense(real_stand, **status)
    client = real_stand.app.test_client()
    lobby = [text_of(client.get(path).text) for path in ("/", "/kiosk")]
    real_stand.open(2)
    pages_of_game = [text_of(client.get(path).text) for path in ("/", "/kiosk")]
    for page in (*lobby, *pages_of_game):
        assert said in page
        assert said == "Live sensors" or "Live sensors" not in page


@pytest.mark.parametrize("camera", ["ok", "absent"])
def test_practice_promises_only_what_a_sensor_can_tell(stand: Stand, camera: str) -> None:
    sense(stand, camera=camera, beams="absent")
    kiosk = stand.kiosk()
    kiosk.put("/api/v1/practice", json={"on": True})
    lobby = text_of(kiosk.get("/kiosk").text)
    stand.open(2)
    kiosk.put("/api/v1/practice", json={"on": True})
    for page in (lobby, text_of(kiosk.get("/").text), text_of(kiosk.get("/kiosk").text)):
        assert ("passed or stuck" in page) == (camera == "ok")
        assert ("No sensor sees the track" in page) == (camera != "ok")


def test_a_die_that_differs_from_an_undone_draw_is_not_taken_and_the_screens_say_what_to_do(stand: Stand) -> None:
    stand.open(2)
    sense(stand, camera="ok")
    kiosk, said = stand.kiosk(), "let the table throw or draw it again"
    draw = {"id": "draw", "prompt": "r1.roll.seat0"}
    assert kiosk.post("/api/v1/chance", json=draw).status_code == 200
    drawn = stand.table.snapshot().correctable[0].action["value"]
    assert kiosk.post("/api/v1/undo", json={"id": "undo"}).status_code == 200

    def die_settles(value: int) -> None:
        stand.table.sense(DieSettled(t_s=stand.clock.now_s(), value=value, confidence=1.0))
        stand.table.step()

    die_settles(drawn % 6 + 1)
    assert stand.table.snapshot().pending is None
    for path in ("/wall", "/kiosk"):
        assert said in text_of(kiosk.get(path).text), path
    die_settles(drawn)
    pending = stand.table.snapshot().pending
    assert pending is not None
    assert pending.action["value"] == drawn
    assert kiosk.post("/api/v1/chance", json=draw | {"id": "draw-again"}).status_code == 200
    assert said not in text_of(kiosk.get("/wall").text)


@pytest.mark.parametrize("seat", range(3))
def test_without_a_scale_phones_say_who_ranks_and_it_is_nobodys_turn(stand: Stand, seat: int) -> None:
    sense(stand, scale="absent")
    stand.open(3)
    stand.play(*PASSED)
    page = text_of(stand.phone(seat).get(f"/seat/{seat}").text)
    assert "The touchscreen ranks the spheres" in page
    assert "Your turn" not in page
    assert "scale:" not in page.lower().replace("no scale", "")


def ranks(page: str) -> list[str]:
    sent = [json.loads(one) for one in re.findall(r"data-send='(\{[^']*\})'", page)]
    return [one["name"] for one in sent if str(one.get("name", "")).startswith("rank.")]


def press(stand: Stand, name: str) -> None:
    answer = stand.kiosk().post("/api/v1/commands", json={"id": f"press-{name}", "name": name})
    assert answer.status_code == 200, answer.text
    stand.table.step()


def test_the_touchscreen_asks_only_for_the_armchairs(stand: Stand) -> None:
    sense(stand, scale="absent")
    stand.open(3)
    stand.play(*PASSED)
    assert ranks(stand.kiosk().get("/kiosk").text) == ["rank.0", "rank.1", "rank.2"]
    press(stand, "rank.1")
    page = stand.kiosk().get("/kiosk").text
    assert ranks(page) == ["rank.0", "rank.2", "rank.0.2"]
    assert "Both are equally heavy" in page
    press(stand, "rank.2")
    chairs = [(player.room, player.place) for player in stand.table.snapshot().state.players]
    assert chairs == [("junk", None), ("office", 1), ("office", 2)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_compared_on_a_balance_is_never_called_to_the_scale(stand: Stand, language: str) -> None:
    sense(stand, scale="absent")
    stand.open(3)
    stand.play(*PASSED)
    client = stand.kiosk()
    client.set_cookie("language", language)
    for path in ("/", "/kiosk"):
        page = text_of(client.get(path).text)
        assert "To the scale" not in page
        assert "Auf die Waage" not in page


@pytest.mark.parametrize(("seat", "said"), [(0, "You turn the hourglass"), (1, "Ann turns the hourglass")])
def test_phones_say_who_turns_the_hourglass_and_where(stand: Stand, seat: int, said: str) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    phone = stand.phone(seat)
    assert f"{said}: with a tap on the touchscreen." in phone.get(f"/seat/{seat}").text
    stand.kiosk().post("/api/v1/commands", json={"id": "turn", "name": "turn_hourglass"})
    assert "turns the hourglass" not in phone.get(f"/seat/{seat}").text
    assert "You turn the hourglass" not in phone.get(f"/seat/{seat}").text


def test_a_person_at_the_simulated_table_may_have_the_sphere_rolled(tmp_path: Path) -> None:
    lent: list[int] = []
    stand = RobotStand(tmp_path)
    stand.app.extensions["smugglers"].seat_control.lend_hands = lent.append
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    roll_it = "Roll the simulated sphere"
    assert roll_it not in stand.kiosk().get("/kiosk").text, "a robot rolls by itself"
    phone = stand.phone(0)
    assert roll_it in phone.get("/seat/0").text
    kiosk = stand.kiosk().get("/kiosk").text
    assert roll_it in kiosk
    assert "a tap decides" in kiosk
    assert phone.post("/api/v1/seats/0/hands", json={"id": "roll-it"}).status_code == 200
    assert phone.post("/api/v1/seats/1/hands", json={"id": "roll-it"}).status_code == 403
    assert lent == [0]
    stand.close()


def test_a_real_table_rolls_nothing(stand: Stand) -> None:
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    phone = stand.phone(0)
    assert "simulated sphere" not in phone.get("/seat/0").text
    assert phone.post("/api/v1/seats/0/hands", json={"id": "roll-it"}).status_code == 404


@pytest.mark.parametrize(
    ("camera", "said"), [("ok", "A tap here decides, too."), ("absent", "tap (it )?here|Tap (it )?here|choose here")]
)
def test_the_touchscreen_says_that_any_sensor_may_be_a_tap(stand: Stand, camera: str, said: str) -> None:
    sense(stand, camera=camera, scale="ok")
    stand.open(4)
    story = [*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), INSPECTIONS[0]]
    sensed = {"roll", "attempt", "weigh", "open"}
    met = set()
    for action in story:
        do = action["do"]
        page = text_of(stand.kiosk().get("/kiosk").text)
        if do in sensed - {"weigh"}:
            assert re.search(said, page), action
        elif do == "weigh":
            assert "Compare them on a balance" in page
        met.add(do)
        stand.do(**action)
    assert re.search(said, text_of(stand.kiosk().get("/kiosk").text))
    assert met >= {"roll", "attempt", "weigh"}


TURNED_S = 1_800_000_000.0


def restarted(folder: Path, later_s: float) -> Stand:
    """A table that was switched off as soon as the hourglass was turned, and is on again by a clock `later_s` on."""
    stand = Stand(folder, wall=lambda: TURNED_S)
    stand.open(2)
    stand.do(do="roll", seat=0, value=2)
    stand.table.command("turn_hourglass", "turn")
    stand.table.step()
    stand.close()
    again = Stand(folder, wall=lambda: TURNED_S + later_s)
    of_kind(ManualClock, again.clock).advance_to(again.clock.now_s() + 0.25)  # its referee has had a first tick
    again.table.step()
    return again


ASKED = {"en": "Has the hourglass run out?", "de": "Ist die Sanduhr abgelaufen?"}


@pytest.mark.parametrize("language", ASKED)
@pytest.mark.parametrize("answer", ["over", "turned"])
def test_people_say_whether_an_hourglass_is_over_that_only_a_wild_clock_has_ended_ap_6(
    tmp_path: Path, language: str, answer: str
) -> None:
    stand = restarted(tmp_path, 30 * 86_400.0)
    assert stand.table.snapshot().state.phase == "sculpt"
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = kiosk.get("/kiosk").text
    assert ASKED[language] in text_of(page)
    assert "turn_hourglass" in page
    if answer == "turned":
        assert kiosk.post("/api/v1/commands", json={"id": "again", "name": "turn_hourglass"}).status_code == 200
        timer = stand.table.snapshot().timers["hourglass"]
        assert timer.ends_s - stand.clock.now_s() == 40.0, "a whole hourglass (SM-22)"
    else:
        assert kiosk.post("/api/v1/actions", json={"id": "over", "action": {"do": "time_up"}}).status_code == 200
        assert stand.table.snapshot().state.phase == "test"
    assert ASKED[language] not in text_of(kiosk.get("/kiosk").text)
    stand.close()


def test_an_hourglass_that_ended_during_a_short_power_cut_is_over(tmp_path: Path) -> None:
    stand = restarted(tmp_path, 90.0)
    assert stand.table.snapshot().state.phase == "test"
    stand.close()
