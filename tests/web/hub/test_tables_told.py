"""What a hub tells of its tables: which play, rest and are ill, what is missing of them, and when that ends."""

from __future__ import annotations

import re
from typing import Any

import pytest

from appliance.hub.folds.rebuild import rebuild
from appliance.hub.store.envelopes_kept import Arrived, store
from tests.web.hub.conftest import ORIGIN, StandingHub


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
    made_up: dict[str, Any] = {f"made_up_{n}": "faulty" for n in range(50)}
    evening.reports("quay", **made_up, scale="faulty")
    page = evening.client("chain").get("/").text
    assert "made" not in page.lower()
    assert "Scale has a fault" in page


def test_figures_for_monitoring_name_table_and_problem(evening: StandingHub) -> None:
    figures = evening.client().get("/metrics").text
    assert 'smugglers_hub_table_problem{cafe="Central",id="mole",table="mole",problem="device"} 1' in figures
    assert 'smugglers_hub_tables{state="silent"} 1' in figures
    stranger = evening.client()
    stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    assert stranger.get("/metrics").status_code == 403
    assert stranger.get("/metrics", headers={"Authorization": "Bearer token"}).status_code == 200


def test_what_a_stolen_key_reports_of_itself_fills_no_page_and_is_not_the_others_release(hub: StandingHub) -> None:
    for name in ("bay", "mole"):
        hub.table(name, "Anker").played(("Ann", "Bob"), 0)
    hub.hears()
    hub.reports("bay")
    hub.reports("mole", release="9.9.9 " + "call this number " * 1000, off_s=1e308)
    page = hub.client("chain").get("/").text
    assert "others run 9.9.9" not in page
    assert "It runs release 9.9.9 call this numb, others run 0.1.0" in page
    assert "Its clock and the hub’s differ by 36525 days." in page
    assert len(page) < 10_000
