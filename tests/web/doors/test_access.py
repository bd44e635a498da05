"""Who may do what, and what a hostile or clumsy request gets."""

from __future__ import annotations

import html
import http.client
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.narrowed import there
from tests.patience import GIVEN_UP_S
from tests.web.rounds import opening
from tests.web.stand import PIN, Stand
from web.doors.phones import Seat
from web.live.serve import Server

ROLL = {"id": "one", "prompt": "r1.roll.seat0", "action": {"do": "roll", "seat": 0, "value": 3}}


def test_a_phone_acts_for_its_seat_alone(stand: Stand) -> None:
    stand.open(2)
    stand.play(*opening({}))
    stuck = {"do": "attempt", "seat": 0, "outcome": "stuck"}
    stand.do(**stuck)
    decline = {"id": "one", "prompt": "r1.attempt2.seat0", "action": {"do": "decline", "seat": 0}}
    other = stand.phone(1).post("/api/v1/actions", json=decline)
    assert (other.status_code, other.get_json()["code"]) == (403, "foreign_seat")
    own = stand.phone(0).post("/api/v1/actions", json=decline)
    assert own.status_code == 200, own.json


def test_a_phone_cannot_end_the_hourglass_or_correct(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(0)
    for path, body in (
        ("actions", {"id": "a", "action": {"do": "time_up"}}),
        ("undo", {"id": "b"}),
        ("amendments", {"id": "c", "seq": 1, "action": None}),
        ("amendments/preview", {"seq": 1, "action": None}),
        ("games/close", {"id": "d"}),
        ("games/pause", {"id": "p"}),
        ("games/resume", {"id": "r"}),
        ("commands", {"id": "e", "name": "turn_hourglass"}),
        ("pending/confirm", {"id": "f", "pending": "p"}),
    ):
        assert phone.post(f"/api/v1/{path}", json=body).status_code == 403, path
    assert phone.get("/kiosk").status_code == 302
    assert phone.get("/live?kind=kiosk").status_code == 403
    assert phone.get("/live?kind=seat&seat=1").status_code == 403
    assert phone.get("/api/v1/view?seat=1").status_code == 403


def test_a_stranger_sees_the_wall_and_nothing_else(stand: Stand) -> None:
    stand.open(2)
    stranger = stand.stranger()
    assert stranger.get("/").status_code == 200
    assert stranger.get("/seat/0").status_code == 403
    assert stranger.get("/kiosk").headers["Location"].startswith("/host/unlock")
    assert stranger.post("/api/v1/actions", json=ROLL).status_code == 403


def test_a_double_tap_counts_once(stand: Stand) -> None:
    stand.open(2)
    kiosk = stand.kiosk()
    first, second = (kiosk.post("/api/v1/actions", json=ROLL) for _ in range(2))
    assert first.json == second.json
    assert stand.table.snapshot().state.boss_lane == 7


def test_a_tap_on_what_is_decided_is_told_so(stand: Stand) -> None:
    stand.open(2)
    stand.kiosk().post("/api/v1/actions", json=ROLL)
    late = stand.kiosk().post("/api/v1/actions", json=ROLL | {"id": "two"}, headers={"Accept-Language": "de"})
    assert (late.status_code, late.get_json()["code"]) == (409, "prompt_closed")
    assert late.get_json()["message"].startswith("Das ist gerade entschieden worden")


def test_a_refusal_by_the_rules_names_its_rule(stand: Stand) -> None:
    stand.open(2)
    answer = stand.kiosk().post("/api/v1/actions", json={"id": "x", "action": {"do": "time_up"}})
    assert (answer.status_code, answer.get_json()["rule"]) == (409, "SM-17")


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81", "https://localhost"])
def test_a_forged_origin_is_refused(stand: Stand, origin: str) -> None:
    stand.open(2)
    answer = stand.kiosk().post("/api/v1/actions", json=ROLL, headers={"Origin": origin})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "foreign_origin")
    assert stand.table.snapshot().state.boss_lane == 4


