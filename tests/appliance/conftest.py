from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from appliance.games.game import Game
from appliance.games.protocol import Action, Player, Setup
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted, Answer, Submission
from appliance.table.table import Table
from hardware.clock import ManualClock, MonotonicClock
from hardware.readings import ButtonPressed
from tests.appliance.games.porters import Cross, Hide, Porters
from tests.patience import GIVEN_UP_S

NAMES = ("Ann", "Ben", "Cleo", "Dan")


def setup(players: int = 2, **options: object) -> Setup:
    return Setup(
        format=1, game="porters", players=tuple(Player(name=name) for name in NAMES[:players]), options=options
    )


class PortersTable:
    """A table on a folder, in lockstep on a clock of its own; `reopen` is what a restart does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock(100.0)
        self.running: MonotonicClock | None = None
        """The clock of a table whose loop runs, from its next `reopen` on."""
        self.wall_s = 1_800_000_000.0
        self.game = Porters()
        self.games: Callable[[str], Game] = {"porters": self.game.declared()}.__getitem__
        self._connect()

    def _connect(self) -> None:
        sealer = seal_key(self.folder)[0]
        self.journal = Journal(self.folder / "journal.sqlite3", sealer, lambda: self.wall_s)
        self.table = Table(
            journal=self.journal, games=self.games, clock=self.running or self.clock, answer_within_s=GIVEN_UP_S
        )

    def reopen(self, off_s: float = 0.0, clock_s: float | None = None) -> Table:
        """Pull the plug for `off_s` by the wall clock; `clock_s` is what the new process's own clock shows first."""
        self.close()
        self.wall_s += off_s
        self.clock = self.clock if clock_s is None else ManualClock(clock_s)
        self._connect()
        return self.table

    def close(self) -> None:
        self.table.stop()
        self.journal.close()

    @property
    def referee(self) -> Any:
        return self.game.referees[-1]

    @property
    def state(self) -> Any:
        return self.table.snapshot().state

    def new_id(self) -> str:
        return str(uuid4())

    def open(self, players: int = 2, **options: object) -> int:
        return self.accepted(self.table.open_game(setup(players, **options), self.new_id()))

    def do(self, action: Action, **more: Any) -> Answer:
        return self.table.submit(Submission(id=self.new_id(), action=action, **more))

    def did(self, action: Action, **more: Any) -> int:
        return self.accepted(self.do(action, **more))

    def accepted(self, answer: Answer) -> int:
        assert isinstance(answer, Accepted), answer
        return answer.seq

    def wait(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now_s() + seconds)
        self.wall_s += seconds
        self.table.step()

    def advise(self, *advice: object) -> None:
        """Let a sensor say something, on which the referee advises this."""
        self.referee.script["sense"] = [list(advice)]
        self.table.sense(ButtonPressed(t_s=0.0, button="hourglass"))
        self.table.step()

    def half_a_round(self) -> tuple[int, int, int, int]:
        """Ann 22.7 g stuck twice, Ben 19.3 g has yet to cross: entries hide, hide, stuck, stuck."""
        return (
            self.did(Hide(seat=0, mass_g=22.7)),
            self.did(Hide(seat=1, mass_g=19.3)),
            self.did(Cross(seat=0, outcome="stuck")),
            self.did(Cross(seat=0, outcome="stuck")),
        )


@pytest.fixture
def porters(tmp_path: Path) -> Iterator[PortersTable]:
    porters = PortersTable(tmp_path)
    yield porters
    porters.close()
