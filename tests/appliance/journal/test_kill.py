"""kill −9 at any moment: nothing that was acknowledged is lost, and the same game goes on."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from appliance.journal.fold.history import History
from appliance.journal.fold.restore import restore
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Porters
from tests.narrowed import of_kind
from tests.patience import GIVEN_UP_S
from tests.places import ROOT

pytestmark = pytest.mark.slow


def play_and_kill(folder: Path, after_lines: int) -> list[int]:
    """Start the table, kill −9 it after so many acknowledgements, return all that it printed."""
    command = [sys.executable, "-m", "tests.appliance.acknowledging_table", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:  # our own program
        assert child.stdout is not None
        watchdog = threading.Timer(GIVEN_UP_S, child.kill)  # a table that hangs ends the output, and so the test
        watchdog.start()
        assert child.stdout.readline() == "ready\n"
        acknowledged = [int(child.stdout.readline()) for _ in range(after_lines)]
        child.kill()
        watchdog.cancel()
        rest = child.stdout.read().split("\n")[:-1]  # a line without its end was not handed over
    return acknowledged + [int(line) for line in rest]


def test_twenty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(20)
    acknowledged: set[int] = set()
    for _ in range(20):
        acknowledged.update(play_and_kill(tmp_path, chance.randrange(1, 30)))
        porters = PortersTable(tmp_path)
        snapshot = porters.table.snapshot()
        assert snapshot.game == "porters", "the same game goes on"
        assert snapshot.game_id == 1
        entries = {entry.seq: entry for entry in porters.journal.read(1)}
        assert acknowledged <= set(entries)
        assert sorted(entries) == list(range(1, len(entries) + 1))
        refolded = restore(entries.values(), {"porters": Porters().declared()}.__getitem__)
        assert msgspec.msgpack.encode(of_kind(History, refolded).state) == msgspec.msgpack.encode(snapshot.state)
        last = entries[max(acknowledged)]
        assert porters.table.undo(last.client_id) == Accepted(last.seq), "its id still has its first answer"
        porters.close()


def test_a_key_file_is_created_whole_or_not_at_all(tmp_path: Path) -> None:
    """What is left of a start that was killed while it wrote the key does not stand in the next start's way."""
    (tmp_path / "seal.key.4711.new").write_text("")
    key = tmp_path / "seal.key"
    seal_key(tmp_path)
    assert key.stat().st_mode & 0o777 == 0o600
    Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0]).close()
