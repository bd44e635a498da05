"""What a chain, a café and a guest see on a hub's pages, and who may do what."""

from __future__ import annotations

import re
from html import unescape

import pytest

from appliance.games.catalogue import GAMES
from appliance.hub.envelopes import Happened, Told
from appliance.hub.folds.rebuild import rebuild
from appliance.hub.people.accounts import signing_key
from appliance.hub.store.envelopes_kept import Arrived, store
from appliance.words import LANGUAGES
from tests.markup import faults
from tests.web.hub.conftest import CODE, ORIGIN, PASSWORD, StandingHub

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


@pytest.fixture
def evening(hub: StandingHub) -> StandingHub:
    """Two cafés: one table plays, one rests, one is silent, one is not well."""
    for name, cafe in (("bay", "Anker"), ("pier", "Anker"), ("mole", "Central"), ("quay", "Central")):
        hub.table(name, cafe)
    hub.tables["bay"].goes_on(hub.tables["bay"].open(("Ann", "Bob", None)))
    hub.tables["mole"].played(("Cay", "Dee"), 1)
    hub.client("chain").post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    hub.now_s += 600
    hub.hears("bay", "mole", "quay")
    hub.reports("bay")
    hub.reports("mole", scale="faulty", release="0.0.9", off_s=-86400 * 365)
    hub.reports("quay")
    return hub


def test_the_chain_sees_what_plays_rests_and_is_ill_and_what_to_do(evening: StandingHub) -> None:
    page = evening.client("chain").get("/").text
    tiles = {state: int(n) for state, n in re.findall(r'<p class="tile (\w+)[^>]*"><b>(\d+)</b>', page)}
    assert tiles["playing"] == 1
    assert tiles["resting"] == 2
    assert tiles["silent"] == 1
    assert "Not heard for 10 minutes" in page
    assert "Scale is not well. Open the self-test" in page
    assert "It runs release 0.0.9, others run 0.1.0" in page
    assert "Its clock is off by 525600 minutes" in page


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


@pytest.mark.parametrize("deed", ["end", "come", "go", "table", "call", "off"])
@pytest.mark.parametrize(("who", "status"), [(None, 401), ("Central", 403)])
def test_a_night_of_all_cafes_is_run_by_the_chain(
    evening: StandingHub, deed: str, who: str | None, status: int
) -> None:
    done = evening.client(who).post(f"/night/1/{deed}", data={"name": "Eve", "table": "bay"}, headers=ORIGIN)
    assert done.status_code == status


@pytest.mark.parametrize("path", ["/login", "/tables", "/night/1/end", "/guest/erase", "/accounts/remove"])
@pytest.mark.parametrize("headers", [{}, {"Origin": "http://elsewhere.example"}])
def test_forms_of_other_sites_are_refused(evening: StandingHub, path: str, headers: dict[str, str]) -> None:
    assert evening.client("chain").post(path, data={}, headers=headers).status_code == 403


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
        told = ("sent other content", "cannot be read by this hub", "Its clock went back")
        assert all(words in chain.get("/").text for words in told)
        assert 'formaction="/tables/seen"' in chain.get("/tables").text
        assert chain.post("/tables/seen", data={"table": "bay"}, headers=ORIGIN).location == "/tables"
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
        assert chain.post("/tables/retire", data={"table": "cellar"}, headers=ORIGIN).location == "/tables"
        figures = hub.client().get("/metrics").text
        assert 'id="cellar"' not in figures
        assert "smugglers_hub_envelopes_stored_total 3" in figures
        assert "smugglers_hub_envelopes_unfolded 0" in figures
        assert "Not heard for" not in chain.get("/").text
        assert "Ann" in chain.get("/league").text
        hub.reports("cellar")
        assert 'id="cellar"' in hub.client().get("/metrics").text

    @pytest.mark.parametrize("deed", ["seen", "retire"])
    def test_the_chain_alone_ends_them(self, evening: StandingHub, deed: str) -> None:
        for who, table, status in ((None, "mole", 401), ("Central", "mole", 403), ("chain", "nowhere", 404)):
            done = evening.client(who).post(f"/tables/{deed}", data={"table": table}, headers=ORIGIN)
            assert done.status_code == status


