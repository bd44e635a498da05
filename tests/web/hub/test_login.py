"""Who signs in at a hub, and what becomes of those who guess: by its own pages."""

from __future__ import annotations

import re
import sqlite3
from html import unescape

import pytest
from sqlalchemy.exc import OperationalError

from tests.web.hub.conftest import CODE, ORIGIN, PASSWORD, StandingHub


def test_the_first_account_is_made_with_the_code_once(hub: StandingHub) -> None:
    client = hub.client()
    assert client.get("/").location == "/login"
    assert client.get("/login").location == "/first"
    form = {"code": "guessed", "name": "Owner", "password": PASSWORD}
    assert client.post("/first", data=form, headers=ORIGIN).status_code == 403
    assert client.post("/first", data={**form, "code": CODE, "password": "short"}, headers=ORIGIN).status_code == 422
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
    hub: StandingHub, wrong: dict[str, str], status: int
) -> None:
    typed = {"name": "Bernd & Co", "cafe": "Zum Anker", "password": PASSWORD, **wrong}
    answer = hub.client("chain").post("/accounts", data=typed, headers=ORIGIN)
    kept = dict(re.findall(r'<input name="(name|cafe)" value="([^"]*)"', answer.text))
    assert {field: unescape(value) for field, value in kept.items()} == {one: typed[one] for one in ("name", "cafe")}
    assert re.search(r'role="alert">[^<]+', answer.text)
    assert answer.status_code == status
    assert typed["password"] not in answer.text


def test_signing_out_ends_a_copy_of_the_cookie_and_no_other_device(hub: StandingHub) -> None:
    here, there = hub.client("Anker"), hub.app.test_client()
    answer = there.post("/login", data={"name": "Anker", "password": PASSWORD}, headers=ORIGIN)
    assert answer.status_code == 302
    cookie = here.get_cookie("hub")
    assert cookie is not None
    assert here.get("/").status_code == 200
    thief = hub.app.test_client()
    thief.set_cookie("hub", cookie.decoded_value)
    assert thief.get("/").status_code == 200
    out = here.post("/logout", headers=ORIGIN)
    assert (out.status_code, out.headers["Clear-Site-Data"]) == (302, '"cache"')
    assert thief.get("/").status_code != 200
    assert there.get("/").status_code == 200


def test_signing_out_takes_the_cookie_while_the_disk_of_the_hub_is_full(
    hub: StandingHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    client = hub.client("Anker")
    monkeypatch.setattr(hub.web.accounts, "sign_out", full)
    client.post("/logout", headers=ORIGIN)
    assert client.get_cookie("hub") is None


def test_no_clock_makes_a_cookie_valid_again_that_was_signed_out(hub: StandingHub) -> None:
    here, other = hub.client("Anker"), hub.client("chain")
    cookie = here.get_cookie("hub")
    assert cookie is not None
    here.post("/logout", headers=ORIGIN)
    hub.now_s += 3650 * 86400
    other.post("/logout", headers=ORIGIN)
    hub.now_s -= 3650 * 86400
    thief = hub.app.test_client()
    thief.set_cookie("hub", cookie.decoded_value)
    assert thief.get("/").location == "/league"


def test_guessing_is_slowed_and_does_not_lock_the_right_one_out_elsewhere(hub: StandingHub) -> None:
    hub.client("chain")
    stranger = hub.client()
    stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    wrong = [
        stranger.post("/login", data={"name": "chain", "password": f"guess {n}"}, headers=ORIGIN).status_code
        for n in range(7)
    ]
    assert wrong == [302] * 5 + [429] * 2
    assert hub.client("chain").get("/").status_code == 200


@pytest.mark.slow
def test_what_strangers_enter_elsewhere_locks_nobody_out(hub: StandingHub) -> None:
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


def test_who_tries_a_locked_account_again_and_again_locks_no_other_account_of_their_office(hub: StandingHub) -> None:
    hub.client("chain")
    office = hub.client()
    office.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    wrong = [
        office.post("/login", data={"name": "anker", "password": "forgotten"}, headers=ORIGIN).status_code
        for _ in range(40)
    ]
    assert wrong == [302] * 5 + [429] * 35
    entered = office.post("/login", data={"name": "chain", "password": PASSWORD}, headers=ORIGIN)
    assert (entered.status_code, entered.location) == (302, "/")


@pytest.mark.slow
def test_guessing_at_one_account_after_the_other_is_slowed_too(hub: StandingHub) -> None:
    stranger = hub.client()
    stranger.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    done = [
        stranger.post("/guest/erase" if n % 2 else "/login", data={"name": f"n{n}"}, headers=ORIGIN).status_code
        for n in range(70)
    ]
    assert done[0] == 302
    assert done[-1] == 429


def test_a_table_full_of_guests_behind_one_address_takes_its_names(hub: StandingHub) -> None:
    guests = hub.client()
    guests.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    done = [guests.post("/guest/take", data={"name": f"Guest {n}"}, headers=ORIGIN).status_code for n in range(21)]
    assert done == [200] * 20 + [429]


def test_whoever_was_removed_is_a_guest_at_once(hub: StandingHub) -> None:
    chain, cafe = hub.client("chain"), hub.client("Anker")
    assert cafe.get("/").status_code == 200
    chain.post("/accounts/remove", data={"name": "anker"}, headers=ORIGIN)
    assert cafe.get("/").location == "/league"


@pytest.mark.parametrize("typed", ["chain", "CHAIN ", " Chain", "ｃｈａｉｎ"])
def test_nobody_removes_the_account_they_are_signed_in_with(hub: StandingHub, typed: str) -> None:
    chain = hub.client("chain")
    assert chain.post("/accounts/remove", data={"name": typed}, headers=ORIGIN).status_code == 409
    assert chain.get("/accounts").status_code == 200
    assert not hub.web.accounts.remove(typed), "the last account of the chain stays, whoever asks"


def test_a_cookie_that_somebody_else_signed_is_a_guests(hub: StandingHub) -> None:
    hub.client("chain")
    stranger = hub.client()
    stranger.set_cookie("hub", "chain.aaaa.bbbb")
    assert stranger.get("/").location == "/league"


def test_passwords_stand_nowhere(hub: StandingHub) -> None:
    hub.client("chain")
    with hub.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM accounts").all()
    assert PASSWORD not in repr(rows)
    assert "scrypt:" in repr(rows)
