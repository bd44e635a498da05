"""At each moment at which the power may fail: the table opens its journal, and what was acknowledged is in it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

from appliance.journal.rows import Row
from appliance.journal.safekeeping.records import open_records
from tests.power.block_log import Written
from tests.power.card import CARD_BYTES, Note, note_in
from tests.power.recovered import recovered
from tests.power.replay import Cut, cuts

TABLE = "table"
"""The data folder on the card."""
ALL_ROWS = 10**6


class Boundaries:
    """What came of the power cuts that were tried.

    `tried` counts them by kind, `told` the remarks with which a table opened its journal. `wrong` names each that lost
    what was acknowledged, changed what was written, or did not open.
    """

    def __init__(self, empty: bytes, log: Iterable[Written]) -> None:
        self._log: list[Written] = []
        self.notes: list[tuple[int, Note]] = []
        for written in log:
            note = note_in(written.at, written.content)
            if note is None:
                self._log.append(written)
            else:
                self.notes.append((len(self._log), note))
        self._empty = empty[:CARD_BYTES]
        self.tried: Counter[str] = Counter()
        self.told: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._whole: list[Row] = []
        self._web_key = b""

    @property
    def flushes(self) -> int:
        """How many of the boundaries are flushes."""
        return sum(written.flush for written in self._log)

    @property
    def entries(self) -> int:
        """How many entries the whole evening wrote into the journal."""
        return len(self._whole)

    def try_all(self, seed: int, scratch: Path, *, torn: float = 0.25, dropped: float = 0.5, every: int = 1) -> None:
        """Let the power fail at every `every`th boundary and in between, and open what is left.

        :param scratch: a folder, in memory where that can be.
        :param torn: as `cuts`.
        :param dropped: as `cuts`.
        """
        disk = bytearray(self._empty)
        for written in self._log:
            disk[written.at : written.at + len(written.content)] = written.content
        with tempfile.TemporaryDirectory(dir=scratch) as folder, recovered(disk, Path(folder)) as files:
            self._whole = self._rows(files / TABLE)
            self._web_key = (files / TABLE / "web.key").read_bytes()
        for cut in cuts(self._empty, self._log, Random(seed), torn=torn, dropped=dropped):
            if cut.entry % every == 0:
                self._try(cut, scratch)

    def _try(self, cut: Cut, scratch: Path) -> None:
        self.tried[cut.kind] += 1
        acknowledged = [note for at, note in self.notes if at <= cut.entry]
        try:
            with tempfile.TemporaryDirectory(dir=scratch) as top, recovered(cut.disk, Path(top)) as files:
                found = self._rows(files / TABLE)
                key = (files / TABLE / "web.key").read_bytes()
        except Exception as error:
            self.wrong.append(f"{cut.kind} {cut.entry}: {type(error).__name__}: {error}")
            return
        names = {row.seq: row.client_id for row in found}
        lost = [note for note in acknowledged if names.get(note.seq) != note.name]
        if lost:
            self.wrong.append(f"{cut.kind} {cut.entry}: {len(lost)} acknowledged are lost, the first is {lost[0]}")
        if found != self._whole[: len(found)]:
            self.wrong.append(f"{cut.kind} {cut.entry}: the journal is not the beginning of what was written")
        if acknowledged and key != self._web_key:
            self.wrong.append(f"{cut.kind} {cut.entry}: the phones' key is another one")

    def _rows(self, folder: Path) -> list[Row]:
        """Open a data folder as a start does, and return its rows once all of them were read and unsealed."""
        records = open_records(folder)
        try:
            self.told.update(remark.code for remark in records.remarks)
            rows = list(records.journal.rows_after(0, ALL_ROWS))
            for game in {row.game for row in rows}:
                for _ in records.journal.read(game):
                    pass
            return rows
        finally:
            records.journal.close()