class TestSigningIn:
    def test_the_first_account_is_made_with_the_code_once(self, hub: StandingHub) -> None:
        client = hub.client()
        assert client.get("/").location == "/login"
        assert client.get("/login").location == "/first"
        form = {"code": "guessed", "name": "Owner", "password": PASSWORD}
        assert client.post("/first", data=form, headers=ORIGIN).status_code == 403
        assert (
            client.post("/first", data={**form, "code": CODE, "password": "short"}, headers=ORIGIN).status_code == 422
        )
        assert client.post("/first", data={**form, "code": CODE}, headers=ORIGIN).location == "/"
        assert client.get("/").status_code == 200
        second = hub.client().post("/first", data={**form, "code": CODE, "name": "Thief"}, headers=ORIGIN)
        assert second.location == "/login"
        assert hub.web.accounts.named("thief") is None

    @pytest.mark.parametrize(
        ("wrong", "status"),
        [({"password": "x9!"}, 422), ({"cafe": "no\tname"}, 422), ({"name": "chain"}, 409), ({"name": ""}, 422)],
    )
    def test_a_refused_account_keeps_what_was_typed_but_for_the_password(
        self, hub: StandingHub, wrong: dict[str, str], status: int
    ) -> None:
        typed = {"name": "Bernd & Co", "cafe": "Zum Anker", "password": PASSWORD, **wrong}
        answer = hub.client("chain").post("/accounts", data=typed, headers=ORIGIN)
        kept = dict(re.findall(r'<input name="(name|cafe)" value="([^"]*)"', answer.text))
        assert {field: unescape(value) for field, value in kept.items()} == {
            one: typed[one] for one in ("name", "cafe")
        }
        assert re.search(r'role="alert">[^<]+', answer.text)
        assert answer.status_code == status
        assert typed["password"] not in answer.text

    def test_signing_out_ends_a_copy_of_the_cookie_and_no_other_device(self, hub: StandingHub) -> None:
        here, there = hub.client("Anker"), hub.app.test_client()
        answer = there.post("/login", data={"name": "Anker", "password": PASSWORD}, headers=ORIGIN)
        assert answer.status_code == 302
        cookie = here.get_cookie("hub")
        assert cookie is not None
        assert here.get("/").status_code == 200
        out = here.post("/logout", headers=ORIGIN)
        assert (out.status_code, out.headers["Clear-Site-Data"]) == (302, '"cache"')
        thief = hub.app.test_client()
        thief.set_cookie("hub", cookie.value)
        assert thief.get("/").status_code != 200
        assert there.get("/").status_code == 200

    def test_what_is_noted_of_signing_out_is_forgotten_when_the_cookie_has_run_out(self, hub: StandingHub) -> None:
        accounts = hub.web.accounts
        accounts.sign_out("first", 1000.0, 50.0)
        accounts.sign_out("second", 1049.0, 50.0)
        assert accounts.is_signed_out("first")
        accounts.sign_out("third", 1051.0, 50.0)
        assert not accounts.is_signed_out("first")
        assert accounts.is_signed_out("second")
        assert len(hub.web.key) == 32, "the hub's other secrets stay"
        assert signing_key(hub.database) == hub.web.key

    def test_guessing_is_slowed_and_does_not_lock_the_right_one_out_elsewhere(self, hub: StandingHub) -> None:
        hub.client("chain")
        stranger = hub.client()
        stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
        wrong = [
            stranger.post("/login", data={"name": "chain", "password": f"guess {n}"}, headers=ORIGIN).status_code
            for n in range(7)
        ]
        assert wrong == [302] * 5 + [429] * 2
        assert hub.client("chain").get("/").status_code == 200

    def test_what_strangers_enter_elsewhere_locks_nobody_out(self, hub: StandingHub) -> None:
        hub.client("chain")
        for n in range(40):
            stranger = hub.client()
            stranger.environ_base["REMOTE_ADDR"] = f"192.0.2.{n}"
            wrong = stranger.post("/guest/erase", data={"name": "Dee", "code": "AAAAA-AAAAA"}, headers=ORIGIN)
            assert wrong.status_code == 403
            taken = stranger.post("/guest/take", data={"name": f"Guest {n}"}, headers=ORIGIN)
            assert taken.status_code == 200
        owner = hub.client()
        owner.environ_base["REMOTE_ADDR"] = "192.0.2.3"
        for n in range(6):
            owner.post("/guest/erase", data={"name": "Dee", "code": f"AAAAA-AAAA{n}"}, headers=ORIGIN)
            owner.post("/login", data={"name": "Somebody else", "password": "wrong"}, headers=ORIGIN)
        entered = owner.post("/login", data={"name": "chain", "password": PASSWORD}, headers=ORIGIN)
        assert (entered.status_code, entered.location) == (302, "/")

    def test_guessing_at_one_account_after_the_other_is_slowed_too(self, hub: StandingHub) -> None:
        stranger = hub.client()
        stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
        done = [
            stranger.post("/guest/erase" if n % 2 else "/login", data={"name": f"n{n}"}, headers=ORIGIN).status_code
            for n in range(70)
        ]
        assert done[0] == 302
        assert done[-1] == 429

    def test_a_table_full_of_guests_behind_one_address_takes_its_names(self, hub: StandingHub) -> None:
        guests = hub.client()
        guests.environ_base["REMOTE_ADDR"] = "192.0.2.7"
        done = [guests.post("/guest/take", data={"name": f"Guest {n}"}, headers=ORIGIN).status_code for n in range(21)]
        assert done == [200] * 20 + [429]

    def test_whoever_was_removed_is_a_guest_at_once(self, hub: StandingHub) -> None:
        chain, cafe = hub.client("chain"), hub.client("Anker")
        assert cafe.get("/").status_code == 200
        chain.post("/accounts/remove", data={"name": "anker"}, headers=ORIGIN)
        assert cafe.get("/").location == "/league"

    @pytest.mark.parametrize("typed", ["chain", "CHAIN ", " Chain", "ｃｈａｉｎ"])
    def test_nobody_removes_the_account_they_are_signed_in_with(self, hub: StandingHub, typed: str) -> None:
        chain = hub.client("chain")
        assert chain.post("/accounts/remove", data={"name": typed}, headers=ORIGIN).status_code == 409
        assert chain.get("/accounts").status_code == 200
        assert not hub.web.accounts.remove(typed), "the last account of the chain stays, whoever asks"

    def test_a_cookie_that_somebody_else_signed_is_a_guests(self, hub: StandingHub) -> None:
        hub.client("chain")
        stranger = hub.client()
        stranger.set_cookie("hub", "chain.aaaa.bbbb")
        assert stranger.get("/").location == "/league"

    def test_passwords_stand_nowhere(self, hub: StandingHub) -> None:
        hub.client("chain")
        with hub.database.read() as connection:
            rows = connection.exec_driver_sql("SELECT * FROM accounts").all()
        assert PASSWORD not in repr(rows)
        assert "scrypt:" in repr(rows)