def test_a_form_without_an_origin_is_refused(stand: Stand) -> None:
    assert stand.kiosk().post("/host/unlock", data={"pin": PIN}).status_code == 403


def test_a_json_body_from_another_site_is_refused_by_its_fetch_metadata(stand: Stand) -> None:
    stand.open(2)
    answer = stand.kiosk().post("/api/v1/actions", json=ROLL, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "a b", "[::1"])
def test_a_rebound_host_is_refused(stand: Stand, host: str) -> None:
    assert stand.kiosk().get("/", headers={"Host": host}).status_code == 400


def test_a_rebound_loopback_request_is_no_kiosk(stand: Stand) -> None:
    answer = stand.kiosk().get("/kiosk", headers={"Host": "192.0.2.7"})
    assert answer.headers["Location"].startswith("/host/unlock")


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"])
def test_what_a_proxy_on_this_machine_passes_on_is_no_kiosk(stand: Stand, header: str) -> None:
    stand.open(2)
    server = Server(stand.app, msgspec.structs.replace(stand.site, port=0), "127.0.0.1")
    server.start()

    def paused(**headers: str) -> int:
        there = http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S)
        said = {"Host": f"localhost:{server.port}", "Content-Type": "application/json", **headers}
        there.request("POST", "/api/v1/games/pause", json.dumps({"id": "p"}), said)
        status = there.getresponse().status
        there.close()
        return status

    try:
        assert paused(**{header: "203.0.113.5"}) == 403
        assert paused() == 200
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"x"', b'{"id": 1}', b'{"id": "x", "action": []}', b'{"id": "x", "action": {}}',
        b'{"id": "x", "action": {"do": "roll", "seat": 0, "value": true}}', b'{"id": "x", "action": {"do": "nothing"}}',
        b'{"id": "x", "action": {"do": "roll", "seat": 0, "value": NaN}}', b'{"id": "", "action": {"do": "time_up"}}',
        b'{"id": "x", "action": {"do": "time_up", "also": 1}}', b"\xff\xfe", b"[" * 20_000, b"{" + b" " * 70_000,
    ],
)  # fmt: skip
def test_garbage_is_refused_with_a_code_and_a_sentence(stand: Stand, body: bytes) -> None:
    stand.open(2)
    answer = stand.kiosk().post("/api/v1/actions", data=body, content_type="application/json")
    assert 400 <= answer.status_code < 500
    assert set(answer.get_json()) == {"code", "message", "rule"}
    assert answer.get_json()["message"].endswith(".")
    assert b"Traceback" not in answer.data


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b'{"on": NaN}'), (400, b'{"on": true} {}'), (400, b'{"also": [1], "on": tru}'), (422, b"[true]"),
        (422, b"{}"), (422, b'{"on": null}'), (422, b'{"on": true, "also": 1}'), (422, b'{"on": 1}'),
        (422, b'{"on": "true"}'), (200, b'{"on": true, "on": false}'), (200, b' {"on": false}'),
    ],
)  # fmt: skip
def test_what_is_no_json_and_what_has_another_form_are_told_apart(stand: Stand, status: int, body: bytes) -> None:
    stand.open(2)
    answer = stand.kiosk().put("/api/v1/practice", data=body, content_type="application/json")
    assert answer.status_code == status
    assert answer.get_json() == {} if status == 200 else answer.get_json()["code"] == "malformed_request"


@pytest.mark.parametrize("wrong", [{"seat": "1"}, {"seat": 1.5}, {"seat": True}, {"seat": -1}, {"seat": 16}])
def test_a_seat_is_a_number(stand: Stand, wrong: dict[str, Any]) -> None:
    stand.open(2)
    answer = stand.kiosk().post("/api/v1/corrections/refuse", json={"id": "no"} | wrong)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "malformed_request")


