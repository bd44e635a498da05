"""A table whose loop hangs, seen from the web: every address says in words that it is busy, and none waits for ever."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.smugglers.referee.referee import SmugglersReferee
from hardware.clock import MonotonicClock
from hardware.readings import ButtonPressed
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand

SENTENCES = {"en": "The table is busy; try once more.", "de": "Der Tisch ist beschäftigt; versucht es noch einmal."}


@pytest.fixture
def hung(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    free, hangs = threading.Event(), threading.Event()

    def hang(self: object, state: object, reading: object) -> list[object]:
        hangs.set()
        assert free.wait(GIVEN_UP_S)
        return []

    stand = Stand(tmp_path, clock=MonotonicClock(), answer_within_s=0.01)
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    monkeypatch.setattr(SmugglersReferee, "sense", hang)
    stand.table.start()
    stand.table.sense(ButtonPressed(t_s=0.0, button="hourglass"))
    assert hangs.wait(GIVEN_UP_S)
    yield stand
    free.set()
    stand.close()


@pytest.mark.slow
@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "actions", {"id": "a", "prompt": None, "action": {"do": "time_up"}}),
        ("POST", "chance", {"id": "a", "prompt": "roll", "seat": None}),
        ("POST", "pending/object", {"id": "a", "pending": "p"}),
        ("POST", "pending/confirm", {"id": "a", "pending": "p"}),
        ("POST", "amendments/preview", {"seq": 2, "action": None}),
        ("POST", "amendments", {"id": "a", "seq": 2, "action": None}),
        ("POST", "replays/watch", {"id": "a", "number": None}),
        ("POST", "corrections/ask", {"id": "a", "seat": 0, "seq": 2, "action": None}),
        ("POST", "corrections/refuse", {"id": "a", "seat": 0}),
        ("POST", "undo", {"id": "a"}),
        ("POST", "commands", {"id": "a", "name": "turn_hourglass"}),
        ("PUT", "practice", {"on": False}),
        ("POST", "games/close", {"id": "a"}),
    ],
)
def test_the_api_says_that_the_table_is_busy(hung: Stand, language: str, method: str, path: str, body: object) -> None:
    answer = hung.kiosk().open(
        f"/api/v1/{path}", method=method, json=body, headers={"Accept-Language": language, "Origin": "http://localhost"}
    )
    assert answer.status_code == 503, answer.text
    assert answer.get_json()["code"] == "table_busy"
    assert answer.get_json()["message"] == SENTENCES[language]


@pytest.mark.parametrize("language", SENTENCES)
def test_the_page_of_a_correction_says_that_the_table_is_busy(hung: Stand, language: str) -> None:
    answer = hung.kiosk().get("/kiosk/corrections/2", headers={"Accept-Language": language})
    assert answer.status_code == 503
    assert SENTENCES[language] in answer.text
