"""Map files: ours is good, and what an owner gets wrong is named (AP-9, A-04)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.games.game_words import words_of
from appliance.games.haulers.rules.map.board import lay_out, paths
from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.map.edition_reader import read_edition
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.table_data import our_edition, read_own
from appliance.games.protocol import Rejection, Setup, Step
from appliance.games.table_data import OwnFile
from appliance.games.table_data_files import Checked
from tests.appliance.games.haulers.little_land import land_by_hand, little_land
from tests.appliance.games.haulers.play import a_setup


def first_problem(**changes: Any) -> Rejection:
    found = read_edition(little_land(**changes))
    assert isinstance(found, Rejection)
    return found


ENGLISH = {"the", "is", "are", "expected", "got", "field", "required", "and", "of", "to"}
LAND = little_land()
BROKEN: dict[str, dict[str, Any]] = {
    "edition_name_twice": {"crossings": [{"name": "Bos", "at": [1, 1]}]},
    "edition_off_the_map": {"size": [300, 200]},
    "edition_road_at_buoy": {
        "buoys": [{"name": "Red", "at": [1, 1]}],
        "sea": [*LAND["sea"], {"ends": ["Dor", "Red"], "squares": 0}],
        "roads": [*LAND["roads"], {"ends": ["Aal", "Red"], "squares": 1}],
    },
    "edition_sea_at_crossing": {
        "crossings": [{"name": "Ford", "at": [1, 1]}],
        "roads": [*LAND["roads"], {"ends": ["Aal", "Ford"], "squares": 1}],
        "sea": [*LAND["sea"], {"ends": ["Fin", "Ford"], "squares": 1}],
    },
    "edition_unknown_place": {"roads": [*LAND["roads"], {"ends": ["Aal", "Atlantis"], "squares": 1}]},
    "edition_loop": {"roads": [*LAND["roads"], {"ends": ["Aal", "Aal"], "squares": 1}]},
    "edition_line_twice": {"roads": [*LAND["roads"], {"ends": ["Bos", "Aal"], "squares": 2}]},
    "edition_number_twice": {
        "cities": [*LAND["cities"][:1], {**LAND["cities"][1], "numbers": [2, 5, 6]}, *LAND["cities"][2:]]
    },
    "edition_number_missing": {"cities": [{**LAND["cities"][0], "numbers": [2, 4]}, *LAND["cities"][1:]]},
    "edition_number_without_road": {
        "cities": [
            {**LAND["cities"][0], "numbers": [2, 4]},
            *LAND["cities"][1:5],
            {**LAND["cities"][5], "numbers": [3]},
        ]
    },
    "edition_roads_apart": {"roads": [LAND["roads"][0], *LAND["roads"][2:]]},
    "edition_unreachable": {"sea": []},
    "edition_unknown_city": {"deliveries": [*LAND["deliveries"], {"top": "Aal", "bottom": "Oz", "pays": 1}]},
    "edition_nowhere": {"deliveries": [*LAND["deliveries"], {"top": "Aal", "bottom": "Aal", "pays": 1}]},
    "edition_no_open_water": {"sea": [{"ends": ["Dor", "Fin"], "squares": 0}]},
    "edition_few_by_road": {"deliveries": [LAND["deliveries"][6]] * 19 + LAND["deliveries"][10:27]},
    "edition_few_deliveries": {"deliveries": LAND["deliveries"][:20]},
    "edition_unknown_mission_city": {
        "missions": [{**LAND["missions"][3], "cities": ["Oz"]}],
    },
    "edition_visits_without_cities": {"missions": [{**LAND["missions"][0], "cities": ["Cid"]}]},
    "edition_visits_too_many": {"missions": [{**LAND["missions"][3], "least": 2}]},
    "edition_effect_or_text": {"transit": [{"title": LAND["transit"][0]["title"]}]},
    "edition_counts_or_text": {
        "missions": [{**LAND["missions"][0], "text": {"en": "Also be kind.", "de": "Sei auch nett."}}]
    },
    "edition_shape": {"supplies": {"turbo": "many"}},
    "edition_entry_missing": {"cities": [{"at": [1, 2]}]},
    "edition_entry_unknown": {"bogus": 1},
    "edition_too_long": {"cities": [LAND["cities"][0]] * 101},
    "edition_too_short": {"cities": [{**LAND["cities"][0], "name": ""}]},
    "edition_too_small": {"supplies": {**LAND["supplies"], "turbo": -1}},
    "edition_too_large": {"supplies": {**LAND["supplies"], "turbo": 10_000}},
    "edition_characters": {"cities": [{**LAND["cities"][0], "name": "A\x07"}]},
    "edition_value": {"transit": [{**LAND["transit"][0], "effect": "fly"}]},
}


@pytest.mark.parametrize("code", sorted(BROKEN))
def test_what_is_wrong_with_a_map_is_named(code: str) -> None:
    problem = first_problem(**BROKEN[code])
    assert problem.code == code
    english, german = (
        words_of(language, "haulers").say(f"rejection.{code}", problem.values) for language in ("en", "de")
    )
    assert "{" not in english + german
    assert not set(english.split("`")[0].lower().split()) & set(german.split("`")[0].lower().split()) & ENGLISH


@pytest.mark.parametrize("code", sorted(BROKEN))
def test_no_game_starts_with_such_a_map(code: str) -> None:
    setup = a_setup(2)
    broken = Setup(format=1, game="haulers", players=setup.players, options={"edition": little_land(**BROKEN[code])})
    answer = RULES.set_up(broken)
    assert isinstance(answer, Rejection)
    assert answer.code == code


def test_a04_without_a_map_no_game_starts() -> None:
    setup = a_setup(2)
    answer = RULES.set_up(Setup(format=1, game="haulers", players=setup.players))
    assert isinstance(answer, Rejection)
    assert (answer.code, answer.rule) == ("no_edition", "AP-9")


def test_our_map_is_good_and_says_that_it_is_ours() -> None:
    ours = our_edition()
    assert ours.ours
    assert ours.note is not None
    assert isinstance(RULES.set_up(a_setup(6, edition=LAND)), Step)


def test_cards_with_texts_of_their_own_are_good_and_counted_as_such() -> None:
    """The owner's file is taken as it is, and the summary says what people will have to do."""
    found = read_own(land_by_hand(), "mine.toml")
    assert isinstance(found, OwnFile)
    holds = dict(Checked(Path("mine.toml"), "haulers", found).holds("en"))
    assert holds["transit cards"].endswith("1 orders, 1 by_hand")
    assert holds["mission cards"] == "5, of them judged by the table: 1"


def test_every_delivery_of_our_map_can_be_driven() -> None:
    board = lay_out(our_edition())
    for card in our_edition().deliveries:
        ends = {card.top, card.bottom}
        for city in ends & set(board.overseas):
            reached = paths(board.sea, city, 99)
            assert any(port in reached for port in board.ports)
        for city in ends - set(board.overseas):
            assert all(start == city or start in paths(board.roads, city, 99) for start in board.numbers.values())


def test_squares_lie_between_their_cities_in_order() -> None:
    edition = read_edition(LAND)
    assert isinstance(edition, Edition)
    board = lay_out(edition)
    assert board.roads["Aal"] == ("Aal–Bos 1",)
    assert board.squares["Aal–Bos 1"].at == (50.0, 50.0)
    assert board.sea["Dor"] == ("Dor–Fin 1",)
    assert board.sea["Dor–Fin 2"] == ("Dor–Fin 1", "Fin")
    assert (board.overseas, board.ports) == (("Fin",), ("Dor",))
