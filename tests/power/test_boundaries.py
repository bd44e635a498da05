"""The judge of power cuts: what was acknowledged too early, written in the wrong order or changed is found.

The disk is a real ext4 that e2fsprogs makes and recovers.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.appliance.journal.crashed import JOURNAL, Kept
from tests.power import recovered
from tests.power.block_log import Written
from tests.power.boundaries import TABLE, Boundaries
from tests.power.card import BLOCK_BYTES, CARD_BYTES, Note, make_card, note_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, ("mkfs.ext4", "debugfs"))), reason="e2fsprogs is missing"),
]


@pytest.fixture(autouse=True)
def no_privileges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovered, "recovers_by", lambda: "e2fsprogs")


class Evening:
    """A card on which a table acknowledges its entries one by one, and what was written to it for each."""

    def __init__(self, folder: Path) -> None:
        self.card = folder / "card.img"
        make_card(self.card)
        self.empty = self.card.read_bytes()
        self.states: list[bytes] = []
        self.notes: list[Note] = []
        table = Kept(folder / "live")
        self._keep(folder / "live")
        table.open()
        for _ in range(2):
            table.half_a_round()
            table.keeper.copy()
            self._keep(folder / "live")
            newest = table.journal.rows_after(table.journal.last_seq() - 1, 1)[0]
            self.notes.append(Note(newest.seq, newest.client_id))
            for _ in range(4):
                table.table.undo(table.new_id())
        table.close()

    def _keep(self, live: Path) -> None:
        """Note the card with the data folder as it is on the disk now."""
        make_card(self.card)
        commands = [f"mkdir {TABLE}", f"mkdir {TABLE}/copy"]
        files = sorted(path for path in live.rglob("*") if path.is_file() and not path.name.endswith((".lock", "-shm")))
        commands += [f"write {file} {TABLE}/{file.relative_to(live)}" for file in files]
        script = live.parent / "debugfs.txt"
        script.write_text("\n".join(commands))
        subprocess.run(["debugfs", "-w", "-f", str(script), str(self.card)], check=True, capture_output=True)
        self.states.append(self.card.read_bytes()[:CARD_BYTES])

    def log(self, *, noted_early: bool = False) -> list[Written]:
        """Return the writes that lead from state to state, each whole, with the notes after them or before."""
        found, disk = list[Written](), self.empty
        for number, state in enumerate(self.states):
            at = CARD_BYTES + number * BLOCK_BYTES
            note = [Written(at, note_of(*self.notes[number - 1]), flush=False, lasts=False)] if number else []
            found += note if noted_early else []
            runs = [
                at
                for at in range(0, CARD_BYTES, BLOCK_BYTES)
                if state[at : at + BLOCK_BYTES] != disk[at : at + BLOCK_BYTES]
            ]
            low, high = runs[0], runs[-1] + BLOCK_BYTES
            found.append(Written(low, state[low:high], flush=True, lasts=True))
            found += [] if noted_early else note
            disk = state
        return found


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return Evening(tmp_path_factory.mktemp("evening"))


def judged(evening: Evening, log: list[Written], folder: Path) -> Boundaries:
    boundaries = Boundaries(evening.empty, log)
    boundaries.try_all(1, folder, torn=0.0, dropped=0.0)
    return boundaries


def test_what_was_acknowledged_is_found_at_every_boundary(evening: Evening, tmp_path: Path) -> None:
    boundaries = judged(evening, evening.log(), tmp_path)
    assert boundaries.wrong == []
    assert boundaries.tried == {"after each write": len(evening.states)}
    assert boundaries.entries > evening.notes[0].seq


def test_an_acknowledgement_before_its_write_is_found(evening: Evening, tmp_path: Path) -> None:
    boundaries = judged(evening, evening.log(noted_early=True), tmp_path)
    assert len(boundaries.wrong) == len(evening.notes)
    assert all("acknowledged are lost" in line for line in boundaries.wrong)


def test_entries_that_are_not_what_was_written_are_found(
    evening: Evening, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Evening(tmp_path_factory.mktemp("other"))
    log = [Written(0, one.states[-1], flush=True, lasts=True) for one in (other, evening)]
    boundaries = judged(evening, log, tmp_path)
    assert len(boundaries.wrong) == 1
    assert "not the beginning of what was written" in boundaries.wrong[0]


def test_a_disk_that_does_not_open_is_found(evening: Evening, tmp_path: Path) -> None:
    broken = Written(0, bytes(BLOCK_BYTES), flush=True, lasts=True)
    mended = Written(0, evening.states[-1][:BLOCK_BYTES], flush=True, lasts=True)
    boundaries = judged(evening, [*evening.log(), broken, mended], tmp_path)
    assert len(boundaries.wrong) == 1
    assert JOURNAL not in boundaries.wrong[0], "the file system itself"
