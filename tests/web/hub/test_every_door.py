"""Every address of a hub at once: a guest, and the host of another café, may do what stands here and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.routing import Rule

from tests.web.hub.conftest import ORIGIN, StandingHub

GUESTS = {
    "GET /", "GET /league", "GET /wall", "GET /night", "GET /night/<int:number>", "GET /guest", "POST /guest/take",
    "GET /login", "GET /language/<language>", "GET /static/<path:filename>", "POST /logout",
}  # fmt: skip
"""What answers whoever comes along; the code of a name is given of one that nobody has played under."""
HOSTS = GUESTS | {"GET /offers"}
"""What answers the host of another café: the offers to their own tables, besides."""
LAST = "POST /logout"
"""After this an account is a guest."""
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.99"}
GIVEN = {"number": 1, "language": "de", "filename": "hub.css"}
FORM = {
    "name": "Zed", "password": "a password long enough", "code": "abcdef", "table": "bay", "label": "Ours",
    "cafe": "Anker", "game": "smugglers", "size": "4", "after": "0", "call": "0",
}  # fmt: skip


@pytest.fixture
def evening(hub: StandingHub) -> StandingHub:
    """A night of all cafés runs."""
    hub.table("bay", "Anker")
    hub.table("mole", "Central")
    hub.client("chain").post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    return hub


def doors(hub: StandingHub) -> Iterator[tuple[str, str, str]]:
    for rule in hub.app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) & {"GET", "POST", "PUT", "PATCH", "DELETE"}):
            yield f"{method} {rule}", method, filled(rule)


def filled(rule: Rule) -> str:
    built = rule.build({name: GIVEN.get(name, "no") for name in rule.arguments})
    assert built is not None, rule
    return str(built[1])


def opened_to(hub: StandingHub, client: FlaskClient, but: str = "") -> set[str]:
    """Go to every address but one. Return those that gave something else than a refusal or the way to the password."""
    found = set()
    for door, method, path in doors(hub):
        if door == but:
            continue
        given: dict[str, Any] = {} if method == "GET" else {"data": FORM, "headers": ORIGIN}
        answer = client.open(path, method=method, environ_overrides=ELSEWHERE, buffered=True, **given)
        assert answer.status_code < 500, door
        to_the_password = answer.status_code == 302 and answer.headers["Location"].startswith("/login")
        if answer.status_code < 400 and not to_the_password:
            found.add(door)
    return found


def kept(hub: StandingHub) -> list[list[tuple[object, ...]]]:
    """Return every row of the hub's database but those of guests' own codes."""
    with hub.database.read() as connection:
        found = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
        names = [name for (name,) in found if name != "guests"]
        return [[tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))] for name in names]


@pytest.mark.slow
def test_a_guest_comes_through_these_doors_and_no_other_and_changes_nothing(evening: StandingHub) -> None:
    before = kept(evening)
    assert opened_to(evening, evening.client()) == GUESTS
    assert kept(evening) == before


def test_the_host_of_a_cafe_changes_nothing_of_another_or_of_the_chain(evening: StandingHub) -> None:
    client = evening.client("Central")
    before = kept(evening)
    assert opened_to(evening, client, LAST) == HOSTS - {LAST}
    assert kept(evening) == before
