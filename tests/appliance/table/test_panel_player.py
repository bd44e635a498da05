"""Lights and tunes follow the open game, on the real panel classes over simulated pins."""

from __future__ import annotations

from pathlib import Path

from appliance.games.catalogue import the_game
from appliance.table.panel_player import PanelPlayer
from hardware.panel import Melody, Panel
from tests.end_to_end.lockstep import LockstepTable


class Strip:
    """Stands where the light strip is soldered."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, ...]] = []

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        self.shown.append(tuple(lane for lane, colour in enumerate(colours, 1) if any(colour)))


def test_the_rounds_lane_glows_and_a_pass_is_heard(tmp_path: Path) -> None:
    table = LockstepTable(tmp_path, seed=2, goal="short", hourglass_s=2)
    strip = Strip()
    panel = Panel(table.clock, table.twin.sensing.put, button_pin=None, buzzer_pin=None, open_lights=lambda: strip)
    played: list[Melody] = []
    panel.play = played.append  # the tune is the point, not the buzzer's wire
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
