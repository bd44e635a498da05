"""A table that is killed −9 again and again while it is played at, and what each life left on the disk."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import threading
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from appliance.journal.rows import Row
from appliance.journal.safekeeping.records import open_records
from tests.patience import GIVEN_UP_S
from tests.power.touchscreen import Touchscreen
from tests.table_process import EndedError, TableProcess

Moment = Literal["while it starts", "while it is played at", "at an answer", "at rest"]
MOMENTS: dict[Moment, float] = {
    "while it starts": 0.1,
    "while it is played at": 0.65,
    "at an answer": 0.15,
    "at rest": 0.1,
}
"""How often a table is killed when. At rest the write-ahead log is merged into the file (`keeper.QUIET_S`)."""
PLAYED_S, STARTED_S, RESTED_S = 0.6, 1.5, (1.9, 2.5)
WHOLE_EVERY = 50
"""How often all entries are compared; else the newest of the lives before, and those that came."""
WATCHED_S = 20.0
"""How long robots are waited for: their hands take their time."""


class Start(NamedTuple):
    """From the start of a process to its first page."""

    processor_s: float
    elapsed_s: float


class Lives:
    """One data folder through many lives of `smugglers run`, or of `smugglers demo` whose robots play.

    `lost` names every acknowledged action that a life did not leave; empty is what is wanted.
    """

    def __init__(self, top: Path, seed: int, *, demo: bool = False) -> None:
        self._top, self._random, self._demo = top, Random(seed), demo
        self._folder = top / "data"
        self._rows: list[Row] = []
        self._acknowledged: dict[int, str | None] = {}
        self._shown: set[int] = set()
        self._unanswered: Touchscreen | None = None
        self.lives = 0
        self.acknowledged = 0
        self.unanswered: Counter[str] = Counter()
        self.moments: Counter[Moment] = Counter()
        self.starts: list[Start] = []
        self.lost: list[str] = []
        self.wrong: list[str] = []

    def live(self, moment: Moment | None = None) -> None:
        """Start the table, play at it, kill it (None: at a random moment), and look at what it left."""
        self.lives += 1
        moment = moment or self._random.choices(list(MOMENTS), list(MOMENTS.values()))[0]
        self.moments[moment] += 1
        command = ("demo", "--speed", "60", "--seed", str(self.lives)) if self._demo else ("run",)
        table = TableProcess(self._folder, *command, camera="none")
        killer = threading.Timer(self._random.uniform(0.0, STARTED_S), table.kill)
        try:
            if moment == "while it starts":
                killer.start()
            with suppress(EndedError, OSError, http.client.HTTPException):
                elapsed_s = table.serving_s()
                self.starts.append(Start(table.cpu_s(), elapsed_s))
                if self._demo:
                    self._watch(table, moment)
                else:
                    self._play(table, moment)
        finally:
            killer.cancel()
            table.kill()
            if killer.is_alive():
                killer.join()
        if table.process.returncode != -signal.SIGKILL:
            self.wrong.append(f"life {self.lives}: the process ended by itself with {table.process.returncode}")
        self._judge()

    def _play(self, table: TableProcess, moment: Moment) -> None:
        touchscreen = Touchscreen(table.port, f"life-{self.lives}", self._random)
        try:
            self._send_again(touchscreen)
            until = threading.Timer(self._random.uniform(0.0, PLAYED_S), table.kill)
            if moment == "while it is played at":
                until.start()
            wanted = self._random.randrange(1, 25)
            while moment == "while it is played at" or wanted > 0:
                wanted -= touchscreen.deed() is not None
            if moment == "at rest":
                threading.Event().wait(self._random.uniform(*RESTED_S))
        finally:
            self._acknowledged |= {seq: name for name, seq in touchscreen.acknowledged.items()}
            self.acknowledged += len(touchscreen.acknowledged)
            self._unanswered = touchscreen if touchscreen.sent else None
            touchscreen.close()

    def _send_again(self, touchscreen: Touchscreen) -> None:
        """Send what had no answer once more, and what was answered last: the first answer must come again."""
        if self._unanswered is not None and self._unanswered.sent is not None:
            path, body = self._unanswered.sent
            there = next((row.seq for row in self._rows if row.client_id == body["id"]), None)
            again = touchscreen.tell(path, body)
            self.unanswered["was written" if there else "was not written"] += 1
            if there is not None and again != there:
                self.wrong.append(f"life {self.lives}: {body['id']} was entry {there} and is answered {again}")

    def _watch(self, table: TableProcess, moment: Moment) -> None:
        """Look at what the robots' table shows: what is on a screen was acknowledged."""
        until_s = time.monotonic() + WATCHED_S
        wanted = self._random.randrange(1, 8)
        while wanted > 0 and time.monotonic() < until_s:
            with urllib.request.urlopen(f"http://127.0.0.1:{table.port}/api/v1/view", timeout=GIVEN_UP_S) as answer:
                shown = {line["seq"] for line in json.load(answer).get("log", ())}
            new = shown - self._shown
            self._shown |= new
            self.acknowledged += len(new)
            self._acknowledged |= dict.fromkeys(new)
            wanted -= len(new)
            time.sleep(0.01)
        if moment == "while it is played at":
            time.sleep(self._random.uniform(0.0, PLAYED_S))

    def _judge(self) -> None:
        """Compare what is on the disk with what was acknowledged, on a copy: the next start finds the disk as it is."""
        left = self._folder / "demo" if self._demo else self._folder
        if not left.exists():
            return
        copy = self._top / "judged"
        shutil.copytree(left, copy, ignore=shutil.ignore_patterns("*-shm", "*.lock"))
        try:
            records = open_records(copy)
            try:
                self.wrong += [f"life {self.lives}: {one.code}" for one in records.remarks]
                before = len(self._rows)
                known = 0 if self.lives % WHOLE_EVERY == 0 else max(before - 1, 0)
                if list(records.journal.rows_after(known, before - known)) != self._rows[known:]:
                    self.wrong.append(f"life {self.lives}: entries of earlier lives are not what they were")
                self._rows += records.journal.rows_after(before, 10**6)
                if (game := records.journal.newest_game()) is not None:
                    for _ in records.journal.read(game):
                        pass
            finally:
                records.journal.close()
        except Exception as error:
            self.wrong.append(f"life {self.lives}: {type(error).__name__}: {error}")
        finally:
            shutil.rmtree(copy)
        found = {row.seq: row.client_id for row in self._rows}
        for seq, name in self._acknowledged.items():
            if seq not in found or (name is not None and found[seq] != name):
                self.lost.append(f"life {self.lives}: entry {seq} ({name})")
        self._acknowledged.clear()
