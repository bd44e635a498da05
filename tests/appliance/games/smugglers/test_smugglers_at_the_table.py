"""Recorded games of Smugglers at the table: journalled, reopened, undone to the start, without a mass in any file."""

from pathlib import Path

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.rules import RULES
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.journal.transcript import Transcript, read_transcript
from appliance.snapshot import Accepted, AmendmentPreview, Submission
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.places import RECORDINGS

RECORDED = sorted((RECORDINGS / "smugglers").glob("*.jsonl"))


def recorded(path: Path) -> Transcript | None:
    with path.open("rb") as file:
        transcript = read_transcript(file)
    return transcript if isinstance(transcript, Transcript) else None


GAMES = {path.stem: found for path in RECORDED if (found := recorded(path)) is not None}


def table_on(folder: Path) -> tuple[Table, Journal]:
    journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
    return Table(journal=journal, games=the_game, clock=ManualClock()), journal


def image(table: Table) -> bytes:
    return repr((table.snapshot().state, table.history())).encode()


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_is_kept_reopened_and_undone_to_its_start(tmp_path: Path, name: str) -> None:
    recording = GAMES[name]
    table, journal = table_on(tmp_path)
    assert isinstance(table.open_game(recording.setup, "open"), Accepted)
    images = [image(table)]
    for number, action in enumerate(recording.actions):
        answer = table.submit(Submission(id=f"do-{number}", action=action))
        assert isinstance(answer, Accepted), (number, answer)
        images.append(image(table))
    assert table.snapshot().state == recording.state, "the table makes of it what the rules alone do"
    masses = {str(action.mass_g).encode() for action in recording.actions if isinstance(action, Weigh)}
    for path in (file for file in tmp_path.rglob("*") if file.is_file()):
        raw = path.read_bytes()
        assert not [mass for mass in masses if b'"mass_g"' in raw or (len(mass) > 4 and mass in raw)], path.name
    table.stop()
    journal.close()
    table, journal = table_on(tmp_path)
    assert image(table) == images[-1]
    for number, before in enumerate(reversed(images[:-1])):
        assert isinstance(table.undo(f"undo-{number}"), Accepted)
        assert image(table) == before
    table.stop()
    journal.close()


def test_every_deed_of_a_game_can_be_previewed_as_not_done_and_the_preview_is_true(tmp_path: Path) -> None:
    recording = max(GAMES.values(), key=lambda found: len(found.actions))
    table, journal = table_on(tmp_path)
    table.open_game(recording.setup, "open")
    for number, action in enumerate(recording.actions):
        table.submit(Submission(id=f"do-{number}", action=action))
    before, now = image(table), msgspec.json.encode(RULES.view(table.snapshot().state, None))
    shown = 0
    for deed in table.snapshot().correctable:
        preview = table.preview_amendment(deed.seq, None)
        assert isinstance(preview, AmendmentPreview)
        if preview.covered:
            assert msgspec.json.encode(preview.after) == now
            continue
        shown += 1
        assert isinstance(table.amend(deed.seq, None, f"amend-{deed.seq}"), Accepted)
        assert msgspec.json.encode(preview.after) == msgspec.json.encode(RULES.view(table.snapshot().state, None))
        assert isinstance(table.undo(f"undo-{deed.seq}"), Accepted)
        assert image(table) == before
    assert shown
    table.stop()
    journal.close()
