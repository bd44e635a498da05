"""The pages of Haulers in situations that seldom come: nobody's prompts, raids, cards done by hand, every option."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_type_hints

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.game_words import words_of
from appliance.games.haulers.pages import picture
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.map.edition_reader import read_edition
from appliance.games.haulers.rules.options import Options
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import (
    ByHand,
    Contest,
    Drawing,
    Judging,
    Parley,
    Renting,
    Rolling,
    Shuffling,
    StationCall,
)
from appliance.snapshot import Accepted, Deed, Snapshot
from appliance.words.catalogues import LANGUAGES
from tests import moments
from tests.appliance.games.contract.play import leave_of
from tests.appliance.games.haulers.little_land import land_by_hand
from tests.appliance.games.haulers.play import started, stepped
from tests.appliance.games.recordings import recorded
from tests.pages import Pages
from tests.web.doors.test_phones import opened
from tests.web.stand import NAMES, Stand
from web.words.speech import Speech
from web.words.viewer import Viewer

RECORDED = (
    "TR-41-caught",
    "TR-60-by-hand",
    "TR-60-papers-for-the-police",
    "TR-61-another-leaves",
    "TR-61-drawer-leaves",
    "TR-64-pact-over",
)
"""Games that come through raids, cards by hand and weigh stations."""


def steps(stand: Stand, name: str) -> Iterator[Snapshot]:
    """Yield what the table shows at every step of a recorded game."""
    transcript = recorded("haulers", name)
    assert isinstance(stand.table.open_game(transcript.setup, "open"), Accepted)
    snapshot = stand.table.snapshot()
    state = started(transcript.setup)
    yield msgspec.structs.replace(snapshot, state=state)
    for action in transcript.actions:
        state = stepped(state, action).state
        yield msgspec.structs.replace(snapshot, state=state)


def rendered(stand: Stand, snapshot: Snapshot, language: str = "en") -> dict[str, str]:
    """Return what every screen of the open game shows."""
    viewers = [Viewer("wall", None, language), Viewer("kiosk", None, language)]
    viewers += [Viewer("seat", seat, language) for seat in range(len(snapshot.state.players))]
    render = stand.app.extensions["smugglers"].renderer.regions
    with stand.app.test_request_context():
        return {f"{one.kind} {one.seat}": "".join(render(snapshot, one).values()) for one in viewers}


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_every_screen_can_be_drawn_at_every_step(stand: Stand, name: str, caplog: pytest.LogCaptureFixture) -> None:
    for number, snapshot in enumerate(steps(stand, name)):
        rendered(stand, snapshot, LANGUAGES[number % len(LANGUAGES)])
    assert [record.getMessage() for record in caplog.records if "no words" in record.getMessage()] == []


def test_dice_of_somebody_else_are_marked_with_their_name() -> None:
    """Those of the roll for the start lie there while everybody discards: nobody takes them for their own."""
    pages = Pages()
    discarding = next(
        moment
        for moment in moments.recorded("haulers", "T-25-paid")
        if moment.snapshot.log and moment.snapshot.log[-1].happening.code == "first_player_found"
    )
    snapshot = discarding.snapshot

    def dice(page: str) -> str:
        return page.split('class="rolled"')[1].split("</p>")[0]

    thrown = [line.happening for line in snapshot.log if line.happening.code == "dice_rolled"]
    last = thrown[-1].values["seat"]
    for seat in range(2):
        assert ('class="who' in dice(pages.phone(discarding, seat, "en"))) == (seat != last), seat
    for page in (pages.wall(discarding, "en"), pages.kiosk(discarding, "en")):
        assert 'class="who' in dice(page)
    assert snapshot.state.players[last].name in dice(pages.phone(discarding, 1 - last, "en"))


def test_no_turn_is_called_the_last_while_turns_are_sold() -> None:
    """TR-67: after the last turns everybody is asked whether they buy one, round by round."""
    pages, seen = Pages(), set[bool]()
    for moment in moments.recorded("haulers", "T-25-paid"):
        done = [line.happening.code for line in moment.snapshot.log]
        asked = [prompt.do for prompt in the_game("haulers").rules.expects(moment.snapshot.state, None)]
        if not {"last_turn_began", "paid_turn_began"} & set(done) and "buy_turn" not in asked:
            continue
        sold = "turn_bought" in done or "buy_turn" in asked
        seen.add(sold)
        screens = [pages.wall(moment, "en"), pages.kiosk(moment, "en"), pages.phone(moment, 0, "en")]
        if the_game("haulers").rules.outcome(moment.snapshot.state) is None:
            assert ["Last turns:" in screen.split("What happened")[0] for screen in screens] == [not sold] * 3
            assert ["Turns can be bought." in screen for screen in screens] == [sold] * 3
    assert seen == {True, False}


def test_a_single_die_is_told_once() -> None:
    """A boat's die is its total: "rolls 6", not "rolls 6: 6"."""
    pages, (*_, rolled) = Pages(), moments.recorded("haulers", "T-04-six")
    for language, said in (("en", "A rolls 6."), ("de", "A würfelt 6.")):
        assert said in pages.wall(rolled, language), language
    assert 'class="rolled"' in pages.wall(rolled, "en")


