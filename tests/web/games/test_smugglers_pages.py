"""What Smugglers' pages say: to whom, of whom and by which rule."""

from __future__ import annotations

import re
from typing import Any

import pytest

from appliance.games.smugglers.rules.actions import TieRoll
from appliance.snapshot import Accepted
from tests.markup import text_of
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import NAMES, Stand

PASSED = [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3))]
BAND = {"do": "weigh", "mass_g": 20.0}


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


def test_who_starts_is_marked_by_nothing_that_can_be_read_as_a_die(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    for path in ("/", "/kiosk"):
        players = stand.kiosk().get(path).text.partition('id="region-players"')[2]
        assert "pips" not in players
        assert players.count("Starting player") >= 1


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


@pytest.mark.parametrize(("language", "said"), [("en", "the highest roll of the die"), ("de", "der höchste Wurf")])
def test_the_rules_say_who_starts_where_no_one_is_the_oldest_sm_12(stand: Stand, language: str, said: str) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    assert said in text_of(kiosk.get("/rules?game=smugglers").text)


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


def known(page: str) -> str:
    """Return what a page tells under the headline, beside what is asked."""
    return " ".join(
        text_of(one).strip() for one in re.findall(r'<p class="remark known[^"]*">(.*?)</p>', page, re.DOTALL)
    )


def equals(stand: Stand, players: int) -> None:
    seats = range(players)
    stand.open(players)
    stand.play(*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in seats))
    stand.play(*({"do": "weigh", "seat": seat, "mass_g": 20.0} for seat in seats))


def test_whoever_rolls_for_a_tie_reads_on_every_screen_what_the_number_means_and_what_is_to_beat(stand: Stand) -> None:
    equals(stand, 2)
    screens = [(stand.kiosk(), "/kiosk"), (stand.kiosk(), "/"), (stand.phone(1), "/seat/1")]
    for client, path in screens:
        assert known(client.get(path).text) == (
            "Each rolls once for their own sphere. The higher number counts as the heavier one."
        )
    stand.do(do="tie_roll", seat=0, value=3)
    for client, path in screens:
        assert known(client.get(path).text) == (
            "Ann rolls a 3 for the tie. The higher number counts as the heavier sphere. Equals roll again."
        )
    assert known(stand.phone(0).get("/seat/0").text).startswith("You roll a 3 for the tie.")


def test_the_third_of_equals_reads_both_numbers_and_after_a_second_tie_none_of_the_first(stand: Stand) -> None:
    equals(stand, 3)
    for seat in (0, 1):
        stand.do(do="tie_roll", seat=seat, value=3)
    phone = stand.phone(2)
    assert known(phone.get("/seat/2").text).startswith("Ann rolls a 3 for the tie. Ben rolls a 3 for the tie.")
    stand.do(do="tie_roll", seat=2, value=3)
    assert known(phone.get("/seat/2").text).startswith("Each rolls once")


def test_a_corrected_roll_for_a_tie_is_told_once_and_one_that_was_taken_back_is_nothing_to_beat(stand: Stand) -> None:
    equals(stand, 2)
    stand.do(do="tie_roll", seat=0, value=3)
    rolled = stand.table.snapshot().journal_seq
    assert isinstance(stand.table.amend(rolled, TieRoll(seat=0, value=4), "amend"), Accepted)
    assert known(stand.kiosk().get("/kiosk").text) == (
        "Ann rolls a 4 for the tie. The higher number counts as the heavier sphere. Equals roll again."
    )
    for change in ("amendment", "roll"):
        assert isinstance(stand.table.undo(change), Accepted)
    assert known(stand.kiosk().get("/kiosk").text) == (
        "Each rolls once for their own sphere. The higher number counts as the heavier one."
    )


def test_a_roll_that_was_taken_back_is_not_asked_for_again(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}))
    pages = [(stand.kiosk(), "/kiosk"), (stand.phone(0), "/seat/0")]
    headings = [re.findall(r"<h1>\s*(.*?)\s*</h1>", client.get(path).text) for client, path in pages]
    stand.do(do="attempt", seat=0, outcome="short")
    assert all("again" in client.get(path).text for client, path in pages)
    assert isinstance(stand.table.undo("roll"), Accepted)
    assert [re.findall(r"<h1>\s*(.*?)\s*</h1>", client.get(path).text) for client, path in pages] == headings


def test_why_a_round_begins_is_said_again_when_its_roll_was_taken_back(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), *({"do": "attempt", "seat": seat, "outcome": "stuck"} for seat in (0, 0, 1, 1)))
    said = known(stand.kiosk().get("/kiosk").text)
    assert said.startswith("Nobody got through")
    stand.do(do="roll", seat=1, value=3)
    assert isinstance(stand.table.undo("roll"), Accepted)
    assert known(stand.kiosk().get("/kiosk").text) == said


