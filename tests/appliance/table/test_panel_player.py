"""Lights and tunes follow the open game, on the real panel classes over simulated pins."""

from __future__ import annotations

import queue
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.games.catalogue import the_game
from appliance.snapshot import Accepted
from appliance.table.panel_player import PanelPlayer
from hardware.clock import ManualClock
from hardware.panel import Melody, Panel
from hardware.twin.wires.pins import SimulatedPins
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Hide
from tests.end_to_end.lockstep import LockstepTable
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


class Strip:
    """Stands where the light strip is soldered."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, ...]] = []

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        self.shown.append(tuple(lane for lane, colour in enumerate(colours, 1) if any(colour)))

    def close(self) -> None: ...


class Told(Strip):
    def __init__(self) -> None:
        super().__init__()
        self.told: queue.Queue[tuple[int, ...]] = queue.Queue()

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        super().show(colours)
        self.told.put(self.shown[-1])


def test_the_rounds_lane_glows_and_a_pass_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = LockstepTable(tmp_path, seed=2, goal="short", hourglass_s=2)
    strip = Strip()
    panel = Panel(table.clock, table.twin.sensing.put, button_pin=None, buzzer_pin=None, open_lights=lambda: strip)
    played: list[Melody] = []
    monkeypatch.setattr(panel, "play", played.append)  # the tune is the point, not the buzzer's wire
    player = PanelPlayer(table.table, the_game, lambda: panel, table.clock)

    def passed() -> bool:
        snapshot = table.table.snapshot()
        player.follow(panel, snapshot)
        return any(line.happening.code == "sphere_passed" for line in snapshot.log)

    try:
        assert table.play_until(passed, 600)
        lane = table.view.lane
    finally:
        table.close()
    assert strip.shown[-1] == (lane,)
    assert played[0] == "time_up"
    assert "passed" in played


def test_a_pass_that_is_undone_is_not_heard_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = LockstepTable(tmp_path, seed=2, goal="short", hourglass_s=2)
    panel = Panel(table.clock, table.twin.sensing.put, button_pin=None, buzzer_pin=None)
    played: list[Melody] = []
    monkeypatch.setattr(panel, "play", played.append)
    player = PanelPlayer(table.table, the_game, lambda: panel, table.clock)

    def passed() -> bool:
        player.follow(panel, table.table.snapshot())
        return "passed" in played

    try:
        assert table.play_until(passed, 600)
        played.clear()
        assert isinstance(table.table.undo("undo"), Accepted)
        undone = table.table.snapshot().log[-1]
        assert (undone.kind, undone.happening.code) == ("undone", "sphere_passed")
        player.follow(panel, table.table.snapshot())
    finally:
        table.close()
    assert played == []


def test_a_panel_that_was_opened_anew_after_a_calibration_is_played_on(tmp_path: Path) -> None:
    """A calibration closes the panel and opens another one, while the player's thread runs."""

    def opened(strip: Told) -> Panel:
        clock = ManualClock()
        return Panel(clock, lambda reading: None, open_lights=lambda: strip, pin_factory=SimulatedPins(clock).factory)

    table = LockstepTable(tmp_path, seed=2, goal="short", hourglass_s=2)
    strips = [Told(), Told()]
    panels = [opened(strips[0])]
    player = PanelPlayer(table.table, the_game, lambda: panels[-1], table.clock)
    player.start()
    try:
        assert table.play_until(lambda: table.table.snapshot().game is not None and table.view.lane is not None, 600)
        lane = table.view.lane
        while strips[0].told.get(timeout=GIVEN_UP_S) != (lane,):
            pass
        panels[0].close()
        panels[0].play("won")
        panels[0].tick(1e6)
        panels.append(opened(strips[1]))
        assert strips[1].told.get(timeout=GIVEN_UP_S) == (lane,)
    finally:
        player.stop()
        for panel in panels:
            panel.close()
        table.close()


def test_a_bug_in_a_games_cues_does_not_end_the_panel(porters: PortersTable) -> None:
    tripped = threading.Semaphore(0)

    class Cues:
        def lit_lane(self, view: object) -> int:
            if not any(line.seq > 1 for line in porters.table.snapshot().log):
                tripped.release()
                raise ZeroDivisionError
            return 3

        def melody(self, news: object) -> None: ...

    strip, game = Told(), replace(porters.game.declared(), panel=Cues)
    pins = SimulatedPins(porters.clock).factory
    panel = Panel(porters.clock, lambda reading: None, open_lights=lambda: strip, pin_factory=pins)
    player = PanelPlayer(porters.table, lambda name: game, lambda: panel, porters.clock)
    player.start()
    porters.open()
    assert tripped.acquire(timeout=GIVEN_UP_S)
    porters.did(Hide(seat=0, mass_g=22.7))
    assert strip.told.get(timeout=GIVEN_UP_S) == (3,)
    player.stop()
    panel.close()