def open_check(moment: moments.Moment) -> Parley | Contest | None:
    return next((one for one in moment.snapshot.state.agenda if isinstance(one, Parley | Contest)), None)


@pytest.mark.parametrize("name", ["T-25-paid", "TR-41-caught"])
def test_dice_lie_on_the_table_until_the_next_turn_begins(name: str) -> None:
    pages, shown = Pages(), list[bool]()
    for moment in moments.recorded("haulers", name):
        if open_check(moment) is not None:
            continue
        codes = [line.happening.code for line in moment.snapshot.log]
        thrown = [code for code in codes if code.endswith(("dice_rolled", "die_rolled", "police_rolled", "turn_began"))]
        shown.append('class="rolled"' in pages.wall(moment, "en"))
        assert shown[-1] == (thrown[-1:] in (["dice_rolled"], ["die_rolled"], ["police_rolled"])), moment.step
    assert shown.count(True) > 1
    assert False in shown[shown.index(True) :]


@pytest.mark.parametrize("name", ["TR-41-caught", "TR-60-papers-kept"])
def test_dice_of_a_move_do_not_lie_beside_the_question_of_a_check(name: str) -> None:
    """The checker is asked "A deal, or the dice?": no dice of theirs are on the table yet."""
    pages, asked = Pages(), 0
    for moment in moments.recorded("haulers", name):
        if (check := open_check(moment)) is None:
            continue
        rolled = isinstance(check, Contest) and check.checker_total is not None
        asked += not rolled
        phones = [pages.phone(moment, seat, "en") for seat in range(2)]
        for screen in (pages.wall(moment, "en"), pages.kiosk(moment, "en"), *phones):
            assert ('class="rolled"' in screen) == rolled, moment.step
    assert asked


CALLED = {
    "wall None": "{carrier} steht auf der Waage von {owner}. Kontrolle?",
    "kiosk None": "{carrier} steht auf der Waage von {owner}. Kontrolle?",
    "owner": "{carrier} steht auf deiner Waage. Kontrollierst du?",
    "carrier": "Du stehst auf der Waage von {owner}. Kontrolle?",
}


def called(stand: Stand) -> tuple[Snapshot, StationCall]:
    snapshot = next(one for one in steps(stand, "TR-41-caught") if isinstance(one.state.stage, StationCall))
    return snapshot, snapshot.state.stage


def test_every_screen_says_whose_truck_is_in_whose_weigh_station(stand: Stand) -> None:
    snapshot, call = called(stand)
    assert snapshot.setup is not None
    players = snapshot.setup.players
    names = {"owner": players[call.owner].name, "carrier": players[call.carrier].name}
    shown = rendered(stand, snapshot, "de")
    for whose, said in CALLED.items():
        page = shown[f"seat {getattr(call, whose)}" if hasattr(call, whose) else whose]
        assert said.format(**names) in " ".join(page.split()), whose


def test_a_phone_shows_the_weigh_station_and_not_its_own_truck(stand: Stand) -> None:
    snapshot, call = called(stand)
    view = RULES.view(snapshot.state, call.owner)
    assert view.players[call.owner].truck != call.at
    assert picture(view, call.owner).middle == tuple(view.board.squares[call.at].at)


def test_a_deed_without_news_is_listed_by_its_button(stand: Stand) -> None:
    say = Speech("en", "haulers", ("Ann", "Ben"))
    assert say.did(Deed(seq=7, action={"do": "roll_off", "seat": 1}, happened=())) == "Ben: “No deal: roll”."


