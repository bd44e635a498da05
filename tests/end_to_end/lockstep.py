"""A whole simulated table in one thread on a manual clock: as fast as the machine can, the same for one seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from appliance.composition.demo.demo import Demo
from appliance.devices.simulated_table import TwinTable
from appliance.games.catalogue import the_game
from appliance.games.protocol import Action
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.sensing.roll_replays import RollReplays
from appliance.table.table import Table
from hardware.cameras.camera import Frame
from hardware.clock import ManualClock
from hardware.readings import RollPlace
from hardware.scale.load_cell import Sample
from hardware.scale.scale_health import ScaleHealthMonitor
from hardware.twin.wires.scale_wiring import open_twin_load_cell
from tests.heard_places import HeardPlaces

STEP_S = 1 / 30
START_S = 100.0


class LockstepTable:
    """Table, twin, senses and robots, moved by `advance`.

    `told` gets every place of a rolling sphere that the sensors tell.
    """

    def __init__(self, folder: Path, *, seed: int, players: int = 4, game: str = "smugglers", **options: Any) -> None:
        cv2.setNumThreads(1)  # pictures are small: threads of OpenCV's own only wait for each other
        self.clock = ManualClock(START_S)
        sealer = seal_key(folder)[0]
        self.journal = Journal(folder / "journal.sqlite3", sealer)
        self.rules = the_game(game).rules
        self.table = Table(journal=self.journal, games=the_game, clock=self.clock, hardware="twin")
        self.told: list[RollPlace] = []
        self.rolls = HeardPlaces(self.hear, RollReplays(self.table.replay_scope, self.table.sense))
        self.twin = TwinTable(self.table, self.clock, seed=seed, rolls=self.rolls)
        cell = self.twin.simulation.scale_cell(seed)
        self._cell = open_twin_load_cell(self.clock, cell.counts_at, faults=self.twin.faults, seed=seed)
        self._scale = ScaleHealthMonitor()
        self.tapped: list[Action] = []
        self.robots_play = True
        self.demo = Demo(
            self.table,
            self.twin.simulation,
            the_game,
            opens=game,
            clock=self.clock,
            seed=seed,
            players=players,
            restarts=False,
            options=options,
            on_tap=self.tapped.append,
        )

    @property
    def view(self) -> Any:
        """The public view."""
        return self.rules.view(self.table.snapshot().state, None)

    def advance(self) -> None:
        """Let one camera period pass everywhere."""
        self.twin.simulation.advance_to(self.clock.now_s() + STEP_S)
        while (frame := self.twin.camera.read(0)) is not None:
            self.take(frame)
        self.twin.wanted_fps()
        while (outcome := self._cell.poll()) is not None:
            for health in self._scale.feed(outcome):
                self.twin.sensing.put(health)
            if isinstance(outcome, Sample):
                self.twin.sensing.put(outcome)
        self.twin.sensing.pump()
        self.table.step()
        if self.robots_play:
            self.demo.play()
            self.table.step()

    def take(self, frame: Frame) -> None:
        """Hand a picture of the camera to the senses."""
        self.twin.take(frame)

    def hear(self, place: RollPlace) -> None:
        """Note a place before the pages get it."""
        self.told.append(place)

    def play_until(self, done: Callable[[], bool], most_s: float) -> bool:
        """Play until `done()`; False when that takes more than `most_s` simulated seconds."""
        until_s = self.clock.now_s() + most_s
        while not done():
            if self.clock.now_s() > until_s:
                return False
            self.advance()
        return True

    def play_to_the_end(self, most_s: float = 20_000.0) -> bool:
        """Play one whole game."""
        return self.play_until(self.is_over, most_s)

    def is_over(self) -> bool:
        """Whether the open game has ended."""
        snapshot = self.table.snapshot()
        return snapshot.state is not None and self.rules.outcome(snapshot.state) is not None

    def close(self) -> None:
        """Let go of files and pins."""
        self.twin.close()
        self.table.stop()
        self.journal.close()
