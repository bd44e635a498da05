"""What the appliance draws follows from a start value that was sealed before (AP-5). Truth: the file, and a forger."""

from __future__ import annotations

import json
import logging
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.games.catalogue import the_game
from appliance.games.protocol import OneOf, Prompt, Rejection
from appliance.journal.entries import Opened
from appliance.journal.rows import Row, chained
from appliance.journal.safekeeping.records import open_records
from appliance.snapshot import Accepted
from appliance.table.draws.dealer import Dealer, fingerprint
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.appliance.games.prohis.play import a_setup
from tests.refused_writes import refused_writes


class Evening:
    """A table on a folder, whose shuffles are drawn as soon as a game is open; it can be started anew."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, ManualClock(100.0)
        self.start()

    def start(self) -> None:
        self.records = open_records(self.folder)
        self.table = Table(journal=self.records.journal, games=the_game, clock=self.clock)

    def stop(self) -> None:
        self.table.stop()
        self.records.journal.close()

    def open(self, name: str) -> None:
        assert isinstance(self.table.open_game(a_setup(4), name), Accepted)
        self.goes_on()

    def goes_on(self) -> None:
        for _ in range(4):
            self.clock.advance_to(self.clock.now_s() + 1.0)
            self.table.step()

    def opened_and_stopped(self) -> None:
        """Pull the plug when a game was opened and nothing drawn yet."""
        setup = msgspec.structs.replace(a_setup(4), rules=the_game("prohis").rules.revision)
        opened = Opened(setup=setup, start_value=Dealer().start_value())
        self.records.journal.append(None, [("one", opened)])
        self.stop()

    def file(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / "journal.sqlite3")


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evening]:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    evening = Evening(tmp_path)
    yield evening
    evening.stop()


def checked() -> Result:
    return CliRunner().invoke(main, ["draws"])


def test_draws_follow_from_the_value_whose_fingerprint_was_told_when_the_game_was_opened(
    evening: Evening, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        evening.open("one")
    (told,) = re.findall(r"fingerprint is ([0-9a-f]{16})", caplog.text)
    done = checked()
    assert done.exit_code == 0
    assert re.fullmatch(rf"game 1 \(prohis\): \d+ draws follow from its start value, fingerprint {told}\n", done.output)
    assert not re.search(r"[0-9a-f]{32}", caplog.text + done.output), "the value itself stays sealed"


def test_a_journal_without_a_game_is_told(evening: Evening) -> None:
    done = checked()
    assert (done.exit_code, done.output) == (0, "there is no game in this journal\n")


def test_what_follows_is_told_in_the_language_of_the_settings(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    evening.open("one")
    told = r"Spiel 1 \(prohis\): \d+ Ziehungen folgen aus seinem Startwert, Fingerabdruck [0-9a-f]{16}\n"
    assert re.fullmatch(told, checked().output)


def test_no_start_value_lies_open_in_the_file(evening: Evening) -> None:
    evening.open("one")
    opened = next(evening.records.journal.read(1)).body
    assert isinstance(opened, Opened)
    assert len(opened.start_value) == 32
    evening.records.journal.checkpoint()
    for file in evening.folder.rglob("*"):
        if file.is_file():
            assert opened.start_value.encode() not in file.read_bytes(), file


def test_whoever_pulls_the_plug_before_a_shuffle_counts_gets_the_same_one(evening: Evening, tmp_path: Path) -> None:
    evening.opened_and_stopped()
    shuffles = []
    for name in ("once", "again"):
        shutil.copytree(evening.folder, tmp_path / name)
        other = Evening(tmp_path / name)
        other.goes_on()
        shuffles.append([entry.body for entry in other.records.journal.read(1)])
        other.stop()
    assert shuffles[0] == shuffles[1]
    assert len(shuffles[0]) == 3
    evening.start()


def test_nobody_can_object_to_a_draw_that_waits_for_space_on_the_disk(evening: Evening) -> None:
    room = (evening.folder / "journal.sqlite3-wal").stat().st_size
    while evening.table.snapshot().game is None:
        with refused_writes(room):
            evening.table.open_game(a_setup(4), f"with {room} bytes")
        room += 1024
    drawn = evening.table.snapshot().pending
    assert drawn is not None
    assert drawn.because == ("chance",)
    answer = evening.table.object_to(drawn.id, "objected")
    assert isinstance(answer, Rejection)
    assert answer.code == "too_late"
    evening.clock.advance_to(evening.clock.now_s() + 10.0)
    evening.goes_on()
    assert evening.table.snapshot().question is None
    assert evening.table.snapshot().state.phase == "turn"


def test_a_shuffle_that_somebody_wrote_into_the_file_is_named(evening: Evening) -> None:
    evening.open("one")
    evening.stop()
    with evening.file() as db:
        db.execute("DROP TRIGGER entries_are_final")
        digest = b""
        for stored in list(db.execute("SELECT * FROM entries ORDER BY seq")):
            row = Row(*stored)
            body = json.loads(row.body)
            if body.get("drawn", "").startswith("start"):
                body["action"]["first"] = (body["action"]["first"] + 1) % 4
                forged = row.seq
            row = msgspec.structs.replace(row, body=json.dumps(body).encode())
            digest = chained(digest, row.unchained)
            db.execute("UPDATE entries SET body = ?, digest = ? WHERE seq = ?", (row.body, digest, row.seq))
    evening.start()
    done = checked()
    assert done.exit_code == 1
    assert f"do NOT follow from its start value: entries {forged}\n" in done.output


def test_an_entry_that_was_altered_is_damage_and_no_game_is_vouched_for(evening: Evening) -> None:
    evening.open("one")
    with evening.file() as db:
        db.execute("DROP TRIGGER entries_are_final")
        db.execute("UPDATE entries SET wall_s = wall_s + 1 WHERE seq = 3")
    done = checked()
    assert (done.exit_code, "[journal_damaged]" in done.output, "follow" in done.output) == (2, True, False)


def test_a_game_whose_key_was_lost_before_the_first_draw_goes_on(evening: Evening) -> None:
    """Its draws are fair all the same, and nobody claims to have checked them."""
    evening.opened_and_stopped()
    for key in evening.folder.rglob("seal.key"):
        key.write_text(64 * "7" + "\n")
    evening.start()
    evening.goes_on()
    done = checked()
    unchecked = "game 1 (prohis): 2 draws without a start value that opens: nothing to compare with\n"
    assert (done.exit_code, done.output) == (0, unchecked)


@pytest.mark.parametrize("text", [b"", b"no key\n", b"\xff" * 64])
def test_a_key_that_is_none_is_told_in_a_sentence(evening: Evening, text: bytes) -> None:
    evening.open("one")
    for key in evening.folder.rglob("seal.key"):
        key.write_bytes(text)
    done = checked()
    assert (done.exit_code, "[key_unreadable]" in done.output) == (2, True)


@pytest.mark.parametrize("text", [b"", b"no key\n", b"7" * 64 + b"\n", None])
def test_where_the_table_goes_on_with_the_spare_of_its_key_so_does_the_check(
    evening: Evening, text: bytes | None
) -> None:
    evening.open("one")
    before = checked().output
    key = evening.folder / "seal.key"
    if text is None:
        key.unlink()
    else:
        key.write_bytes(text)
    done = checked()
    assert (done.exit_code, done.output) == (0, before)
    assert key.exists() == (text is not None), "it only reads"


def test_a_folder_where_nothing_was_played_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    done = checked()
    assert (done.exit_code, "[journal_missing]" in done.output) == (2, True)


def test_draws_are_even() -> None:
    """Truth: chi-square of 6000 rolls over six faces, 5 degrees of freedom; 20.5 is passed once in a thousand."""
    prompt = Prompt(prompt="die", seat=None, do="roll", choices={"face": OneOf((1, 2, 3, 4, 5, 6))}, chance="must")
    starts = Dealer(Random(5).getrandbits(64))
    faces = [starts.draw(prompt, starts.start_value())["face"] for _ in range(6000)]
    assert sum((faces.count(face) - 1000) ** 2 / 1000 for face in range(1, 7)) < 20.5


def test_another_draw_of_one_game_is_another() -> None:
    prompt = Prompt(prompt="die", seat=None, do="roll", choices={"face": OneOf(tuple(range(10**6)))}, chance="must")
    others = {Dealer().draw(prompt, start, before)["face"] for start in ("a", "b") for before in (0, 1, 2)}
    assert len(others) == 6
    assert fingerprint("a") != fingerprint("b")
