"""What the pages of Customs say of its players."""

from __future__ import annotations

import re

import msgspec
import pytest

from appliance.games.customs.rules.state import Declaring, Owing
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES
from tests.moments import recorded
from tests.narrowed import of_kind
from tests.pages import Pages
from tests.web.stand import Stand
from web.words.viewer import Viewer

CARD = re.compile(
    r'<article class="person [^"]*r-(\w+)[^"]*" id="person-(\d)">.*?<p class="role">([^<]*)</p>', re.DOTALL
)


def test_of_who_waits_it_is_said_in_words_whether_they_were_officer() -> None:
    """Each player is Officer for one round (CU-3): who still has to be, and who has been."""
    pages, officers, told = Pages(), list[int](), list[bool]()
    for moment in recorded("customs", "C-20"):
        officer = moment.snapshot.state.officer
        if officer is not None and officer not in officers:
            officers.append(officer)
        for role, seat, said in CARD.findall(pages.wall(moment, "en")):
            if role == "waits":
                told.append(int(seat) in officers)
                assert said == ("Was Officer" if told[-1] else "Waiting")
    assert {True, False} == set(told)


@pytest.mark.parametrize(
    ("status", "said"), [("left", "You have left the game"), ("bankrupt", "You are bankrupt and out of the game")]
)
def test_who_is_out_is_told_so_on_their_phone(status: str, said: str) -> None:
    pages = Pages()
    moment = next(one for one in recorded("customs", "C-20") if isinstance(one.snapshot.state.stage, Declaring))
    state = moment.snapshot.state
    seat = next(number for number in range(len(state.players)) if number not in (state.officer, state.stage.seat))
    players = list(state.players)
    players[seat] = msgspec.structs.replace(players[seat], status=status)
    snapshot = msgspec.structs.replace(moment.snapshot, state=msgspec.structs.replace(state, players=tuple(players)))
    with pages.app.test_request_context():
        page = pages.web.renderer.regions(snapshot, Viewer("seat", seat, "en"))["page"]
    assert said in page
    assert "Nothing to do for you" not in page


@pytest.mark.parametrize(
    ("language", "said"), [("en", "costs its duty and earns £200"), ("de", "kostet ihren Zoll und bringt £200")]
)
def test_the_rules_say_that_the_truth_pays_its_duty_when_it_is_searched_cu_21(
    stand: Stand, language: str, said: str
) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    assert said in kiosk.get("/rules?game=customs").text


@pytest.mark.parametrize(("shown", "offered"), [(True, "Borrow £150"), (False, "Borrow £450")])
def test_the_touchscreen_offers_to_borrow_what_is_missing(shown: bool, offered: str) -> None:
    """Where balances are closed it offers all that is due: what is missing would tell one."""
    owing = next(one for one in recorded("customs", "CU-60-owes") if isinstance(one.snapshot.state.stage, Owing))
    options = msgspec.structs.replace(owing.snapshot.state.options, show_balances=shown)
    state = msgspec.structs.replace(owing.snapshot.state, options=options)
    page = Pages().kiosk(owing._replace(snapshot=msgspec.structs.replace(owing.snapshot, state=state)), "en")
    assert re.findall(r">(Borrow £[\d,]+)<", page) == [offered] * 3


def test_who_cannot_pay_the_fines_of_an_open_hand_is_not_offered_to_look_at_it() -> None:
    """Four closed cards beside the four open ones would look like a second hand."""
    pages = Pages()
    for moment in recorded("customs", "CU-60-owes"):
        state = moment.snapshot.state
        if isinstance(state.stage, Owing):
            assert state.hand == state.opened.cards
            page = pages.phone(moment, state.opened.seat, "en")
            assert "You cannot pay." in page
            assert page.count('<span class="card k-') == 4
            assert 'class="tap look"' not in page
            return
    raise AssertionError("nobody owed anything")


@pytest.mark.parametrize(
    ("recording", "rule"), [("CU-63", "CU-63"), ("C-22", "CU-52")], ids=("too few players", "all were Officer")
)
def test_the_end_names_the_rule_by_which_it_came(recording: str, rule: str) -> None:
    *_, last = recorded("customs", recording)
    page = Pages().kiosk(last, "en")
    assert re.findall(r'href="/rules[^"]*#(CU-\d+)"', page)[0] == rule


