"""What a hub's pages say, in which words, and of what does not exist."""

from __future__ import annotations

import re

import pytest

from appliance.games.catalogue import GAMES
from appliance.hub.chain.tables_now import tables_now
from appliance.hub.envelopes import Happened, Told
from appliance.words.catalogues import LANGUAGES
from tests.markup import faults
from tests.web.hub.conftest import ORIGIN, StandingHub

PAGES = (
    "/",
    "/league",
    "/wall",
    "/wall?cafe=Anker",
    "/night",
    "/night/1",
    "/tables",
    "/accounts",
    "/offers",
    "/guest",
    "/login",
)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("who", [None, "chain", "Central"])
def test_pages_have_all_their_words_and_sound_html(evening: StandingHub, language: str, who: str | None) -> None:
    client = evening.client(who)
    for page in PAGES:
        answer = client.get(page, headers={"Accept-Language": language})
        if answer.status_code == 200:
            assert f'<html lang="{language}">' in answer.text
            assert faults(answer.text, "smugglers") == [], page


@pytest.mark.parametrize(("language", "says"), [("en", "Saved."), ("de", "Gespeichert.")])
def test_a_change_that_was_kept_is_told_where_it_was_made(evening: StandingHub, language: str, says: str) -> None:
    chain = evening.client("chain")
    chain.set_cookie("language", language)
    assert says not in chain.get("/tables").text + chain.get("/offers").text
    moved = chain.post("/tables", data={"table": "quay", "label": "", "cafe": "Anker"}, headers=ORIGIN)
    page, _, place = moved.location.partition("#")
    (told,) = re.findall(rf'id="{place}">(.*?)</form>', chain.get(page).text)
    assert (re.findall(r"<b>(\w+)", told), says in told, chain.get(page).text.count(says)) == (["quay"], True, 1)
    offered = chain.post("/offers/house", data={"cafe": "Anker", "nothing": "1"}, headers=ORIGIN)
    assert re.search(
        rf'Anker <small role="status" id="saved">{says}', chain.get(offered.location.partition("#")[0]).text
    )


def test_two_browsers_that_change_one_table_keep_what_each_of_them_changed(evening: StandingHub) -> None:
    chain = evening.client("chain")
    forms = re.findall(
        r'<form method="post" action="/tables" class="placing"[^>]*>.*?</form>', chain.get("/tables").text
    )
    shown = next(
        dict(re.findall(r'name="(\w+)"(?: maxlength="\d+")? value="([^"]*)"', form))
        for form in forms
        if '"quay"' in form
    )
    for changed in ({"label": "By the door"}, {"cafe": "Anker"}):
        assert chain.post("/tables", data={**shown, **changed}, headers=ORIGIN).status_code == 302
    after = next(one for one in tables_now(evening.database, evening.now_s) if one.name == "quay")
    assert (after.label, after.cafe) == ("By the door", "Anker")
    chain.post("/tables", data={**shown, "was_label": "By the door", "label": ""}, headers=ORIGIN)
    assert "By the door" not in chain.get("/tables").text


def test_the_spelling_of_a_cafe_of_one_table_is_corrected(evening: StandingHub) -> None:
    chain = evening.client("chain")
    for cafe in ("hafen", "Hafen"):
        chain.post("/tables", data={"table": "quay", "label": "", "cafe": cafe}, headers=ORIGIN)
    assert 'value="Hafen"' in chain.get("/tables").text