@pytest.mark.parametrize(
    ("language", "drives", "sails"),
    [
        ("en", "Ben drives with 2 dice.", "Ben sails with one die."),
        ("de", "Ben fährt mit 2 Würfeln.", "Ben segelt mit einem Würfel."),
    ],
)
def test_a_move_is_listed_among_the_corrections_by_words_of_its_own(language: str, drives: str, sails: str) -> None:
    say = Speech(language, "haulers", ("Ann", "Ben"))
    assert say.did(Deed(seq=7, action={"do": "drive", "seat": 1, "dice": 2}, happened=())) == drives
    assert say.did(Deed(seq=8, action={"do": "sail", "seat": 1, "boat": 1}, happened=())) == sails


def test_a_correction_shows_money_and_chips_as_the_table_does(stand: Stand) -> None:
    opened(stand, "open-1", "haulers", dice="real")
    stand.do(do="roll", seat=0, die_1=1, die_2=2)
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", "de")
    meant = json.dumps({"do": "roll", "seat": 0, "die_1": 6, "die_2": 6})
    page = kiosk.get(
        f"/kiosk/corrections/{stand.table.snapshot().correctable[0].seq}", query_string={"action": meant}
    ).text
    changes = page[page.index('class="changes"') : page.index("</table>")]
    assert "2.000\u00a0$" in changes
    assert "$2000" not in changes
    assert "0/0/0/0" not in changes


def test_what_stands_on_the_map_has_the_shape_of_its_owner_on_every_screen(stand: Stand) -> None:
    last = list(steps(stand, "TR-64-pact-over"))[-1]
    assert any(player.boat for player in last.state.players)
    for page in rendered(stand, last).values():
        marks = re.findall(r'id="whose-(?:truck|boat|station)-(\d)[^"]*">.*?class="mark-(\d)"', page, re.DOTALL)
        assert {seat for seat, _ in marks} == {str(seat) for seat in range(len(last.state.players))}
        assert all(seat == mark for seat, mark in marks)


def test_whoever_left_is_told_so_on_their_phone() -> None:
    pages, game = Pages(), moments.recorded("haulers", "TR-61-another-leaves")
    left = next(one for one in game if any(player.left for player in one.snapshot.state.players))
    seat = next(number for number, player in enumerate(left.snapshot.state.players) if player.left)
    page = pages.phone(left, seat, "en")
    assert "You have left the game" in page
    assert "You leave." in page
    assert "The others are busy" not in page
    assert "Your deliveries" not in page


def test_a_game_that_everybody_else_left_is_headed_as_its_end() -> None:
    told = recorded("haulers", "TR-61-another-leaves")
    course, seats = moments.Course("haulers", told.setup), range(len(told.setup.players))
    for action in told.actions[:20]:
        course.do(action)
    for seat in seats[1:]:
        course.do(leave_of(the_game("haulers"), seat))
    pages, end = Pages(), course.moment("left", 0)
    for page in (pages.wall(end, "en"), pages.kiosk(end, "en"), *(pages.phone(end, seat, "en") for seat in seats)):
        assert "<h1>The end</h1>" in page
        assert "Everybody else left" in page


@pytest.mark.parametrize(
    ("steers", "pact", "shared", "owner", "renter"),
    [
        ("renter", False, "Ann offers Ben $600 and steers.", "Ann offers you $600 and steers.", "You offer Ben $600"),
        ("owner", True, "Ann offers Ben $600; Ben steers.", "Ann offers you $600; you steer.", "You offer Ben $600"),
    ],
)
def test_every_screen_says_for_what_a_boat_is_asked(
    stand: Stand, steers: Literal["owner", "renter"], pact: bool, shared: str, owner: str, renter: str
) -> None:
    *_, last = steps(stand, "TR-64-pact-over")
    assert last.setup is not None
    named = tuple(msgspec.structs.replace(one, name=name) for one, name in zip(last.setup.players, NAMES, strict=False))
    asked = Renting(renter=0, owner=1, amount=600, steers=steers, pact=pact)
    state = msgspec.structs.replace(last.state, agenda=(*last.state.agenda[:1], asked))
    setup = msgspec.structs.replace(last.setup, players=named)
    shown = rendered(stand, msgspec.structs.replace(last, state=state, setup=setup))
    for screen, said in {"wall None": shared, "kiosk None": shared, "seat 1": owner, "seat 0": renter}.items():
        assert said in shown[screen], screen
        assert ("No checks between the two." in shown[screen]) == pact, screen


