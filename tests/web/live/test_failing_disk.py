"""Pages of a table whose disk gives nothing back any more: a sentence, and no broken page."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.words import words
from tests.web.stand import Stand


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("path", ["/kiosk/games", "/kiosk/games/1", "/kiosk/games/1/transcript"])
def test_past_games_that_cannot_be_read_are_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, path: str
) -> None:
    stand = Stand(tmp_path)
    stand.open()

    def unreadable(journal: Journal, *_: object) -> None:
        raise JournalError("disk_failing", journal.path)

    for reads in ("past_games", "past_game"):
        monkeypatch.setattr(Journal, reads, unreadable)
    answer = stand.kiosk().get(path, headers={"Accept-Language": language})
    assert answer.status_code == 409
    assert words(language).say("rejection.disk_failing") in html.unescape(answer.text)
    assert stand.kiosk().get("/").status_code == 200
    stand.close()
