"""Makes tests/recordings/senses/*.rec from the simulated table, and beside each what truly happened there.

python -m tests.recordings.make_twin
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.simulated_table import TwinTable
from appliance.sensing.recordings.recorder import Recorder
from appliance.words.catalogues import words_for
from hardware.clock import ManualClock
from hardware.recording.recording_format import Head
from hardware.recording.recording_writer import RecordingWriter
from hardware.scale.load_cell import Sample
from hardware.scale.scale_health import ScaleHealthMonitor
from hardware.twin.wires.scale_wiring import open_twin_load_cell
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.truth import Rolled, Weighed

FOLDER = Path(__file__).resolve().parent / "senses"
SIZE_PX = (512, 288)
STEP_S = 1 / 30


class RecordedTable:
    """A simulated table in lockstep with a recorder at its tap."""

    def __init__(self, path: Path, *, seed: int, most_bytes: int = 10**6, quality: int = 78) -> None:
        rig, camera, texts = twin_calibration()
        head = Head(
            made_utc="2026-01-01T00:00:00+00:00",
            hardware="twin",
            picture="track",
            consent=words_for("en").say("record.consent.track"),
            calibration=texts,
        )
        self.writer = RecordingWriter(path, head, most_bytes=most_bytes, quality=quality)
        self.recorder = Recorder(self.writer, "track", rig, camera)
        self.clock = ManualClock(100.0)
        self.twin = TwinTable(self.recorder, self.clock, seed=seed, size_px=SIZE_PX, tap=self.recorder.take)
        cell = self.twin.simulation.scale_cell(seed)
        self._cell = open_twin_load_cell(self.clock, cell.counts_at, seed=seed)
        self._judge = ScaleHealthMonitor()

    def live(self, seconds: float) -> None:
        until_s = self.clock.now_s() + seconds
        while self.clock.now_s() < until_s:
            self._step()

    def do(self, deed: HandAction) -> None:
        while not deed.done:
            self._step()

    def _step(self) -> None:
        self.twin.simulation.advance_to(self.clock.now_s() + STEP_S)
        while (frame := self.twin.camera.read(0)) is not None:
            self.twin.take(frame)
        while (outcome := self._cell.poll()) is not None:
            for health in self._judge.feed(outcome):
                self.twin.sensing.put(health)
            if isinstance(outcome, Sample):
                self.twin.sensing.put(outcome)
        self.twin.sensing.pump()
        self.recorder.pump()

    def close(self) -> list[dict[str, Any]]:
        """End the recording and return what truly happened."""
        self.writer.close()
        self.twin.close()
        return [_written(fact) for fact in self.twin.world.truth if isinstance(fact, Rolled | Weighed)]


def _written(fact: Rolled | Weighed) -> dict[str, Any]:
    if isinstance(fact, Weighed):
        return {"fact": "weighed", "mass_g": fact.mass_g}
    crossed = None if fact.crossed_s is None else round(fact.crossed_s, 5)
    return {"fact": "rolled", "lane": fact.lane, "colour": fact.colour, "outcome": fact.outcome, "crossed_s": crossed}


def pass_weigh_and_stick(path: Path, seed: int = 4) -> list[dict[str, Any]]:
    """A sphere is rolled through its hole and weighed; a larger one sticks while the camera looks away."""
    table = RecordedTable(path, seed=seed)
    world = table.twin.world
    table.live(0.2)
    world.sculpt(0, 24.0, ("sweet",))
    rolling = world.start_roll(0, 3, 0.6)
    table.twin.camera.attended = False  # a small file: the hand that comes, and all after the roll, is not filmed
    table.live(0.8)
    table.twin.camera.attended = True
    table.do(rolling)
    table.live(0.25)
    table.twin.camera.attended = False
    table.live(0.5)
    table.do(world.lift_sphere(0))
    table.do(world.put_on_pan(0))
    table.live(4.0)
    table.do(world.lift_from_pan())
    table.live(1.0)
    world.sculpt(2, 30.5, ("sour",))
    table.do(world.start_roll(2, 4, 0.5))
    table.live(1.5)
    return table.close()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = FOLDER / "pass-weigh-and-stick.rec"
    made.unlink(missing_ok=True)
    truth = pass_weigh_and_stick(made)
    made.with_suffix(".truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    print(made.name, made.stat().st_size, truth)
