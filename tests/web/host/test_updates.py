"""Newer releases on the host's page: seen, and started by the PIN, while no game is open."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from appliance.service.machine.machine import Machine
from hardware.clock import MonotonicClock
from tests.patience import GIVEN_UP_S
from tests.web.machine_asked import AT_ONCE, HERE, SHA256, STATE, Asked, host
from tests.web.stand import PIN, Stand
from web.live.serve import Server


@pytest.fixture
def stand(tmp_path: Path, asked: Asked) -> Iterator[Stand]:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table", machine=Machine(asked.folder))
    yield stand
    stand.close()


def install(client: Any, pin: str = PIN, what: str = f"stick 1.2.0 {SHA256}") -> Any:
    return client.post("/host/updates/install", data={"pin": pin, "what": what}, headers=HERE)


@pytest.mark.parametrize(("language", "said"), [("en", "Version 1.0.0 is installed"), ("de", "Version 1.0.0 ist inst")])
def test_the_host_sees_what_is_newer_and_where(stand: Stand, language: str, said: str) -> None:
    client = host(stand)
    page = client.get("/host/updates", headers={"Accept-Language": language}).get_data(as_text=True)
    assert said in page
    assert "USB" in page
    assert "1.2.0" in page
    assert "/media" not in page


def test_the_pin_starts_it_and_exactly_what_was_shown(stand: Stand, asked: Asked) -> None:
    assert install(host(stand)).status_code == 302
    assert asked.asks == [{"type": "install", "source": "stick", "version": "1.2.0", "sha256": SHA256}]


@pytest.mark.parametrize("path", ["/host/unlock", "/host/updates"])
def test_a_phone_that_the_host_lends_does_not_keep_the_pin(stand: Stand, path: str) -> None:
    """Browsers offer to save what a password field holds, also with autocomplete="off", but not a code for once."""
    (field,) = re.findall(r'<input [^>]*name="pin"[^>]*>', host(stand).get(path).text)
    assert 'type="password"' in field
    assert 'autocomplete="one-time-code"' in field


def test_a_wrong_pin_starts_nothing_and_tries_are_braked(stand: Stand, asked: Asked) -> None:
    client = host(stand)
    answers = {install(client, pin="0000").status_code for _ in range(8)}
    assert answers == {403, 429}
    assert asked.asks == []


def test_nobody_but_the_host_sees_or_starts_anything(stand: Stand, asked: Asked) -> None:
    for client, headers in ((stand.kiosk(), HERE), (stand.stranger(), {"Origin": "http://192.0.2.7"})):
        assert client.get("/host/updates").status_code == 302
        for path in ("/host/updates/look", "/host/updates/install"):
            assert client.post(path, data={"pin": PIN, "what": "apt 1.2.0 "}, headers=headers).status_code == 403
    assert asked.asks == []


def test_without_a_pin_nothing_is_installed(tmp_path: Path, asked: Asked) -> None:
    (tmp_path / "open").mkdir()
    stand = Stand(tmp_path / "open", machine=Machine(asked.folder), pin="")
    answer = install(stand.kiosk(), pin="")
    stand.close()
    assert answer.status_code == 403
    assert "PIN" in answer.get_data(as_text=True)
    assert asked.asks == []


def test_while_a_game_is_open_it_is_refused(stand: Stand, asked: Asked) -> None:
    client = host(stand)
    stand.open(2)
    assert install(client).status_code == 409
    assert "game is open" in client.get("/host/updates").get_data(as_text=True)
    assert [ask["type"] for ask in asked.asks] == ["updates"]


@pytest.mark.parametrize("what", ["", "stick", "floppy 1.2.0", "apt " + "9" * 300, "stick\n1.2.0"])
def test_what_the_page_does_not_offer_is_refused(stand: Stand, asked: Asked, what: str) -> None:
    assert install(host(stand), what=what).status_code == 400
    assert asked.asks == []


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("running", "is being installed"),
        ("installed", "was installed and runs"),
        ("failed", "could not be"),
        ("went_back", "went back"),
    ],
)
def test_what_came_of_the_last_one_is_told(stand: Stand, asked: Asked, result: str, said: str) -> None:
    note = {"version": "1.2.0", "result": result, "at_utc": datetime.now(UTC).isoformat()}
    (asked.folder / "update.json").write_text(json.dumps(note))
    asked.answer = {"problem": "", "updates": {**STATE, "last": note}}
    page = host(stand).get("/host/updates").get_data(as_text=True)
    assert said in page
    assert ("data-again" in page) == (result == "running")
    assert (asked.asks == []) == (result == "running")


@pytest.mark.parametrize("off", [timedelta(hours=-1), timedelta(days=-20_000), timedelta(days=400)])
def test_an_installation_that_a_pulled_plug_ended_is_told_and_can_be_tried_again(
    stand: Stand, asked: Asked, off: timedelta
) -> None:
    """Its note says "running" for ever. The clock may have been set since, by years."""
    note = {"version": "1.2.0", "result": "running", "at_utc": (datetime.now(UTC) + off).isoformat()}
    (asked.folder / "update.json").write_text(json.dumps(note))
    asked.answer = {"problem": "", "updates": {**STATE, "last": {**note, "result": "failed"}}}
    page = host(stand).get("/host/updates").get_data(as_text=True)
    assert "could not be" in page
    assert "data-again" not in page
    assert f'value="stick 1.2.0 {SHA256}"' in page


@pytest.mark.parametrize("problem", ["update_gone", "update_refused", "sources_silent", "machine_silent"])
def test_what_prevents_it_is_one_sentence(stand: Stand, asked: Asked, problem: str) -> None:
    asked.answer = {"problem": problem}
    answer = install(host(stand))
    assert answer.status_code == 422
    page = answer.get_data(as_text=True)
    assert 'role="alert"' in page
    assert problem not in page


LIES = {
    "nothing": b"",
    "half of an answer": b'{"problem":"","upd',
    "no text": b'{"problem":"\xff"}',
    "another kind of answer": b"[1]",
    "without end": b"[" * 200_000,
    "a problem of another release": b'{"problem":"moon_away"}',
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_whatever_the_machine_answers_the_host_is_told_one_sentence(stand: Stand, asked: Asked, lie: bytes) -> None:
    client, asked.lie = host(stand), lie
    for path in ("/host/updates", "/first/network", "/first/touchscreen"):
        answer = client.get(path, headers={"Accept-Language": "en"})
        assert answer.status_code == 200
        assert "The machine does not answer" in answer.text, path
    assert client.post("/host/updates/look", headers=HERE).status_code == 422


@pytest.mark.parametrize("note", ["rolled-back.json", "update.json"])
def test_a_damaged_note_of_the_machine_breaks_no_page(stand: Stand, asked: Asked, note: str) -> None:
    (asked.folder / note).write_bytes(
        b'{"failed":"1.2.\xb0","runs":"1.1.0","version":"1.2.\xb0","result":"failed","at_utc":""}'
    )
    client = host(stand)
    assert {client.get(path).status_code for path in ("/", "/kiosk", "/host", "/host/updates")} == {200}


def test_while_the_machine_hangs_the_table_serves_on_and_whoever_taps_again_is_told(
    tmp_path: Path, asked: Asked
) -> None:
    (tmp_path / "served").mkdir()
    site: dict[str, Any] = {"machine": Machine(asked.folder), "port": 0, "threads_spare": AT_ONCE + 2, "pin": ""}
    stand = Stand(tmp_path / "served", clock=MonotonicClock(), **site)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()

    def page(path: str) -> str:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S)) as connection:
            connection.request("GET", path, headers={"Accept-Language": "en"})
            return connection.getresponse().read().decode()

    asked.hangs = True
    with ThreadPoolExecutor(AT_ONCE) as hosts:
        pages = [hosts.submit(page, "/host/updates") for _ in range(AT_ONCE)]
        for _ in pages:
            assert asked.waiting.acquire(timeout=GIVEN_UP_S)
        assert "The machine does not answer" in page("/host/updates")
        assert "Nobody is smuggling" in page("/")
        asked.let_go()
        assert all("The machine does not answer" in one.result(GIVEN_UP_S) for one in pages)
    server.stop()
    stand.close()