@pytest.mark.parametrize(("language", "sides"), [("en", ("Left, ", "Right, ")), ("de", ("Links, ", "Rechts, "))])
def test_the_key_of_the_cards_tells_duty_from_fine_by_their_sides(language: str, sides: tuple[str, str]) -> None:
    """Green and red look alike to some. The duty is the left number (CU-1)."""
    pages = Pages()
    moment = next(one for one in recorded("customs", "C-20") if isinstance(one.snapshot.state.stage, Declaring))
    pages.table.now = moment.snapshot
    seat = moment.snapshot.state.stage.seat
    with pages.app.test_request_context("/", headers={"Accept-Language": language}):
        page = of_kind(str, pages.app.view_functions["kiosk.hand"](seat=seat))
    assert all(side in page for side in sides)


@pytest.mark.parametrize(("language", "sides"), [("en", ("Left, ", "Right, ")), ("de", ("Links, ", "Rechts, "))])
def test_the_first_round_tells_duty_from_fine_by_their_sides(language: str, sides: tuple[str, str]) -> None:
    known = words_of(language, "customs")
    for lesson in ("teach.declare", "teach.declare.you"):
        assert all(side in known.say(lesson) for side in sides)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_game_has_one_name(language: str) -> None:
    known = words_of(language, "customs")
    assert known.say("brand.customs") == known.say("game.customs")
    assert known.say("game.customs") in known.say("howto.title")


def test_letting_pass_has_one_word_in_german() -> None:
    pages, german = Pages(), words_of("de", "customs")
    stamped = next(moment for moment in recorded("customs", "C-10") if "s-passed" in pages.wall(moment, "de"))
    page = pages.wall(stamped, "de")
    assert "A winkt B durch." in page
    assert ">Durchgewinkt</text>" in page
    assert german.say("button.accept") == "Durchwinken"


@pytest.mark.parametrize(
    ("game", "seat", "language", "said"),
    [
        ("C-04", 1, "en", ["You pay A £450."]),  # CU-21: fines of 50, 100 and 300 for a hand that was declared short
        ("C-04", 0, "de", ["B zahlt dir £450."]),
        ("C-05", 1, "en", ["You pay A £180.", "A pays you £200."]),  # the same hand declared truly
        ("C-05", 3, "en", ["B pays A £180.", "A pays B £200."]),
        ("C-05", 2, "en", []),  # is asked already
    ],
)
def test_phones_say_what_an_opened_hand_costs_and_brings(game: str, seat: int, language: str, said: list[str]) -> None:
    """The newest line of the log tells of the next traveller already."""
    end = list(recorded("customs", game))[-1]
    page = Pages().phone(end, seat, language)
    assert [text.replace("\xa0", " ") for text in re.findall(r'<p class="bill">([^<]*)</p>', page)] == said


@pytest.mark.parametrize(
    ("game", "language", "said"),
    [
        ("C-04", "de", ["B zahlt A £450."]),  # CU-21: fines of 50, 100 and 300 for a hand that was declared short
        ("C-05", "en", ["B pays A £180.", "A pays B £200."]),  # the same hand declared truly
    ],
)
def test_the_touchscreen_says_what_a_search_cost_while_the_next_traveller_declares(
    game: str, language: str, said: list[str]
) -> None:
    end = list(recorded("customs", game))[-1]
    assert isinstance(end.snapshot.state.stage, Declaring)
    page = Pages().kiosk(end, language)
    assert [text.replace("\xa0", " ") for text in re.findall(r'<p class="bill">([^<]*)</p>', page)] == said


@pytest.mark.parametrize(("language", "said"), [("en", "everybody knows how much you have"), ("de", "wissen alle")])
@pytest.mark.parametrize("shown", [True, False])
def test_who_borrows_is_told_when_the_missing_sum_would_tell_their_closed_balance(
    shown: bool, language: str, said: str
) -> None:
    """What is due is public: with the exact loan (CU-61), everybody can subtract. Open balances hide nothing."""
    moment = next(one for one in recorded("customs", "C-23") if isinstance(one.snapshot.state.stage, Owing))
    state = moment.snapshot.state
    options = msgspec.structs.replace(state.options, show_balances=shown)
    snapshot = msgspec.structs.replace(moment.snapshot, state=msgspec.structs.replace(state, options=options))
    pages, payer = Pages(), state.dues[0].payer
    with pages.app.test_request_context():
        for seat in range(len(state.players)):
            page = pages.web.renderer.regions(snapshot, Viewer("seat", seat, language))["page"]
            assert (said in page) == (seat == payer and not shown)
