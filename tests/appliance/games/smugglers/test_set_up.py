"""Set-up: what a table may agree on, and what it may not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Rejection, Setup, Timing
from appliance.games.smugglers.game import GAME
from appliance.games.smugglers.rules.rules import RULES
from appliance.journal.entries import Entry, Opened
from appliance.journal.fold.restore import begin, restore
from tests.appliance.games.smugglers.play import a_setup, started


def refused(setup: Setup) -> tuple[str, str]:
    rejection = RULES.set_up(setup)
    assert isinstance(rejection, Rejection), rejection
    return rejection.code, rejection.rule


def named(*names: str) -> Setup:
    putties = ("yellow", "green", "orange", "pink")
    players = tuple(Player(name=name, putty=putty) for name, putty in zip(names, putties, strict=False))
    return Setup(format=1, game="smugglers", players=players)


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("goal", ["full", "short"], ["long", 7, None, True]),
        ("boss_lane", [1, 7], [0, 8, 4.5, "4", True]),
        ("lanes", [5, 9, 20], [1, 21, 7.5, "7", False, None]),
        ("hourglass_s", [1, 40, 40.5, 3600], [0, 3601, -40, "40", True, None]),
        ("rounding_cap_s", [None, 20], [0, 601, "20", False]),
        ("pass_limit_s", [3, 5, 10], [2.9, 10.1, None, True]),
        ("tie_band_g", [0, 0.001, 0.2, 10], [-0.1, 0.0005, 10.1, "0.2", True]),
        ("same_mass_check", [True, False], [0, 1, "yes", None]),
        ("same_mass_tolerance_g", [0, 0.15, 10], [-1, 11, True]),
        ("illegal_sack", ["token", "piece"], ["both", None, 1]),
    ],
)
def test_every_option_has_a_range(option: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert getattr(started(a_setup(2, **{option: value})).options, option) == value
    for value in bad:
        rejection = RULES.set_up(a_setup(2, **{option: value}))
        assert isinstance(rejection, Rejection), value
        assert rejection.code in ("option_type", "option_range", "tie_band_too_fine")


def test_every_option_is_in_the_table_above() -> None:
    (table,) = (mark.args[1] for mark in test_every_option_has_a_range.pytestmark)
    assert {option for option, _, _ in table} == set(RULES.options_type.__struct_fields__)


def test_unknown_options_are_refused_by_name() -> None:
    rejection = RULES.set_up(a_setup(2, goals="full"))
    assert rejection == Rejection("unknown_option", "SM-98", {"option": "goals"})


@pytest.mark.parametrize(("lanes", "middle"), [(7, 4), (5, 3), (9, 5)])
def test_sm_9_the_boss_starts_behind_the_middle_lane(lanes: int, middle: int) -> None:
    assert started(a_setup(2, lanes=lanes)).boss_lane == middle


def test_boss_lane_must_exist() -> None:
    assert refused(a_setup(2, lanes=5, boss_lane=6)) == ("option_range", "SM-9")


def test_sm_87_pieces_can_be_taken_only_where_the_box_holds_some() -> None:
    assert refused(a_setup(4, illegal_sack="piece")) == ("no_pieces_in_box", "SM-87")
    assert started(a_setup(3, illegal_sack="piece")).options.illegal_sack == "piece"


def test_sm_12_the_oldest_begins_and_sm_10_takes_the_first_token() -> None:
    view = RULES.view(started(a_setup(4, oldest=2)), None)
    assert view.start == 2
    assert [(player.sweet, player.sour) for player in view.players] == [(1, 0), (0, 1), (1, 0), (0, 1)]
    view = RULES.view(started(a_setup(3, oldest=2)), None)
    assert [(player.sweet, player.sour) for player in view.players] == [(0, 1), (1, 0), (1, 0)]


@pytest.mark.parametrize("oldest", [-1, 2, 99])
def test_the_oldest_must_sit_at_the_table(oldest: int) -> None:
    assert refused(msgspec.structs.replace(a_setup(2), oldest=oldest))[0] == "no_such_oldest"


@pytest.mark.parametrize("names", [(), ("Ann",)])
def test_sm_6_two_to_four_play(names: tuple[str, ...]) -> None:
    assert refused(named(*names)) == ("player_count", "SM-6")


def test_sm_6_five_are_too_many() -> None:
    players = tuple(Player(name=f"P{number}", putty="pink") for number in range(5))
    assert refused(Setup(format=1, game="smugglers", players=players))[0] == "player_count"


@pytest.mark.parametrize(
    "name", ["", " ", " Ann", "Ann ", "x" * 25, "A\nB", "A\x00", "A\x7f", "A\u202eB", "A\u200bB", "\ud800", "A\u2028B"]
)
def test_bad_names(name: str) -> None:
    assert refused(named("Ben", name)) == ("bad_name", "SM-6")


@pytest.mark.parametrize(
    "name",
    [
        *("\u200b", "\u200c", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u034f", "\u180b", "\ufe0f", "\U000e0100"),
        *("\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u2065", "\ufff0", "\u0301", "\u20e3"),
        *("\u200d" * 3, "\u200d \u200d", "\u3164\u200d", "\ufe0f\u200d\ufe0f", "Ben\u3164", "\u2800Ben"),
    ],
)
def test_characters_that_show_nothing_make_no_name(name: str) -> None:
    refusal = begin(named("Ben", name), the_game)
    assert isinstance(refusal, Rejection)
    assert (refusal.code, refusal.rule, refusal.values["number"]) == ("bad_name", "SM-6", 2)


@pytest.mark.parametrize("name", ["\u3164", "Ben\u3164", "\u200d"])
def test_a_game_that_was_recorded_with_a_name_that_shows_nothing_goes_on(name: str) -> None:
    """Former releases accepted such names."""
    opened = Entry(seq=1, game=1, client_id="a", wall_s=0.0, body=Opened(setup=named("Ann", name)))
    history = restore([opened], the_game)
    assert not isinstance(history, Rejection), history
    assert history.state.players[1].name == name


TURNS_THE_TEXT = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("control", TURNS_THE_TEXT, ids=ascii)
def test_a_name_does_not_turn_the_text_around_it(control: str) -> None:
    assert refused(named("Ben", f"Ann{control}")) == ("bad_name", "SM-6")


@pytest.mark.parametrize(
    "name",
    [
        *("x" * 24, "Zoë", "王小明", "O'Neil-Ü", "👩\u200d🚀", "1", "\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001faea"),
        *("e\u0301", "A\u0328\u0301", "\u0e01\u0e34", "\u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u0646"),
        *("\u05d3\u05d5\u05d3", "\u0645\u0631\u064a\u0645", "\uae40\ubbfc", "\u1100\u1161", "\u2801\u281d"),
    ],
    ids=ascii,
)
def test_good_names(name: str) -> None:
    assert started(named("Ben", name)).players[1].name == name


@pytest.mark.parametrize("twin", ["Ben", "ben", "BEN"])
def test_names_are_told_apart(twin: str) -> None:
    assert refused(named("Ben", twin)) == ("name_twice", "SM-6")


def test_putties() -> None:
    def with_putties(*putties: str | None) -> Setup:
        players = tuple(Player(name=f"P{seat}", putty=putty) for seat, putty in enumerate(putties))
        return Setup(format=1, game="smugglers", players=players)

    assert refused(with_putties("pink", "pink")) == ("putty_twice", "SM-6")
    assert refused(with_putties("pink", "blue")) == ("unknown_putty", "SM-6")
    assert refused(with_putties("pink", None)) == ("unknown_putty", "SM-6")


def test_a_game_of_later_rules_is_not_guessed_at() -> None:
    assert refused(msgspec.structs.replace(a_setup(2), rules=2))[0] == "unknown_rules_revision"


def test_a_referee_can_be_had_for_every_set_up() -> None:
    setup = a_setup(3, hourglass_s=25)
    assert GAME.referee(setup, Timing()).attention(started(setup)) == {"tray"}
