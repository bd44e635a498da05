"""The log tells an evening's story, names nobody, and is not flooded."""

from __future__ import annotations

import io
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Happening
from appliance.journal.safekeeping.records import open_records
from appliance.service.upkeep import log_file
from appliance.service.upkeep.log_file import STORY, Log, last_lines
from appliance.service.upkeep.story import Story
from appliance.snapshot import Announcement, Snapshot
from appliance.table.table import Table
from hardware.clock import ManualClock
from hardware.readings import DeviceHealth
from tests.patience import GIVEN_UP_S
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import NAMES, Stand

MASSES = {0: 71.83, 2: 83.94, 3: 61.27}


class Listening:
    """A log whose lines can be read, and a clock to move."""

    def __init__(self, folder: Path) -> None:
        self.stream, self.now_s = io.StringIO(), 0.0
        self.log = Log(self.stream, folder, prioritised=False, now_s=lambda: self.now_s)
        self.logger = logging.getLogger("appliance.test")

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    listening = Listening(tmp_path)
    loggers = [listening.logger, logging.getLogger(STORY), logging.getLogger("appliance.service.upkeep.story")]
    for logger in loggers:
        logger.addHandler(listening.log)
        logger.setLevel(logging.INFO)
    yield listening
    for logger in loggers:
        logger.removeHandler(listening.log)
    listening.log.close()


def test_a_repair_of_a_file_is_a_warning_in_words_and_is_told_once(listening: Listening, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    open_records(folder).journal.close()
    (folder / "seal.key").unlink()
    records_log = logging.getLogger("appliance.journal.safekeeping.records")
    records_log.addHandler(listening.log)
    records = open_records(folder)
    records_log.removeHandler(listening.log)
    table = Table(journal=records.journal, games=the_game, clock=ManualClock(1.0))
    for remark in records.remarks:
        table.tell(remark)
    Story(table, the_game, "en").take(table.snapshot())
    table.stop()
    records.journal.close()
    (line,) = [line for line in listening.lines if "key_restored" in line]
    assert line.startswith("warning: seal.key was damaged; it was restored from its spare")
    assert line.endswith("(key_restored)")


def test_the_same_line_comes_once_a_minute_and_says_how_often_it_was_held_back(listening: Listening) -> None:
    for count in range(50):
        listening.logger.warning("queue of %d", count)
    listening.logger.warning("something else")
    assert listening.lines == ["warning: queue of 0", "warning: something else"]
    listening.now_s = 61.0
    listening.logger.warning("queue of 9")
    assert listening.lines[-1] == "warning: queue of 9 (held back 49 times since)"


def test_what_happens_in_a_game_is_never_held_back(listening: Listening) -> None:
    for _ in range(3):
        logging.getLogger(STORY).info("#1 rolls a 4.")
    assert len(listening.lines) == 3


def test_the_file_is_its_owners_alone_and_bounded(
    listening: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (tmp_path / log_file.NAME).stat().st_mode & 0o777 == 0o600
    story = logging.getLogger(STORY)
    for number in range(6000):
        story.info("%s %d", "x" * 100, number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [log_file.NAME, f"{log_file.NAME}.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * log_file.FILE_MOST_BYTES
    tail = last_lines(tmp_path, 1000).splitlines()
    assert tail[-1].endswith(" 5999")
    assert all(line.startswith("20") for line in tail), "whole lines only"


@pytest.mark.parametrize("taken", ["folder", "pipe"])
def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, taken: str) -> None:
    folder, stream = tmp_path / "table", io.StringIO()
    if taken == "folder":
        folder.write_text("")
    else:
        folder.mkdir()
        os.mkfifo(folder / log_file.NAME)
    log = Log(stream, folder, prioritised=True)
    log.emit(logging.makeLogRecord({"msg": "heard", "levelname": "ERROR", "levelno": logging.ERROR}))
    log.close()
    assert "heard" in stream.getvalue()
    assert last_lines(folder, 1000) == ""


def test_systemd_reads_the_priority_of_every_line_of_a_traceback(tmp_path: Path) -> None:
    stream = io.StringIO()
    log = Log(stream, None, prioritised=True)
    log.emit(logging.makeLogRecord({"msg": "one\ntwo", "levelname": "ERROR", "levelno": logging.ERROR}))
    assert stream.getvalue() == "<3>one\n<3>two\n"


def test_a_round_is_told_as_people_hear_it_without_names_and_masses(listening: Listening, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table")
    story = Story(stand.table, the_game, "en")
    story.take(stand.table.snapshot())
    stand.open(4)
    for action in [*opening({1: "bomb", 3: "sour"}), *ranking(MASSES), *INSPECTIONS]:
        stand.do(**action)
        story.take(stand.table.snapshot())
    stand.table.sense(DeviceHealth(t_s=1.0, device="camera", status="faulty", code="camera_covered"))
    stand.table.step()
    story.take(stand.table.snapshot())
    stand.table.sense(DeviceHealth(t_s=2.0, device="camera", status="ok", code="camera_ok"))
    stand.table.step()
    story.take(stand.table.snapshot())
    assert stand.table.close_game("enough").__class__.__name__ == "Accepted"
    story.take(stand.table.snapshot())
    stand.close()
    told = listening.stream.getvalue()
    assert listening.lines[0].endswith("is opened: smugglers, 4 seats")
    assert "Round 1 begins" in told
    assert "weighed" in told
    assert "camera: covered: remove what covers the lens (camera_covered)" in told
    assert "camera: works again" in told
    assert listening.lines[-1].endswith("is put away unfinished")
    assert not [name for name in NAMES if name in told]
    assert not [mass for mass in MASSES.values() if str(mass) in told]


def test_what_one_seat_alone_is_told_is_not_in_the_log(listening: Listening, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table")
    story = Story(stand.table, the_game, "en")
    story.take(stand.table.snapshot())
    stand.open(4)
    now = stand.table.snapshot()
    stand.close()
    secret = Happening(code="token_gained", values={"seat": 1, "token": "bomb"}, to=1)
    story.take(msgspec.structs.replace(now, log=(*now.log, Announcement(now.journal_seq + 1, "happening", secret))))
    assert "Round 1 begins" in listening.stream.getvalue()
    assert not any(", 2: " in line for line in listening.lines)


def test_a_bug_in_the_story_is_logged_by_its_place_alone_and_the_story_goes_on(
    listening: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table")
    stand.open(4)
    story, right, tripped = Story(stand.table, the_game, "en"), Story.take, threading.Event()

    def trip_once(self: Story, snapshot: Snapshot) -> None:
        if tripped.is_set():
            right(self, snapshot)
            return
        tripped.set()
        raise ValueError("the sphere of 71.83 g")

    monkeypatch.setattr(Story, "take", trip_once)
    story.start()
    assert tripped.wait(GIVEN_UP_S)
    story.stop()
    stand.close()
    told = listening.stream.getvalue()
    assert f"ValueError at {__file__}" in told
    assert "71.83" not in told
    assert "goes on: smugglers" in told


def test_a_game_that_goes_on_after_a_start_is_not_told_again(listening: Listening, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table")
    stand.open(4)
    stand.play(*opening({})[:3])
    Story(stand.table, the_game, "de").take(stand.table.snapshot())
    stand.close()
    assert len(listening.lines) == 1
    assert "goes on: smugglers, 4 seats" in listening.lines[0]