def test_whoever_buys_papers_reads_what_the_next_ones_cost(stand: Stand) -> None:
    *_, last = steps(stand, "TR-64-pact-over")
    state = last.state
    buyer = state.agenda[0].seat
    rich = tuple(msgspec.structs.replace(player, cash=9000, papers_bought=1) for player in state.players)
    sold = msgspec.structs.replace(state.options, keep_cards="sold")
    state = msgspec.structs.replace(state, agenda=state.agenda[:1], players=rich, options=sold, papers_pile=(0,))
    shown = rendered(stand, msgspec.structs.replace(last, state=state))
    for screen in ("kiosk None", f"seat {buyer}"):
        button = re.search(r'<button class="tap do-buy_papers.*?</button>', shown[screen], re.DOTALL)
        assert button is not None
        assert "Papers in order $1,000" in button[0], screen


def test_every_screen_says_that_the_police_roll(stand: Stand) -> None:
    """Nobody's seat rolls here."""
    raided = next(
        one
        for one in steps(stand, "TR-61-drawer-leaves")
        if one.state.stage == Rolling(seat=None, dice=2, why="checker")
    )
    assert all("Polizei oder Küstenwache" in page for page in rendered(stand, raided, "de").values())


def test_every_screen_says_that_cards_are_shuffled_in_mid_game(stand: Stand) -> None:
    *_, last = steps(stand, "TR-64-pact-over")
    drawing = (Drawing(seat=0, left=1), Shuffling("deliveries", len(last.state.discards)))
    state = msgspec.structs.replace(last.state, pile=(), agenda=(*last.state.agenda[:1], *drawing))
    shown = rendered(stand, msgspec.structs.replace(last, state=state), "de")
    assert all("Es wird gemischt" in page for page in shown.values())


def test_a_card_by_hand_is_read_on_every_screen_and_obeyed_at_the_touchscreen(stand: Stand) -> None:
    drawn = next(one for one in steps(stand, "TR-60-by-hand") if isinstance(one.state.stage, ByHand))
    shown = rendered(stand, drawn, "de")
    assert all("Alle zahlen 100 $ nach links." in page for page in shown.values())
    assert [name for name, page in shown.items() if "hand_over" in page] == ["kiosk None"]
    assert [name for name, page in shown.items() if "Erledigt" in page] == ["kiosk None", "seat 0"]


def test_a_mission_that_people_judge_is_shown_to_all_and_judged_by_one(stand: Stand) -> None:
    *_, last = steps(stand, "TR-60-by-hand")
    land = read_edition(land_by_hand())
    assert isinstance(land, Edition)
    players = tuple(msgspec.structs.replace(player, mission=4) for player in last.state.players)
    judging = (Judging(reason="most_money", seats=(0, 1)),)
    state = msgspec.structs.replace(last.state, edition=land, players=players, agenda=judging)
    shown = rendered(stand, msgspec.structs.replace(last, state=state), "de")
    assert all("Be liked by all." in page for page in shown.values())
    assert [name for name, page in shown.items() if "Nicht erfüllt" in page] == ["kiosk None", "seat 1"]


def test_every_value_of_every_option_can_be_chosen_at_set_up(stand: Stand) -> None:
    inputs = stand.kiosk().get("/kiosk/setup/haulers").text.split("<input")
    for option, kind in get_type_hints(Options).items():
        if option == "edition":
            continue
        values: Any = ("1", "") if kind is bool else get_args(kind)
        for value in values:
            assert any(f'data-option="{option}"' in tag and f'value="{value}"' in tag for tag in inputs), (
                option,
                value,
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_game_has_one_name(stand: Stand, language: str) -> None:
    known = words_of(language, "haulers")
    name = known.say("game.haulers")
    for code in ("brand.haulers", "setup.title"):
        assert known.say(code) == name
    for code in ("rejection.player_count", "howto.title"):
        assert name in known.say(code, {"least": 2, "most": 6})
    if language == "de":
        assert [code for code in known.codes() if "Haulers" in known._sentences[code]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_ends_between_a_sum_and_its_dollars(language: str) -> None:
    known = words_of(language, "haulers")
    assert [code for code in known.codes() if re.search(r"[\d}] \$(?![\d{])", known._sentences[code])] == []


def test_who_has_left_is_told_in_words() -> None:
    """Their card is grey, too, which not everybody sees."""
    pages = Pages()
    *_, last = moments.recorded("haulers", "TR-61-another-leaves")
    left = [seat for seat, player in enumerate(last.snapshot.state.players) if player.left]
    assert left
    others = [seat for seat in range(len(last.snapshot.state.players)) if seat not in left]
    for page in (pages.wall(last, "en"), pages.kiosk(last, "en"), pages.phone(last, others[0], "en")):
        assert page.count("<b>Has left</b>") == len(left)