@pytest.mark.parametrize("written", [b"1.0", b"1e0"])
def test_a_whole_number_has_no_fraction_and_no_exponent(stand: Stand, written: bytes) -> None:
    """OpenAPI 3.1.0, section 4.4: an integer is a JSON number without a fraction or exponent part."""
    stand.open(2)
    refuse, kiosk = "/api/v1/corrections/refuse", stand.kiosk()
    for number, status in ((b"1", 200), (written, 422)):
        body = b'{"id": "no-%s", "seat": %s}' % (number, number)
        assert kiosk.post(refuse, data=body, content_type="application/json").status_code == status


@pytest.mark.parametrize("address", ["POST /games", "PUT /house_rules"])
def test_a_game_that_is_not_in_the_catalogue_is_refused(stand: Stand, address: str) -> None:
    method, path = address.split()
    whole = {"id": "new", "players": [{"name": "Ann"}, {"name": "Ben"}]} if path == "/games" else {"name": "Friday"}
    answer = stand.kiosk().open(f"/api/v1{path}", method=method, json=whole | {"game": "chess"})
    assert (answer.status_code, answer.get_json()["code"]) == (422, "malformed_request")


def test_every_mutating_address_survives_garbage(stand: Stand) -> None:
    stand.open(2)
    kiosk = stand.kiosk()
    document: dict[str, Any] = kiosk.get("/api/v1/openapi.json").get_json()
    for path, methods in document["paths"].items():
        for method in methods.keys() & {"post", "put", "delete"}:
            for body in (b"", b"[1]", b'{"id": {}}', b'{"seq": -1, "name": 7, "on": "?", "by": null}'):
                address = path.replace("{seat}", "0")
                answer = kiosk.open(address, method=method.upper(), data=body, content_type="application/json")
                assert 400 <= answer.status_code < 500, (path, body)
                assert set(answer.get_json()) == {"code", "message", "rule"}


def test_unknown_addresses_are_friendly(stand: Stand) -> None:
    page = stand.kiosk().get("/no/such/page", headers={"Accept-Language": "de"})
    assert page.status_code == 404
    assert "Hier ist nichts" in page.text
    assert stand.kiosk().get("/api/v1/nothing").get_json()["code"] == "not_found"


def test_the_pin_opens_the_kiosk_from_afar_and_guessing_is_slowed(stand: Stand) -> None:
    stranger = stand.stranger()
    here = {"Origin": "http://192.0.2.7"}
    for _ in range(5):
        assert stranger.post("/host/unlock", data={"pin": "0000"}, headers=here).status_code == 403
    assert stranger.post("/host/unlock", data={"pin": PIN}, headers=here).status_code == 429


def test_the_right_pin_opens(stand: Stand) -> None:
    stranger = stand.stranger()
    here = {"Origin": "http://192.0.2.7"}
    answer = stranger.post("/host/unlock", data={"pin": PIN, "back": "//evil.example"}, headers=here)
    assert answer.headers["Location"] == "/kiosk"
    assert stranger.get("/kiosk").status_code == 200
    assert stranger.get("/host").status_code == 200
    saved = stranger.post("/host", data={"language": "de", "dim_after_s": "600"}, headers=here)
    assert saved.status_code == 302
    assert 'lang="de"' in stand.stranger().get("/").text


def test_the_settings_need_the_pin_even_on_the_kiosk(stand: Stand) -> None:
    assert stand.kiosk().get("/host").headers["Location"].startswith("/host/unlock")


@pytest.mark.parametrize(
    ("form", "page"), [("/host", "/host"), ("/host/guests", "/host/guests"), ("/first/pin", "/first")]
)
def test_a_form_sent_after_the_page_was_locked_leads_to_the_pin_and_back(stand: Stand, form: str, page: str) -> None:
    """The host locked the pages in another tab, or the PIN was changed."""
    answer = stand.kiosk().post(form, data={}, headers={"Origin": "http://localhost"})
    assert answer.status_code == 403
    (entry,) = re.findall(r'<a class="tap confirm" href="([^"]+)">Enter the PIN</a>', answer.text)
    asked = stand.kiosk().get(html.unescape(entry))
    assert asked.status_code == 200
    assert f'name="back" value="{page}"' in asked.text