def test_a_round_in_which_nobody_got_through_says_so_until_the_die_is_thrown(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), *({"do": "attempt", "seat": seat, "outcome": "stuck"} for seat in (0, 0, 1, 1)))
    screens = [
        (stand.kiosk(), "/kiosk"),
        (stand.kiosk(), "/"),
        *((stand.phone(seat), f"/seat/{seat}") for seat in (0, 1)),
    ]
    for client, path in screens:
        assert known(client.get(path).text) == (
            "Nobody got through, so nobody gains anything. "
            "All take their pieces back unseen, and the next round begins."
        )
    stand.do(do="roll", seat=1, value=3)
    assert [known(client.get(path).text) for client, path in screens] == [""] * 4


def test_a_round_that_ends_because_the_office_left_says_so_until_the_die_is_thrown(stand: Stand) -> None:
    stand.open(3)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    stand.play(*({"do": "attempt", "seat": seat, "outcome": "stuck"} for seat in (1, 1, 2, 2)))
    stand.do(do="leave", seat=0)
    for client, path in ((stand.kiosk(), "/kiosk"), (stand.phone(1), "/seat/1")):
        assert known(client.get(path).text).startswith("Nobody is left in the office, so nobody inspects or reveals.")


def test_the_flag_is_explained_beside_whoever_starts_the_round(stand: Stand) -> None:
    stand.open(2)
    starts = re.compile(r'<span class="starts">.*?href="#starter".*?</svg>(.*?)</span>', re.DOTALL)
    screens = [
        (stand.kiosk(), "/kiosk"),
        (stand.kiosk(), "/"),
        (stand.phone(1), "/seat/1"),
        (stand.phone(0), "/seat/0"),
    ]
    read = [starts.findall(client.get(path).text) for client, path in screens]
    assert read == [["starts this round"]] * 3 + [["You start this round"]]
    stand.do(do="roll", seat=0, value=3)
    assert not any(starts.search(client.get(path).text) for client, path in screens)
    assert "The flag marks the starting player" in stand.kiosk().get("/rules?game=smugglers").text


def test_what_becomes_of_a_bomb_is_said_when_it_steals_and_where_it_lies(stand: Stand) -> None:
    stand.open(4)
    stand.play(
        *story_of_a_round(), {"do": "tie_roll", "seat": 0, "value": 5}, {"do": "tie_roll", "seat": 3, "value": 2}
    )
    stand.play(*INSPECTIONS[:2])
    thief = stand.phone(1)
    screens = [(stand.kiosk(), "/kiosk"), (stand.kiosk(), "/"), (thief, "/seat/1")]
    for client, path in screens:
        assert "the stink bomb is spent: it stays in front of the screen" in known(client.get(path).text)
    spent = re.compile(r"<small>spent</small>")
    assert not any(spent.search(client.get(path).text) for client, path in screens)
    stand.play(INSPECTIONS[2])
    assert len(spent.findall(stand.kiosk().get("/kiosk").text)) == 1
    assert len(spent.findall(thief.get("/seat/1").text)) == 1
    assert "it is spent and is not hidden again" in stand.kiosk().get("/").text


def test_an_illegal_sphere_that_brings_a_token_spends_no_bomb(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}), {"do": "attempt", "seat": 0, "outcome": "passed"})
    stand.play(*({"do": "attempt", "seat": 1, "outcome": "stuck"} for _ in range(2)))
    stand.play({"do": "inspect", "seat": 0, "target": 1, "guess": "bomb"}, {"do": "open", "seat": 1, "found": []})
    assert "chooses a token" in asked(stand.kiosk().get("/kiosk").text)
    assert known(stand.kiosk().get("/kiosk").text) == ""


def test_whoever_does_not_roll_reads_where_the_sphere_goes(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}))
    for client, path in ((stand.kiosk(), "/kiosk"), (stand.phone(0), "/seat/0")):
        assert "<small>to the junk room</small>" in client.get(path).text


def test_the_card_of_somebody_who_left_says_so_on_the_shared_screens(stand: Stand) -> None:
    """A grey card alone, with no tokens, looks like somebody who has none."""
    stand.open(4)
    stand.do(do="leave", seat=2)
    for path in ("/", "/kiosk"):
        cards = dict(
            re.findall(
                r'<article class="screen[^>]*id="player-(\d)">(.*?)</article>', stand.kiosk().get(path).text, re.DOTALL
            )
        )
        assert [seat for seat, card in cards.items() if "has left" in card] == ["2"]


def test_the_phone_of_somebody_who_left_says_so(stand: Stand) -> None:
    stand.open(3)
    phone = stand.phone(2)
    stand.do(do="leave", seat=2)
    assert "You have left the game." in phone.get("/seat/2").text
    assert "You have left the game." not in stand.phone(1).get("/seat/1").text