class TestGuests:
    def test_a_nickname_is_theirs_and_is_erased_with_its_code(self, evening: StandingHub) -> None:
        guest = evening.client()
        taken = evening.client("Central").post("/guest/take", data={"name": "Dee"}, headers=ORIGIN).text
        (code,) = re.findall(r'<p class="own-code">([A-Z2-9-]+)</p>', taken)
        assert guest.post("/guest/take", data={"name": "DEE"}, headers=ORIGIN).status_code == 409
        wrong = guest.post("/guest/erase", data={"name": "Dee", "code": "AAAAA-AAAAA"}, headers=ORIGIN)
        assert wrong.status_code == 403
        assert guest.post("/guest/erase", data={"name": "dee", "code": code.lower()}, headers=ORIGIN).status_code == 302
        evening.hears()
        with evening.database.read() as connection:
            for table in (
                "envelopes",
                "games",
                "results",
                "players",
                "steps",
                "standings",
                "changed",
                "guests",
                "erased",
            ):
                rows = repr(connection.exec_driver_sql(f"SELECT * FROM {table}").all())
                assert not re.search(r"\bdee\b", rows, re.IGNORECASE), table

    def test_a_stranger_gets_no_code_of_a_name_that_plays(self, evening: StandingHub) -> None:
        evening.client("chain").post("/night/1/come", data={"name": "Gus"}, headers=ORIGIN)
        stranger = evening.client()
        for name in ("Dee", "dee ", "Ann", "GUS"):
            answer = stranger.post("/guest/take", data={"name": name}, headers=ORIGIN)
            assert (answer.status_code, "own-code" in answer.text) == (409, False), name
        assert "own-code" in stranger.post("/guest/take", data={"name": "Hal"}, headers=ORIGIN).text
        for staff, name in (("Central", "Dee"), ("chain", "Gus")):
            given = evening.client(staff).post("/guest/take", data={"name": name}, headers=ORIGIN)
            assert "own-code" in given.text, name

    def test_a_cafe_gives_out_no_code_of_a_name_that_plays_in_another_alone(self, hub: StandingHub) -> None:
        anker, central = hub.table("bay", "Anker"), hub.table("mole", "Central")
        anker.played(("Ann", "Bob"), 0)
        central.played(("Bob", "Cay"), 0)
        hub.hears()
        hub.client("Anker").post(
            "/night/begin", data={"cafe": "Anker", "game": "smugglers", "size": "4"}, headers=ORIGIN
        )
        hub.client("Anker").post("/night/1/come", data={"name": "Dee"}, headers=ORIGIN)
        asked = hub.client("Central")
        given = {
            name: "own-code" in asked.post("/guest/take", data={"name": name}, headers=ORIGIN).text
            for name in ("Ann", "Bob", "Cay", "Dee", "Eve")
        }
        assert given == {"Ann": False, "Bob": True, "Cay": True, "Dee": False, "Eve": True}
        assert "own-code" in hub.client("Anker").post("/guest/take", data={"name": "Dee"}, headers=ORIGIN).text
        assert "own-code" in hub.client("chain").post("/guest/take", data={"name": "Ann"}, headers=ORIGIN).text

    def test_what_comes_late_does_not_bring_an_erased_name_back(self, evening: StandingHub) -> None:
        late = evening.tables["quay"]
        late.wall_s = evening.now_s - 3000
        late.played(("Dee", "Eve", "Fay"), 0)
        evening.client("chain").post("/guest/erase", data={"name": "Dee"}, headers=ORIGIN)
        evening.hears("quay")
        league = evening.client().get("/league").text
        assert ("Dee" in league, "Eve" in league) == (False, True)
        with evening.database.read() as connection:
            assert b"Dee" not in b"".join(row.data for row in connection.exec_driver_sql("SELECT data FROM envelopes"))
        late.wall_s = evening.now_s + 60
        late.played(("Dee", "Eve"), 0)
        evening.hears("quay")
        assert "Dee" in evening.client().get("/league").text, "whoever plays on after it is known again"


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
    assert "Scale is not well" in page


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
