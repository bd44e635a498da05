"""A guest's own nickname at a hub: taken by a code, erased by it, and nobody else's."""

from __future__ import annotations

import re

from tests.web.hub.conftest import ORIGIN, StandingHub


def test_a_nickname_is_theirs_and_is_erased_with_its_code(evening: StandingHub) -> None:
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


def test_a_stranger_gets_no_code_of_a_name_that_plays(evening: StandingHub) -> None:
    evening.client("chain").post("/night/1/come", data={"name": "Gus"}, headers=ORIGIN)
    stranger = evening.client()
    for name in ("Dee", "dee ", "Ann", "GUS"):
        answer = stranger.post("/guest/take", data={"name": name}, headers=ORIGIN)
        assert (answer.status_code, "own-code" in answer.text) == (409, False), name
    assert "own-code" in stranger.post("/guest/take", data={"name": "Hal"}, headers=ORIGIN).text
    for staff, name in (("Central", "Dee"), ("chain", "Gus")):
        given = evening.client(staff).post("/guest/take", data={"name": name}, headers=ORIGIN)
        assert "own-code" in given.text, name


def test_a_cafe_gives_out_no_code_of_a_name_that_plays_in_another_alone(hub: StandingHub) -> None:
    anker, central = hub.table("bay", "Anker"), hub.table("mole", "Central")
    anker.played(("Ann", "Bob"), 0)
    central.played(("Bob", "Cay"), 0)
    hub.hears()
    hub.client("Anker").post("/night/begin", data={"cafe": "Anker", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    hub.client("Anker").post("/night/1/come", data={"name": "Dee"}, headers=ORIGIN)
    asked = hub.client("Central")
    given = {
        name: "own-code" in asked.post("/guest/take", data={"name": name}, headers=ORIGIN).text
        for name in ("Ann", "Bob", "Cay", "Dee", "Eve")
    }
    assert given == {"Ann": False, "Bob": True, "Cay": True, "Dee": False, "Eve": True}
    assert "own-code" in hub.client("Anker").post("/guest/take", data={"name": "Dee"}, headers=ORIGIN).text
    assert "own-code" in hub.client("chain").post("/guest/take", data={"name": "Ann"}, headers=ORIGIN).text


def test_what_comes_late_does_not_bring_an_erased_name_back(evening: StandingHub) -> None:
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