def test_a_page_that_has_not_changed_does_not_travel_again(evening: StandingHub) -> None:
    guest = evening.client()
    first = guest.get("/wall?cafe=Anker")
    same = guest.get("/wall?cafe=Anker", headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    table = evening.tables["bay"]
    table.won(1, 0)
    evening.hears("bay")
    changed = guest.get("/wall?cafe=Anker", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200


class TestWhatDoesNotExist:
    @pytest.mark.parametrize(
        ("language", "told"), [("en", "There is no café"), ("de", "Ein Café dieses Namens gibt es")]
    )
    def test_a_cafe_that_was_mistyped_is_told_with_those_that_have_tables(
        self, evening: StandingHub, language: str, told: str
    ) -> None:
        answer = evening.client().get("/wall?cafe=TYPO", headers={"Accept-Language": language})
        assert (answer.status_code, told in answer.text) == (404, True)
        assert "TYPO" not in answer.text.partition("<body")[2].replace("cafe%3DTYPO", "")
        assert 'href="/wall?cafe=Anker"' in answer.text
        assert "docs/hub.md" not in answer.text

    @pytest.mark.parametrize("typed", ["anker", "%EF%BC%A1nker"])
    def test_a_cafe_is_found_however_it_is_typed(self, evening: StandingHub, typed: str) -> None:
        answer = evening.client().get(f"/wall?cafe={typed}")
        assert (answer.status_code, "<h1>Anker</h1>" in answer.text, "bay" in answer.text) == (200, True, True)

    def test_a_cafe_without_a_table_says_so_and_sends_nobody_to_the_manual(self, evening: StandingHub) -> None:
        keeper = evening.client("Hafen")
        wall = evening.client().get("/wall?cafe=hafen")
        assert (wall.status_code, "No table stands in this café yet." in wall.text) == (200, True)
        assert "No table stands in this café yet." in keeper.get("/").text
        assert "has sent anything" not in keeper.get("/").text + wall.text

    def test_a_hub_to_which_nobody_sent_tells_the_chain_what_to_do_and_no_guest(self, hub: StandingHub) -> None:
        assert "docs/hub.md says how" in hub.client("chain").get("/").text
        wall = hub.client().get("/wall")
        assert (wall.status_code, "No table has sent anything yet.</p>" in wall.text) == (200, True)

    @pytest.mark.parametrize(
        ("asked", "told", "way"),
        [
            ("page=9", "The list has no such page.", "page=0"),
            ("season=xx", "This game has no such season.", "season=&"),
            ("game=customs&season=2020-1", "This game has no such season.", "season=&"),
        ],
    )
    def test_a_page_or_season_that_the_league_has_not_is_told_with_one_that_it_has(
        self, evening: StandingHub, asked: str, told: str, way: str
    ) -> None:
        answer = evening.client().get(f"/league?{asked}")
        assert (answer.status_code, told in answer.text) == (404, True)
        assert "Nobody has won" not in answer.text
        links = [href.replace("&amp;", "&") for href in re.findall(r'href="(/league\?[^"]*)"', answer.text)]
        assert any(way in f"{href}&" for href in links)
        assert all(evening.client().get(href).status_code == 200 for href in links)

    def test_a_league_without_a_game_yet_is_no_missing_page(self, hub: StandingHub) -> None:
        page = hub.client().get("/league")
        assert (page.status_code, "Nobody has won a game here yet." in page.text) == (200, True)


@pytest.mark.slow
@pytest.mark.parametrize("points", ["x", 10**400, 10**4000, None, {}, [7], True])
def test_values_that_no_game_has_leave_the_wall_as_it_is(evening: StandingHub, points: object) -> None:
    table = evening.tables["bay"]
    for kind, code in ((kind, code) for kind in GAMES for code in ("game_won", "sphere_passed", "contract_fulfilled")):
        game = table.open(("Ann", "Bob"), kind)
        values = {"points": points, "seat": points, "winner": points, "winners": points}
        table._send(game, Happened(told=(Told(code=code, values=values),)), None)
        evening.hears("bay")
        page = evening.client().get("/wall?cafe=Anker")
        assert page.status_code == 200, (kind, code)
        assert "Ann" in page.text


def test_a_wrong_clock_and_a_made_up_game_are_not_the_leagues_first_page(hub: StandingHub) -> None:
    table = hub.table("bay", "Anker")
    table.played(("Ann", "Bob"), 0)
    table.wall_s += 20 * 365 * 86400
    table.played(("Late", "Later"), 0)
    table.played(("Made", "Up"), 0, kind="aaa")
    hub.hears()
    page = hub.client().get("/league").text
    assert re.findall(r'<th scope="row">(\w+)</th>', page) == ["Ann", "Bob"]
