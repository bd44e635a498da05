"""What a chain, a café and a guest see on a hub's pages, and who may do what."""

from __future__ import annotations

import re
from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from appliance.hub.chain.tables_now import tables_now
from appliance.hub.envelopes import Happened, Told
from appliance.hub.folds.rebuild import rebuild
from appliance.hub.store.envelopes_kept import Arrived, store
from appliance.words.catalogues import LANGUAGES
from tests.markup import faults
from tests.web.hub.conftest import ORIGIN, PASSWORD, StandingHub

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


def test_the_chain_sees_what_plays_rests_and_is_ill_and_what_to_do(evening: StandingHub) -> None:
    page = evening.client("chain").get("/").text
    tiles = {state: int(n) for state, n in re.findall(r'<p class="tile (\w+)[^>]*"><b>(\d+)</b>', page)}
    assert tiles["playing"] == 1
    assert tiles["resting"] == 2
    assert tiles["silent"] == 1
    assert "Nothing was received for 10 minutes" in page
    assert "Scale has a fault. Open the self-test" in page
    assert "It runs release 0.0.9, others run 0.1.0" in page
    assert "Its clock and the hub’s differ by 365 days." in page


@pytest.mark.parametrize(
    ("language", "after_s", "says"),
    [
        ("en", 60, ""),
        ("en", 100, "Last heard a minute ago"),
        ("en", 290, "Last heard 4 minutes ago"),
        ("de", 290, "Zuletzt vor 4 Minuten gehört"),
        ("en", 320, ""),
    ],
)
def test_pages_say_when_a_table_was_heard_whose_report_is_overdue(
    hub: StandingHub, language: str, after_s: int, says: str
) -> None:
    hub.table("bay", "Anker")
    hub.tables["bay"].goes_on(hub.tables["bay"].open(("Ann", "Bob", "Cay")))
    hub.hears()
    chain = hub.client("chain")
    chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    chain.post("/night/1/table", data={"table": "bay"}, headers=ORIGIN)
    hub.now_s += after_s
    chain.set_cookie("language", language)
    said = re.compile(r"(?:Last heard|Zuletzt) [^<]*")
    assert [said.findall(chain.get(page).text) for page in ("/", "/wall?cafe=Anker", "/night/1")] == [
        [says] if says else []
    ] * 3


def test_pages_say_how_much_of_a_table_has_not_arrived(hub: StandingHub) -> None:
    bay, chain = hub.table("bay", "Anker"), hub.client("chain")
    bay.played(("Ann", "Bob"), 1)
    hub.hears()
    chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    chain.post("/night/1/table", data={"table": "bay"}, headers=ORIGIN)

    def said(language: str = "en") -> list[str]:
        pages = [chain.get(page, headers={"Accept-Language": language}) for page in ("/", "/night/1")]
        return [found for page in pages for found in re.findall(r"[\d.,]+ (?:entries|Einträge) [^<]*", page.text)]

    hub.reports("bay", newest=len(bay.sent) + 20)
    assert said() == [], "what is on its way at any moment"
    hub.reports("bay", newest=len(bay.sent) + 1234)
    assert said() == ["1,234 entries have not arrived yet"] * 2
    assert said("de") == ["1.234 Einträge sind noch nicht da"] * 2
    hub.without_key["bay"] = "bay-2"
    assert said() == [], "nothing more of it comes under this name"


def test_a_cafe_sees_its_own_tables_alone(evening: StandingHub) -> None:
    page = evening.client("Central").get("/").text
    assert ("mole" in page, "quay" in page, "bay" in page, "pier" in page) == (True, True, False, False)


def test_everybody_sees_the_league_the_wall_and_the_night(evening: StandingHub) -> None:
    guest = evening.client()
    assert guest.get("/").location == "/league"
    league = guest.get("/league").text
    assert re.findall(r'<th scope="row">(\w+)</th>', league) == ["Dee", "Cay"]
    wall = guest.get("/wall?cafe=Anker").text
    assert all(shown in wall for shown in ("bay", "Ann", "Bob", "Somebody", "Not connected"))
    assert guest.get("/night").location == "/night/1"
    assert "<form" not in guest.get("/night/1").text.partition("<main")[2]


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


@pytest.mark.parametrize("page", ["/tables", "/accounts"])
@pytest.mark.parametrize(("who", "status"), [(None, 401), ("Central", 403), ("chain", 200)])
def test_the_chains_pages_are_the_chains(evening: StandingHub, page: str, who: str | None, status: int) -> None:
    assert evening.client(who).get(page).status_code == status


