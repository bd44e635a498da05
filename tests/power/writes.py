"""`python -m tests.power.writes`: how much an evening of three games writes onto the card, by file.

People think longer than the table waits before it merges the write-ahead log into the journal. So after every action
there is a copy and a merge of their own, which is the most that can be written for it.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from appliance.games.catalogue import the_game
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.appliance.games.contract import play
from tests.patience import GIVEN_UP_S

EVENING = ("smugglers", "prohis", "customs")
File = Literal["write-ahead log", "copy", "journal", "start and end"]
_IO = Path("/proc/thread-self/io")


class Handed(NamedTuple):
    """What this thread handed to the kernel: bytes in calls of `write`, and bytes of pages that go to a disk."""

    written: int
    to_disk: int


class Evening:
    """One table from its start to its end on a folder; `bytes_of` and `pages_of` say what was written, by file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.actions = 0
        self.bytes_of: dict[File, int] = defaultdict(int)
        self.pages_of: dict[File, int] = defaultdict(int)

    def play(self, games: Sequence[str], seed: int) -> None:
        """Play games to their ends among the best robots."""
        with self._writes("start and end"):
            records = open_records(self._folder)
            clock = ManualClock(100.0)
            table = Table(
                journal=records.journal,
                games=the_game,
                clock=clock,
                dealer=Dealer(seed),
                answer_within_s=GIVEN_UP_S,
            )
            keeper = Keeper(records.journal, records.copies, table.tell)
            table.step()
        for number, name in enumerate(games):
            for _ in self._one_game(table, clock, f"{number}", name, seed):
                self.actions += 1
                with self._writes("copy"):
                    keeper.copy()
                with self._writes("journal"):
                    records.journal.checkpoint()
        with self._writes("start and end"):
            table.stop()
            records.journal.close()

    def _one_game(self, table: Table, clock: ManualClock, name: str, game_name: str, seed: int) -> Iterator[None]:
        """Play one game. Yield after each thing that was done."""
        game = the_game(game_name)
        assert game.robots is not None
        setup = play.a_setup(game)
        decide = play.robots_decide(game, setup, list(game.robots().SKILLS)[-1], seed)
        with self._writes("write-ahead log"):
            assert isinstance(table.open_game(setup, f"{name}-open"), Accepted)
        yield
        for number in range(play.LONGEST):
            with self._writes("write-ahead log"):
                table.step()  # what is left to nobody else, the appliance draws
            state = table.snapshot().state
            if table.snapshot().game is None or game.rules.outcome(state) is not None:
                break
            with self._writes("write-ahead log"):
                answer = table.submit(Submission(id=f"{name}-{number}", action=decide(state)))
                assert isinstance(answer, Accepted), answer
            clock.advance_to(clock.now_s() + 5.0)
            yield
        with self._writes("write-ahead log"):
            table.close_game(f"{name}-close")
        yield

    @contextmanager
    def _writes(self, file: File) -> Iterator[None]:
        before = handed()
        yield
        after = handed()
        self.bytes_of[file] += after.written - before.written
        self.pages_of[file] += after.to_disk - before.to_disk


def handed() -> Handed:
    """Return what this thread wrote since it began (Linux: proc(5), `io`).

    :raises OSError: this kernel does not count it.
    """
    told = dict(line.split(": ") for line in _IO.read_text().splitlines())
    return Handed(int(told["wchar"]), int(told["write_bytes"]))


def main() -> int:
    """Play an evening and print what it wrote."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        evening = Evening(Path(folder) / "table")
        evening.play(EVENING, 1)
        sizes = {path.name: path.stat().st_size for path in sorted(Path(folder).rglob("*")) if path.is_file()}
    print(f"{len(EVENING)} games, {evening.actions} things done, each followed by a copy and a merge\n")
    print("| file | handed to the kernel | for each thing done | pages that went to a disk |\n|---|---|---|---|")
    for file, written in evening.bytes_of.items():
        each, pages = written / evening.actions / 1e3, evening.pages_of[file] / 1e6
        print(f"| {file} | {written / 1e6:.2f} MB | {each:.1f} kB | {pages:.2f} MB |")
    total, pages = sum(evening.bytes_of.values()), sum(evening.pages_of.values())
    print(f"| all | {total / 1e6:.2f} MB | {total / evening.actions / 1e3:.1f} kB | {pages / 1e6:.2f} MB |")
    print("\n" + ", ".join(f"{name} {size / 1e3:.0f} kB" for name, size in sizes.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
