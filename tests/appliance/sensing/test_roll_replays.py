"""A roll can be shown again for as long as its round lasts, and nothing else can."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from appliance.sensing.pipeline import SensorPipeline
from appliance.sensing.roll_places import RollPlaces
from appliance.sensing.roll_replays import KEPT_MOST, RollReplay, RollReplays
from hardware.beams.beam_monitor import BeamEdge
from hardware.clock import ManualClock
from hardware.readings import (
    AT_HOLE,
    BEYOND_FENCE,
    BeamPassage,
    PassageSeen,
    Reading,
    RollKept,
    RollPlace,
    SphereOnTrack,
)
from tests.end_to_end.lockstep import LockstepTable
from tests.narrowed import there

FPS = 30.0


class Rolls:
    """Hands to the replays what a camera and beams would say, on a clock of its own."""

    def __init__(self) -> None:
        self.scope: str | None = "7.1"
        self.kept: list[RollKept] = []
        self.replays = RollReplays(lambda: self.scope, self._heard)
        self.now_s = 100.0
        self.replays.tick(self.now_s)

    def _heard(self, reading: Reading) -> None:
        assert isinstance(reading, RollKept)
        self.kept.append(reading)

    def pass_time(self, lasts_s: float, *, camera: bool = True) -> None:
        for _ in range(round(lasts_s * FPS)):
            self.now_s += 1 / FPS
            if camera:
                self.replays.see(self.now_s, np.full((9, 8, 3), round(self.now_s * FPS) % 250, np.uint8))
            self.replays.tick(self.now_s)

    def roll_through(self, *, camera: bool = True, beams: bool = True) -> None:
        self.pass_time(2.0, camera=camera)
        if camera:
            self.replays.note(SphereOnTrack(t_s=self.now_s, lane=4, colour=None))
        self.pass_time(0.5, camera=camera)
        began_s = self.now_s
        if beams:
            edges = [("front", True), ("back", True), ("front", False), ("back", False)]
            self.replays.note_edges(BeamEdge(began_s + n / 40, *edge) for n, edge in enumerate(edges))
            self.replays.note(BeamPassage(t_s=began_s + 0.1, outcome="passed", first_broken_s=began_s, crossed_s=None))
        if camera:
            self.replays.note(RollPlace(t_s=began_s + 0.02, lane=4, place=AT_HOLE))
            self.replays.note(RollPlace(t_s=began_s + 0.07, lane=4, place=BEYOND_FENCE))
            self.replays.note(
                PassageSeen(
                    t_s=began_s + 0.1,
                    outcome="passed",
                    lane=4,
                    colour=None,
                    started_s=began_s - 0.5,
                    crossed_s=began_s + 0.04,
                    confidence=1.0,
                )
            )
        self.pass_time(1.4, camera=camera)

    def newest(self) -> RollReplay:
        replay = self.replays.of(self.kept[-1].number)
        assert replay is not None
        return replay


def test_a_roll_is_kept_from_before_the_fence_to_after_it() -> None:
    rolls = Rolls()
    rolls.roll_through()
    assert len(rolls.kept) == 1
    replay = rolls.newest()
    assert replay.still is not None
    assert 1.4 < replay.offsets_ms[replay.still] / 1000 < 1.6
    assert 0.6 < (replay.offsets_ms[-1] - replay.offsets_ms[replay.still]) / 1000 < 0.75
    assert [(one.sense, one.code) for one in replay.moments] == [
        ("camera", "started"),
        ("beams", "front_broken"),
        ("camera", "fence"),
        ("beams", "back_broken"),
        ("beams", "front_clear"),
        ("camera", "beyond"),
        ("beams", "back_clear"),
        ("camera", "passed"),
    ]
    assert replay.moments[0].lane == 4
    assert len(replay.jpegs()) == len(replay.offsets_ms)
    assert all(jpeg.startswith(b"\xff\xd8") for jpeg in replay.jpegs())


def test_moments_are_told_by_pictures_for_seconds_would_tell_a_size() -> None:
    rolls = Rolls()
    rolls.roll_through()
    assert all(isinstance(one.at, int) for one in rolls.newest().moments)
    rolls.scope = "7.2"
    rolls.roll_through(camera=False)
    assert [one.at for one in rolls.newest().moments] == [0, 1, 2, 3], "without pictures only the order is told"


def test_each_sense_alone_is_enough() -> None:
    rolls = Rolls()
    rolls.roll_through(beams=False)
    assert {one.sense for one in rolls.newest().moments} == {"camera"}
    assert rolls.newest().jpegs()
    rolls.pass_time(3.0, camera=False)
    rolls.replays.forget()
    rolls.roll_through(camera=False)
    assert {one.sense for one in rolls.newest().moments} == {"beams"}
    assert rolls.newest().jpegs() == ()
    assert rolls.newest().still is None


def test_hands_at_the_fence_are_no_roll() -> None:
    rolls = Rolls()
    rolls.roll_through()
    for beam, broken in (("back", True), ("back", False), ("front", True), ("front", False)):
        rolls.pass_time(0.3)
        rolls.replays.note_edges([BeamEdge(rolls.now_s, beam, broken)])
    bounced = BeamPassage(t_s=rolls.now_s, outcome="bounced", first_broken_s=rolls.now_s - 0.3, crossed_s=None)
    rolls.replays.note(bounced)
    rolls.pass_time(3.0)
    assert len(rolls.kept) == 1


def test_a_sphere_that_hangs_and_falls_through_later_is_shown_once_more() -> None:
    rolls = Rolls()
    rolls.pass_time(2.0)
    rolls.replays.note(SphereOnTrack(t_s=rolls.now_s, lane=2, colour=None))
    rolls.replays.note(RollPlace(t_s=rolls.now_s + 0.4, lane=2, place=AT_HOLE))
    rolls.pass_time(3.5)
    assert [one.code for one in rolls.newest().moments] == ["started", "fence"]
    rolls.replays.note(RollPlace(t_s=rolls.now_s, lane=2, place=BEYOND_FENCE))
    rolls.pass_time(1.0)
    assert len(rolls.kept) == 2
    assert [one.code for one in rolls.newest().moments] == ["beyond"]


def test_a_sphere_that_rests_in_the_back_beam_and_is_taken_away_later_is_shown_once() -> None:
    """The beams tell its pass only when it leaves them, long after the camera did."""
    rolls = Rolls()
    rolls.roll_through(beams=False)
    assert len(rolls.kept) == 1
    broken_s = rolls.kept[0].at_s - 0.02
    rolls.pass_time(4.0)
    rolls.replays.note(BeamPassage(t_s=rolls.now_s, outcome="passed", first_broken_s=broken_s, crossed_s=broken_s))
    rolls.pass_time(4.0)
    assert len(rolls.kept) == 1


def test_they_are_gone_with_what_they_last_for() -> None:
    rolls = Rolls()
    rolls.roll_through()
    number = rolls.kept[-1].number
    assert rolls.kept[-1].scope == "7.1"
    rolls.scope = "7.2"
    rolls.replays.tick(rolls.now_s)
    assert rolls.replays.of(number) is None
    rolls.scope = None
    rolls.roll_through()
    assert len(rolls.kept) == 1, "where nothing may be kept nothing is"
    assert not rolls.replays.wanted


def test_so_many_are_kept_and_no_more() -> None:
    rolls = Rolls()
    for _ in range(KEPT_MOST + 2):
        rolls.roll_through()
    there = [one.number for one in rolls.kept if rolls.replays.of(one.number) is not None]
    assert there == [one.number for one in rolls.kept][-KEPT_MOST:]


def test_a_table_that_stops_sensing_forgets_them() -> None:
    rolls = Rolls()
    rolls.roll_through()

    class Nobody:
        def sense(self, reading: Reading) -> None: ...

        def attention(self) -> frozenset[str]:
            return frozenset()

    pipeline = SensorPipeline(clock=ManualClock(0.0), sink=Nobody(), rolls=RollPlaces(rolls.replays))  # type: ignore[arg-type]
    pipeline.start()
    pipeline.stop()
    assert rolls.replays.of(rolls.kept[-1].number) is None


@pytest.mark.slow
def test_at_the_simulated_table_it_shows_the_sphere_and_lasts_for_the_round(tmp_path: Path) -> None:
    table = LockstepTable(tmp_path, seed=6, players=2)
    assert table.play_until(lambda: bool(table.table.snapshot().replays), 120.0)
    offered = table.table.snapshot().replays[-1]
    pending = table.table.snapshot().pending
    assert pending is not None, "it is there before the grace is over"
    assert offered.prompt == pending.prompt
    assert pending.votes == {"camera": "passed", "beams": "passed", "scale": "not_asked"}
    replay = there(table.rolls.replays).of(offered.number)
    assert replay is not None
    assert replay.still is not None
    pictures = [there(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)) for jpeg in replay.jpegs()]
    moved = np.abs(pictures[replay.still].astype(int) - pictures[5].astype(int)).max(axis=2) > 60
    _, across = np.nonzero(moved)
    lane = next(one.lane for one in replay.moments if one.code == "fence")
    assert lane is not None
    assert across.mean() / moved.shape[1] == pytest.approx((lane - 0.5) / 7, abs=0.09), "the sphere in its lane"
    codes = [one.code for one in replay.moments]
    assert codes.index("started") < codes.index("front_broken") < codes.index("back_broken") < codes.index("back_clear")
    assert table.play_until(lambda: table.view.round == 2, 300.0)
    table.advance()
    assert table.table.snapshot().replays == ()
    for _ in range(5):
        table.advance()
    assert there(table.rolls.replays).of(offered.number) is None
    table.close()