@pytest.mark.parametrize("typed", ["anker", "ANKER", "  Ａnker "])
def test_a_cafe_is_one_however_it_is_typed(evening: StandingHub, typed: str) -> None:
    chain = evening.client("chain")
    account = {"name": "Keeper", "password": PASSWORD, "cafe": typed}
    chain.post("/accounts", data=account, headers=ORIGIN)
    chain.post("/tables", data={"table": "quay", "label": "", "cafe": typed}, headers=ORIGIN)
    keeper = evening.app.test_client()
    keeper.post("/login", data={"name": "Keeper", "password": PASSWORD}, headers=ORIGIN)
    page = keeper.get("/").text
    assert [name in page for name in ("bay", "pier", "quay", "mole")] == [True, True, True, False]


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


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["end", "come", "go", "table", "call", "off"])
@pytest.mark.parametrize(("who", "status"), [(None, 401), ("Central", 403)])
def test_a_night_of_all_cafes_is_run_by_the_chain(
    evening: StandingHub, deed: str, who: str | None, status: int
) -> None:
    done = evening.client(who).post(f"/night/1/{deed}", data={"name": "Eve", "table": "bay"}, headers=ORIGIN)
    assert done.status_code == status


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/login", "/tables", "/night/1/end", "/guest/erase", "/accounts/remove"])
@pytest.mark.parametrize("headers", [{}, {"Origin": "http://elsewhere.example"}])
def test_forms_of_other_sites_are_refused(evening: StandingHub, path: str, headers: dict[str, str]) -> None:
    assert evening.client("chain").post(path, data={}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("path", "asked", "status", "what_to_do"),
    [
        ("/nowhere", {}, 404, "There is nothing here."),
        ("/league", {"headers": {"Host": "hub.example"}}, 400, "--name"),
        ("/login", {"method": "POST", "headers": {"Origin": "https://localhost"}}, 403, "--behind-proxy"),
        ("/metrics", {"environ_overrides": {"REMOTE_ADDR": "10.0.0.5"}}, 403, "metrics_token"),
    ],
)
def test_a_refusal_speaks_of_the_hub_and_not_of_a_table(
    evening: StandingHub, path: str, asked: dict[str, Any], status: int, what_to_do: str
) -> None:
    answer = evening.client().open(path, **asked)
    said = answer.text.partition('class="correction">')[2].partition("</p>")[0]
    assert (answer.status_code, what_to_do in said) == (status, True)
    assert not re.search("table|scoreboard|host’s page", said)


def test_every_answer_has_the_security_headers(evening: StandingHub) -> None:
    for path in ("/league", "/nowhere", "/static/hub.css", "/metrics"):
        headers = evening.client().get(path, buffered=True).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"], path
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert evening.client().get("/league", headers={"Host": "rebound.example"}).status_code == 400


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


def test_one_table_and_several_have_each_their_words(evening: StandingHub) -> None:
    page = evening.client("chain").get("/", headers={"Accept-Language": "de"}).text
    tiles = re.findall(r'<p class="tile[^>]*><b>(\d+)</b> ([^<]*)</p>', page)
    assert tiles == [("1", "spielt"), ("2", "ruhen"), ("1", "stumm"), ("2", "bitte nachsehen")]
    (quay,) = re.findall(r"<b>quay</b><span>(.*?)</span>", page)
    assert quay == "ruht"
    evening.client("chain").post("/tables/retire", data={"table": "pier"}, headers=ORIGIN)
    assert "<b>1</b> needs attention" in evening.client("chain").get("/").text


