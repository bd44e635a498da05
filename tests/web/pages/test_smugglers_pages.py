"""What Smugglers' pages say: to whom, of whom, by which rule, and which senses are there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from appliance.games.smugglers import pages
from appliance.games.smugglers.rules.options import RANGES
from hardware.readings import DeviceHealth
from tests.web.pages.test_robots_seats import RobotStand
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import NAMES, Stand
from web.app import create_app

PASSED = [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3))]
BAND = {"do": "weigh", "mass_g": 20.0}


def sense(stand: Stand, **status: Any) -> None:
    for device, said in status.items():
        stand.table.sense(DeviceHealth(t_s=0.0, device=device, status=said, code=f"{device}_{said}"))
    stand.table.step()


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def on_real_table(stand: Stand) -> Any:
    return create_app(stand.table, settings=stand.site, clock=stand.clock, hardware_name="pi").test_client()


# -- whom a page speaks to


def story_of_a_round() -> list[dict[str, Any]]:
    return [*opening({1: "bomb"}), *ranking({0: 20.0, 2: 30.0, 3: 20.0})]


def test_a_phone_speaks_to_its_owner_and_never_of_them(stand: Stand) -> None:
    stand.open(4)
    phones = {seat: stand.phone(seat) for seat in range(4)}
    story = [*story_of_a_round(), {"do": "tie_roll", "seat": 0, "value": 5}, {"do": "tie_roll", "seat": 3, "value": 2}]
    for action in (None, *story, *INSPECTIONS):
        if action is not None:
            stand.do(**action)
        for seat, phone in phones.items():
            body = phone.get(f"/seat/{seat}").text.partition("</header>")[2]
            headings = re.findall(r"<h1>\s*(.*?)\s*</h1>", body)
            assert not [line for line in headings if NAMES[seat] in line], (action, headings)
            latest = re.findall(r'<p class="latest">(.*?)</p>', body, re.DOTALL)
            told = [line for line in latest if NAMES[seat] in line and line.count(",") == 0]
            assert told == [], (action, told)


@pytest.mark.parametrize(
    ("language", "yours", "theirs"),
    [("en", "You throw the die", "Ann throws the die"), ("de", "Du würfelst", "Ann würfelt")],
)
def test_the_same_heading_is_yours_on_your_phone_and_somebodys_elsewhere(
    stand: Stand, language: str, yours: str, theirs: str
) -> None:
    stand.open(2)
    own, other = stand.phone(0), stand.phone(1)
    for client, path, heading in ((own, "/seat/0", yours), (other, "/seat/1", theirs), (stand.kiosk(), "/", theirs)):
        client.set_cookie("language", language)
        assert heading in re.findall(r"<h1>\s*(.*?)\s*</h1>", client.get(path).text)


def test_what_is_done_to_you_is_told_to_you(stand: Stand) -> None:
    stand.open(4)
    stand.play(
        *story_of_a_round(), {"do": "tie_roll", "seat": 0, "value": 5}, {"do": "tie_roll", "seat": 3, "value": 2}
    )
    stand.do(**INSPECTIONS[0])
    assert "Cleo inspects you and says: sweet!" in stand.phone(1).get("/seat/1").text
    assert "You inspect Ben and say: sweet!" in stand.phone(2).get("/seat/2").text
    assert "Cleo inspects Ben and says: sweet!" in stand.phone(3).get("/seat/3").text


def test_a_refusal_speaks_to_who_tapped(stand: Stand) -> None:
    stand.open(2)
    early = {"do": "open", "seat": 0, "found": ["sweet"]}
    answer = stand.phone(0).post("/api/v1/actions", json={"id": "early", "action": early})
    assert answer.get_json()["message"] == "Not now: you have to roll the die."


# -- ties


@pytest.mark.parametrize("thrown", [0, 1])
def test_a_tie_names_all_who_are_equal_on_every_screen(stand: Stand, thrown: int) -> None:
    stand.open(3)
    stand.play(*PASSED, *({**BAND, "seat": seat} for seat in range(2)), {"do": "weigh", "seat": 2, "mass_g": 30.0})
    if thrown:
        stand.do(do="tie_roll", seat=0, value=3)
    for path in ("/", "/kiosk"):
        assert "Equally heavy: Ann, Ben." in stand.kiosk().get(path).text
    assert "Equally heavy: you, Ben." in stand.phone(0).get("/seat/0").text
    assert "Equally heavy: Ann, Ben." in stand.phone(2).get("/seat/2").text


# -- how it ended


@pytest.mark.parametrize(("goal", "rule"), [("full", "SM-95"), ("short", "SM-98")])
def test_the_panel_names_the_one_rule_that_ended_the_game(stand: Stand, goal: str, rule: str) -> None:
    stand.open(2, goal=goal)
    while stand.table.snapshot().state.phase != "over":
        start = stand.table.snapshot().state.start
        stand.play({"do": "roll", "seat": start, "value": 1}, {"do": "time_up"})
        for seat in (start, 1 - start):
            stand.do(do="attempt", seat=seat, outcome="passed") if seat == 0 else stand.do(do="decline", seat=1)
        stand.do(do="inspect", seat=0, target=1, guess="sweet")
        stand.do(do="open", seat=1, found=["sweet"])
        if stand.table.snapshot().state.phase != "over":
            stand.do(do="open", seat=0, found=["sweet"])
    assert [line.happening.rule for line in stand.table.snapshot().log if line.happening.code == "game_won"] == [rule]
    for path, names in (("/", set()), ("/kiosk", {rule})):  # nobody taps a rule on the wall
        page = stand.kiosk().get(path).text
        assert set(re.findall(r'href="/rules#(SM-9[58])"', page)) == names
    late = stand.kiosk().post("/api/v1/actions", json={"id": "late", "action": {"do": "leave", "seat": 0}})
    assert late.get_json()["rule"] == rule


# -- the start player's marker


def test_who_starts_is_marked_by_nothing_that_can_be_read_as_a_die(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    for path in ("/", "/kiosk"):
        players = stand.kiosk().get(path).text.partition('id="region-players"')[2]
        assert "pips" not in players
        assert players.count("Starting player") >= 1


# -- which senses are there


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
def test_every_page_tells_which_senses_are_there(stand: Stand, status: dict[str, str], said: str) -> None:
    sense(stand, **status)
    client = on_real_table(stand)
    lobby = [text_of(client.get(path).text) for path in ("/", "/kiosk")]
    stand.open(2)
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


# -- without a scale


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


# -- opening a sphere


@pytest.mark.parametrize("language", ["en", "de"])
def test_nothing_inside_is_a_step_of_its_own_and_asks_twice(stand: Stand, language: str) -> None:
    stand.open(4)
    stand.play(*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), INSPECTIONS[0])
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = kiosk.get("/kiosk").text
    first, _, unfolded = page.partition("<details")
    assert '"found": []' not in first.replace('\'{"do": "open", "seat": 1}\'', "")
    assert re.search(r'<button type="submit" class="tap confirm" disabled>', first)
    empty = re.search(r"<button[^>]*\"found\": ?\[\][^>]*>", unfolded)
    assert empty is not None
    assert "data-sure=" in empty.group(0)
    assert "confirm" not in empty.group(0)


# -- house rules


def test_every_house_rule_that_is_offered_can_be_played() -> None:
    for option, values in pages.HOUSE_RULES.items():
        assert getattr(pages.STANDARD, option) in values
        if option in RANGES:
            least, most = RANGES[option]
            assert all(least <= value <= most for value in values)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_set_up_page_offers_every_house_rule(stand: Stand, language: str) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = kiosk.get("/kiosk/setup/smugglers").text
    for option, values in pages.HOUSE_RULES.items():
        offered = re.findall(rf'data-option="{option}"[^>]* value="([^"]+)"( checked)?', page)
        assert [value for value, _ in offered] == [str(value) for value in values]
        assert [value for value, chosen in offered if chosen] == [
            str(values[values.index(getattr(pages.STANDARD, option))])
        ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tie_band_g": 11}, "“equally heavy up to a difference of so many grams” must be from 0 to 10"),
        ({"pass_limit_s": 2}, "must be from 3 to 10"),
        ({"illegal_sack": "piece"}, "With four players no piece is left in the box"),
    ],
)
def test_a_house_rule_that_cannot_be_played_is_refused_with_a_sentence(
    stand: Stand, options: dict[str, Any], said: str
) -> None:
    players = [
        {"name": name, "putty": putty} for name, putty in zip(NAMES, ("yellow", "pink", "green", "orange"), strict=True)
    ]
    body = {"id": "house", "game": "smugglers", "players": players, "options": options}
    answer = stand.kiosk().post("/api/v1/games?game=smugglers", json=body)
    assert answer.status_code == 409
    assert said in answer.get_json()["message"]


def test_the_verdicts_are_explained_where_they_are_chosen_and_in_the_rules(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}))
    page = stand.kiosk().get("/kiosk").text
    for said in ("wrong hole, over the fence or off the track", "by the player", "by somebody else"):
        assert f"<small>{said}" in page
    rules = text_of(stand.kiosk().get("/rules?game=smugglers").text)
    for said in ("Astray", "Touched", "Disturbed", "Somebody else disturbs it"):
        assert said in rules


def asked(page: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page.partition('id="region-scene"')[2] or page, re.DOTALL)
    return "" if found is None else text_of(found.group(1)).strip()


@pytest.mark.parametrize("outcome", ["short", "astray", "disturbed"])
def test_a_roll_that_does_not_count_changes_what_is_asked(stand: Stand, outcome: str) -> None:
    stand.open(2)
    stand.play(*opening({}))
    screens = [(stand.kiosk(), "/kiosk"), (stand.kiosk(), "/"), (stand.phone(0), "/seat/0")]
    assert not any("again" in asked(client.get(path).text) for client, path in screens)
    stand.do(do="attempt", seat=0, outcome=outcome)
    assert all("again" in asked(client.get(path).text) for client, path in screens)
    stand.do(do="attempt", seat=0, outcome="passed")
    assert not any("again" in asked(client.get(path).text) for client, path in screens)


def test_the_second_of_equals_reads_at_the_touchscreen_what_is_to_beat(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in (0, 1)))
    stand.play(*({"do": "weigh", "seat": seat, "mass_g": 20.0} for seat in (0, 1)))
    told = '<p class="remark">Ann rolls a 3 for the tie.</p>'
    assert told not in stand.kiosk().get("/kiosk").text
    stand.do(do="tie_roll", seat=0, value=3)
    assert told in stand.kiosk().get("/kiosk").text


def test_whoever_does_not_roll_reads_where_the_sphere_goes(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}))
    for client, path in ((stand.kiosk(), "/kiosk"), (stand.phone(0), "/seat/0")):
        assert "<small>to the junk room</small>" in client.get(path).text


def test_the_phone_of_somebody_who_left_says_so(stand: Stand) -> None:
    stand.open(3)
    phone = stand.phone(2)
    stand.do(do="leave", seat=2)
    assert "You have left the game." in phone.get("/seat/2").text
    assert "You have left the game." not in stand.phone(1).get("/seat/1").text


# -- the demo


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