def test_a_join_link_opens_one_game_only(stand: Stand) -> None:
    stand.open(2)
    token = stand.keys.join_url(Seat(str(stand.table.snapshot().game_id), 1)).rsplit("/", 1)[1]
    phone = stand.phone(1)
    stand.table.close_game("closed")
    stand.open(2)
    assert phone.get("/seat/1").status_code == 403
    assert stand.stranger().get(f"/join/{token}").status_code == 410
    assert stand.stranger().get(f"/join/{token[:-2]}xx").status_code == 410


def test_a_phone_keeps_its_seat_when_it_joins_again(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    assert phone.get(stand.join_path(1)).status_code == 302
    assert phone.get("/seat/1").status_code == 200


def test_a_photographed_code_takes_no_seat_from_the_phone_that_plays_it(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    refused = stand.stranger().get(stand.join_path(1))
    assert refused.status_code == 409
    assert "Another phone plays this seat" in refused.text
    assert phone.post("/api/v1/seats/1/let_go", json={"id": "go"}).status_code == 200
    assert stand.stranger().get(stand.join_path(1)).status_code == 302


def test_one_tap_plays_again_and_the_phones_keep_their_seats(stand: Stand) -> None:
    stand.open(2, goal="short")
    phone = stand.phone(1)
    stand.do(do="leave", seat=0)
    (again,) = [
        json.loads(html.unescape(send))
        for send in re.findall(r"data-api=\"POST /api/v1/games\" data-send='([^']+)'", stand.kiosk().get("/kiosk").text)
    ]
    assert stand.kiosk().post("/api/v1/games", json={"id": "again", **again}).status_code == 200
    setup = there(stand.table.snapshot().setup)
    assert [player.name for player in setup.players] == ["Ann", "Ben"]
    assert setup.options == {"goal": "short"}
    assert phone.get("/seat/1").status_code == 200


def test_every_answer_carries_the_security_headers(stand: Stand) -> None:
    for path in ("/", "/nothing", "/api/v1/view", "/static/frame.css"):
        with stand.kiosk().get(path) as answer:
            headers = answer.headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_names_are_shown_as_text(stand: Stand) -> None:
    body = {
        "id": "g", "game": "smugglers",
        "players": [{"name": "<b>Ann", "putty": "yellow"}, {"name": "Ben", "putty": "pink"}],
    }  # fmt: skip
    answer = stand.kiosk().post("/api/v1/games", json=body)
    assert answer.status_code == 200, answer.json
    for path in ("/", "/kiosk", "/kiosk/table"):
        shown = stand.kiosk().get(path).text
        assert "&lt;b&gt;Ann" in shown
        assert "<b>Ann" not in shown


@pytest.mark.parametrize(("address", "host"), [("fd00::5", "[fd00::5]:8080"), ("Table.lan", "table.lan:8080")])
def test_a_table_at_one_address_is_reached_by_its_own_links(tmp_path: Path, address: str, host: str) -> None:
    stand = Stand(tmp_path, address=address)
    try:
        stand.open(2)
        link = stand.keys.join_url(Seat(str(stand.table.snapshot().game_id), 0))
        assert link.lower().startswith(f"http://{host}/join/")
        phone = stand.app.test_client()
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert phone.get(urlsplit(link).path, headers=headers).status_code == 302
        assert phone.post("/api/v1/actions", json=ROLL, headers=headers).status_code != 400
        rebound = phone.get("/", headers={"Host": "evil.example"})
        assert rebound.status_code == 400
    finally:
        stand.close()