class TestProblemsThatEnd:
    def test_what_was_refused_and_skipped_is_told_until_somebody_has_seen_it(self, hub: StandingHub) -> None:
        table = hub.table("bay", "Anker")
        table.played(("Ann", "Bob"), 0)
        hub.hears()
        unread = Arrived("bay", len(table.sent) + 1, b"not JSON")
        store(hub.database, [Arrived("bay", 1, b"other"), unread], hub.now_s)
        table.sent.append(unread)
        table.wall_s -= 86400
        table.played(("Ann", "Bob"), 0)
        hub.hears()
        chain = hub.client("chain")
        told = ("sent different content", "cannot be read by this hub", "Its clock went back")
        assert all(words in chain.get("/").text for words in told)
        assert 'formaction="/tables/seen"' in chain.get("/tables").text
        assert chain.post("/tables/seen", data={"table": "bay"}, headers=ORIGIN).location == "/tables#table-bay"
        assert not any(words in chain.get("/").text for words in told)
        assert "/tables/seen" not in chain.get("/tables").text
        assert 'problem="' not in chain.get("/metrics").text
        rebuild(hub.database)
        assert not any(words in chain.get("/").text for words in told)
        store(hub.database, [Arrived("bay", 1, b"other")], hub.now_s)
        assert told[0] in chain.get("/").text

    def test_a_table_that_is_silent_for_good_is_retired_and_back_when_it_is_heard(self, hub: StandingHub) -> None:
        table = hub.table("cellar", "Anker")
        table.played(("Ann", "Bob"), 0)
        hub.table("cellar-2", "Anker")
        hub.now_s += 3600
        hub.reports("cellar-2")
        chain = hub.client("chain")
        assert chain.get("/tables").text.count('formaction="/tables/retire"') == 1
        before = hub.client().get("/metrics").text
        assert 'id="cellar"' in before
        assert chain.post("/tables/retire", data={"table": "cellar"}, headers=ORIGIN).status_code == 302
        figures = hub.client().get("/metrics").text
        assert 'id="cellar"' not in figures
        assert "smugglers_hub_envelopes_stored_total 3" in figures
        assert "smugglers_hub_envelopes_unfolded 0" in figures
        assert "Nothing was received for" not in chain.get("/").text
        assert "Ann" in chain.get("/league").text
        # The hub's clock was ahead, and is put right.
        hub.now_s -= 86400
        hub.reports("cellar")
        assert 'id="cellar"' in hub.client().get("/metrics").text

    @pytest.mark.parametrize(
        ("named", "code", "told"),
        [
            ("", "revoked", "Its key was revoked"),
            ("pier-2", "invited_again", "is called pier-2 since then"),
        ],
    )
    @pytest.mark.parametrize("silent", [True, False])
    def test_a_table_without_a_key_has_no_fault_of_power_or_network(
        self, evening: StandingHub, named: str, code: str, told: str, silent: bool
    ) -> None:
        chain = evening.client("chain")
        assert "Nothing was received for 10 minutes" in chain.get("/").text
        evening.without_key["pier"] = named
        if not silent:
            evening.reports("pier", scale="faulty", release="0.0.1")
        page = chain.get("/").text
        (ill,) = re.findall(r"<li><b>pier</b>(.*?)</li>", page)
        assert (told in ill, ill.count("<p>")) == (True, 1)
        assert chain.get("/tables").text.count('formaction="/tables/retire"') == 1
        figures = evening.client().get("/metrics").text
        assert f'{{cafe="Anker",id="pier",table="pier",problem="{code}"}} 1' in figures
        chain.post("/tables/retire", data={"table": "pier"}, headers=ORIGIN)
        assert told not in chain.get("/").text

    @pytest.mark.parametrize("deed", ["seen", "retire"])
    def test_the_chain_alone_ends_them(self, evening: StandingHub, deed: str) -> None:
        for who, table, status in ((None, "mole", 401), ("Central", "mole", 403), ("chain", "nowhere", 404)):
            done = evening.client(who).post(f"/tables/{deed}", data={"table": table}, headers=ORIGIN)
            assert done.status_code == status


@pytest.mark.parametrize("release", ["²", "9" * 5000, "0.1.²", "", "."])
def test_a_release_that_is_no_number_takes_no_page_away(evening: StandingHub, release: str) -> None:
    evening.reports("quay", release=release)
    page = evening.client("chain").get("/")
    assert page.status_code == 200
    assert "others run 0.1.0" in page.text
    assert evening.client().get("/wall?cafe=Anker").status_code == 200


def test_sensors_that_no_table_has_are_nobodys_trouble(evening: StandingHub) -> None:
    evening.reports("quay", **{f"made_up_{n}": "faulty" for n in range(50)}, scale="faulty")
    page = evening.client("chain").get("/").text
    assert "made" not in page.lower()
    assert "Scale has a fault" in page


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


def test_figures_for_monitoring_name_table_and_problem(evening: StandingHub) -> None:
    figures = evening.client().get("/metrics").text
    assert 'smugglers_hub_table_problem{cafe="Central",id="mole",table="mole",problem="device"} 1' in figures
    assert 'smugglers_hub_tables{state="silent"} 1' in figures
    stranger = evening.client()
    stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    assert stranger.get("/metrics").status_code == 403
    assert stranger.get("/metrics", headers={"Authorization": "Bearer token"}).status_code == 200
