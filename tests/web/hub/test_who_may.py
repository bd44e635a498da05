"""What a chain, a café and a guest see of a hub and may do, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.hub.conftest import ORIGIN, PASSWORD, StandingHub


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
