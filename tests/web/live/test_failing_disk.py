"""Pages of a table whose disk gives nothing back any more, or takes nothing: a sentence, and no broken page."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

from appliance.journal.codes import JournalProblem
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.words.catalogues import words_for
from tests.web.stand import Stand


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("path", ["/kiosk/games", "/kiosk/games/1", "/kiosk/games/1/transcript"])
def test_past_games_that_cannot_be_read_are_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, path: str
) -> None:
    stand = Stand(tmp_path)
    stand.open()

    def unreadable(journal: Journal) -> None:
        raise JournalError("disk_failing", journal.path)

    monkeypatch.setattr(Journal, "reading", unreadable)
    answer = stand.kiosk().get(path, headers={"Accept-Language": language})
    assert answer.status_code == 409
    assert words_for(language).say("rejection.disk_failing") in html.unescape(answer.text)
    assert stand.kiosk().get("/").status_code == 200
    stand.close()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("code", ["journal_read_only", "disk_full"])
def test_the_host_is_told_that_the_disk_takes_nothing_until_it_does_again(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, language: str, code: JournalProblem
) -> None:
    host, told = stand.host(), words_for(language).say(f"remark.{code}")

    def page() -> str:
        return html.unescape(host.get("/host", headers={"Accept-Language": language}).text)

    def unwritable(journal: Journal, *_: object, **__: object) -> None:
        raise JournalError(code, journal.path)

    stand.open()
    with monkeypatch.context() as broken:
        broken.setattr(Journal, "append", unwritable)
        refused = stand.kiosk().post("/api/v1/games/pause", json={"id": "pause"})
        assert refused.get_json()["code"] == code
        assert told in page()
    assert stand.kiosk().post("/api/v1/games/pause", json={"id": "pause-again"}).status_code == 200
    assert told not in page()
