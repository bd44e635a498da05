"""A processor that is busy with other things is nobody's fault: what was not heard in time was not left unsaid."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from appliance.devices.self_test import HealthCollector
from appliance.devices.simulated_table import TWIN_SCALE
from appliance.sensing.pipeline import SensorPipeline
from hardware.beams.beam_pair import BeamEdge, BeamPair
from hardware.cameras.camera import Frame
from hardware.clock import END_S, ManualClock, MonotonicClock
from hardware.readings import BeamPassage, Device, DeviceHealth, Reading, Status
from hardware.scale.load_cell import Sample
from hardware.scale.weighing import Weigher
from tests.patience import GIVEN_UP_S

BLACK = np.zeros((1, 1, 3), np.uint8)


def health(device: Device, status: Status, code: str, t_s: float = 0.0) -> DeviceHealth:
    return DeviceHealth(t_s=t_s, device=device, status=status, code=code)


class Stand:
    """The scale's judge behind the senses, on a clock that the test moves."""

    def __init__(self) -> None:
        self.clock, self.listener = ManualClock(100.0), HealthCollector()
        self.sensing = SensorPipeline(clock=self.clock, sink=self.listener, scale=Weigher(TWIN_SCALE))

    def pass_time(self, seconds: float, step_s: float = 0.1) -> None:
        for _ in range(round(seconds / step_s)):
            self.clock.advance_to(self.clock.now_s() + step_s)
            self.sensing.pump()

    def sample(self) -> None:
        self.sensing.put(Sample(self.clock.now_s(), round(TWIN_SCALE.zero_counts)))
        self.sensing.pump()

    @property
    def codes(self) -> set[str]:
        return set(self.listener.health["scale"])


def test_a_scale_that_takes_long_to_start_is_not_called_silent() -> None:
    stand = Stand()
    stand.sensing.put(health("scale", "starting", "scale_starting"))
    stand.pass_time(40.0)
    assert stand.codes == {"scale_starting"}


@pytest.mark.parametrize("starts", [True, False])
def test_a_scale_that_falls_silent_is_called_so(starts: bool) -> None:
    stand = Stand()
    if starts:
        stand.sensing.put(health("scale", "starting", "scale_starting"))
    stand.sample()
    stand.pass_time(5.0)
    assert "scale_silent" in stand.codes


def test_silence_is_not_judged_after_a_time_in_which_nobody_listened() -> None:
    stand = Stand()
    stand.sample()
    stand.pass_time(20.0, step_s=5.0)
    assert stand.codes == set()
    stand.pass_time(0.2)
    assert "scale_silent" in stand.codes, "now there was time to hear it"


def test_what_waits_behind_a_slow_picture_is_heard_before_silence_is_judged() -> None:
    clock, fed = ManualClock(100.0), threading.Event()
    order: list[str] = []

    class SlowSight:
        wanted_fps = 28.0

        def attend(self, _: object) -> None: ...

        def start_afresh(self) -> None: ...

        def feed(self, frame: Frame) -> Iterable[Reading]:
            for _ in range(10):  # a busy processor takes five seconds over one picture
                clock.advance_to(clock.now_s() + 0.5)
            return ()

    class Judge:
        def feed(self, t_s: float, _: float) -> Iterable[Reading]:
            order.append("fed")
            fed.set()
            return ()

        def tick(self, now_s: float) -> Iterable[Reading]:
            order.append(f"tick {now_s:g}")
            return ()

    sight: Any = SlowSight()
    sensing = SensorPipeline(clock=clock, sink=HealthCollector(), camera=sight, scale=Judge())
    sensing.put_frame(Frame(100.0, BLACK, 0))
    sensing.put(Sample(100.1, 1))
    sensing.start()
    assert fed.wait(GIVEN_UP_S)
    sensing.stop()
    assert order[0] == "fed"


def test_the_picture_that_is_being_looked_at_is_waited_for_however_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    limits: list[float | None] = []
    join = threading.Thread.join

    class SlowSight:
        wanted_fps = 28.0

        def attend(self, _: object) -> None: ...

        def start_afresh(self) -> None: ...

        def feed(self, _: Frame) -> Iterable[Reading]:
            begun.set()
            assert go_on.wait(GIVEN_UP_S)
            return ()

    def noted(thread: threading.Thread, timeout: float | None = None) -> None:
        limits.append(timeout)
        if timeout is None:
            go_on.set()
            join(thread)

    sight: Any = SlowSight()
    sensing = SensorPipeline(clock=ManualClock(100.0), sink=HealthCollector(), camera=sight)
    sensing.put_frame(Frame(100.0, BLACK, 0))
    sensing.start()
    assert begun.wait(GIVEN_UP_S)
    monkeypatch.setattr(threading.Thread, "join", noted)
    sensing.stop()
    assert limits == [END_S, None]
    assert "the thread sensing has not ended" in caplog.text, "who waits is told what for"


def test_the_check_waits_until_every_device_has_begun() -> None:
    listener = HealthCollector()
    assert listener.awaited
    listener.sense(health("beams", "ok", "beams_ok"))
    for device in ("camera", "scale"):
        listener.sense(health(device, "starting", f"{device}_starting"))
    assert listener.awaited
    listener.sense(health("camera", "absent", "camera_absent"))
    assert listener.awaited, "the scale still starts"
    listener.sense(health("scale", "starting", "scale_not_empty_at_start"))
    assert not listener.awaited, "what lies on the pan is for people to take off"


def test_samples_are_weighed_without_anything_else_and_in_order_before_what_came_after_them() -> None:
    taken: queue.SimpleQueue[str] = queue.SimpleQueue()

    class Scale:
        def feed(self, t_s: float, counts: float) -> Iterable[Reading]:
            taken.put(f"sample {counts:g}")
            return ()

        def tick(self, now_s: float) -> Iterable[Reading]:
            return ()

    class Beams(BeamPair):
        def edge(self, edge: BeamEdge) -> list[BeamPassage | DeviceHealth]:
            taken.put(edge.beam)
            return []

    sensing = SensorPipeline(clock=MonotonicClock(), sink=HealthCollector(), beams=Beams(), scale=Scale())
    sensing.start()
    sensing.put(Sample(1.0, 1))
    assert taken.get(timeout=GIVEN_UP_S) == "sample 1"
    for fact in (Sample(2.0, 2), Sample(3.0, 3), BeamEdge(4.0, "front", True)):
        sensing.put(fact)
    assert [taken.get(timeout=GIVEN_UP_S) for _ in range(3)] == ["sample 2", "sample 3", "front"]
    sensing.stop()
