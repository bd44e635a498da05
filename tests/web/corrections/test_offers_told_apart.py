"""The corrections that are offered can be told apart: no two of them end in the same words."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from itertools import islice
from random import Random

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.table.game.corrections import OFFERS_MOST, offers, told_apart
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import play_of
from tests.moments import NAMED, Course, random_setups
from tests.web.corrections.test_likely_corrections import BOTH_PASSED, OPENING, WEIGHED, done, tried
from tests.web.stand import Stand
from web.words.speech import Speech

STEPS, EVERY = 160, 4
"""How far each random game is followed, and in how many of its steps the offers are looked at once."""
GAMES_WITH_OFFERS = [game for game in GAMES if the_game(game).mistaken is not None]


def offered_at_the_touchscreen(stand: Stand, language: str) -> list[str]:
    """Return the large words of each offer, as the touchscreen has them."""
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    page = unescape(kiosk.get("/kiosk/corrections").text)
    section = page[page.index('<section class="offers">') :].partition("</section>")[0]
    return re.findall(r"<b>([^<]*)</b></a>", section)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", [f"{name}’s sphere is weighed again." for name in ("Cleo", "Ben", "Ann")]),
        ("de", [f"Die Kugel von {name} wird noch einmal gewogen." for name in ("Cleo", "Ben", "Ann")]),
    ],
)
def test_after_a_ranking_each_offer_says_which_sphere_is_weighed_again(
    stand: Stand, language: str, said: list[str]
) -> None:
    stand.open(3)
    stand.play(*OPENING, *(tried(seat, "passed") for seat in range(3)), *WEIGHED, done("weigh", 2, mass_g=10.0))
    assert offered_at_the_touchscreen(stand, language)[:3] == said


def test_an_offer_keeps_its_place_where_a_less_likely_one_ends_in_the_same_words(stand: Stand) -> None:
    stand.open(2)
    stand.play(*BOTH_PASSED, *WEIGHED)
    answered = stand.table.offers()
    assert isinstance(answered, tuple)
    likeliest, next_one, *_ = answered
    assert told_apart([likeliest, next_one, likeliest]) == [likeliest, next_one]


def test_what_an_offer_says_is_what_it_does(stand: Stand) -> None:
    stand.open(2)
    stand.play(*BOTH_PASSED, *WEIGHED)
    assert offered_at_the_touchscreen(stand, "en")[1] == "Ann’s sphere is weighed again."
    answered = stand.table.offers()
    assert isinstance(answered, tuple)
    body = {"seq": answered[1].seq, "action": answered[1].action, "id": "again-1"}
    assert stand.kiosk().post("/api/v1/amendments", json=body).status_code == 200
    asked = [(one.do, one.seat) for one in the_game("smugglers").rules.expects(stand.table.snapshot().state, None)]
    assert asked == [("weigh", 0)], "only Ann's sphere goes back to the scale"


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES_WITH_OFFERS)
def test_no_two_offers_end_in_the_same_words(game: str) -> None:
    says = [Speech(language, game, NAMED) for language in LANGUAGES]
    looked_at, twice = 0, set()
    for number, setup in enumerate(random_setups(game)):
        course = Course(game, setup)
        for step, (_, action, *_) in enumerate(islice(play_of(game).played(setup, Random(number)), STEPS)):
            assert course.do(action)
            if step % EVERY:
                continue
            offered = offers(course.history, {}, {}, OFFERS_MOST)
            looked_at += len(offered)
            for say in says:
                ends = Counter(say.offered(offer)[1] for offer in offered)
                twice |= {(words, step) for words, count in ends.items() if count > 1}
    assert looked_at > 100
    assert twice == set()
