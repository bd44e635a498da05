"""An error in our own rules of sensing is told as the health of its device, and sensing goes on."""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator
from typing import Any

import pytest

from appliance.games.protocol import Area
from appliance.sensing.mishaps import CALM_S
from appliance.sensing.pipeline import SensorPipeline
from hardware.beams.beam_pair import BeamEdge
from hardware.clock import ManualClock
from hardware.readings import ButtonPressed, Device, DeviceHealth, LoadRemoved, Reading
from hardware.scale.load_cell import Sample
from tests.patience import GIVEN_UP_S

SECRET = "4.25 g"


class Listener:
    def __init__(self) -> None:
        self.heard: queue.SimpleQueue[Reading] = queue.SimpleQueue()

    def sense(self, reading: Reading) -> None:
        self.heard.put(reading)

    def attention(self) -> frozenset[Area]:
        return frozenset({"track"})


class Judge:
    """The beams' and the scale's judge: it says that its device is well, and stumbles while `broken`."""

    def __init__(self, device: Device) -> None:
        self.device, self.broken, self.said = device, False, False

    def _judge(self, t_s: float) -> tuple[Reading, ...]:
        if self.broken:
            raise ValueError(SECRET)
        if self.said:
            return (LoadRemoved(t_s=t_s),)
        self.said = True
        return (DeviceHealth(t_s=t_s, device=self.device, status="ok", code=f"{self.device}_ok"),)

    def feed(self, t_s: float, counts: float) -> tuple[Reading, ...]:
        return self._judge(t_s)

    def edge(self, edge: BeamEdge) -> tuple[Reading, ...]:
        return self._judge(edge.t_s)

    def tick(self, now_s: float) -> tuple[Reading, ...]:
        return ()

    def attend(self, track: bool, now_s: float) -> None: ...

    def see(self, reading: Reading) -> None: ...

    def take_places(self) -> tuple[()]:
        return ()

    def take_changes(self) -> tuple[()]:
        return ()


class Stand:
    def __init__(self) -> None:
        self.clock, self.listener = ManualClock(100.0), Listener()
        self.beams, self.scale = Judge("beams"), Judge("scale")
        judges: dict[str, Any] = {"beams": self.beams, "scale": self.scale}
        self.sensing = SensorPipeline(clock=self.clock, sink=self.listener, **judges)

    def edge(self) -> None:
        self.sensing.put(BeamEdge(self.clock.now_s(), "front", True))

    def hear(self) -> Reading:
        return self.listener.heard.get(timeout=GIVEN_UP_S)

    def code(self) -> str:
        heard = self.hear()
        assert isinstance(heard, DeviceHealth)
        return heard.code


@pytest.fixture
def stand() -> Iterator[Stand]:
    stand = Stand()
    stand.edge()
    stand.sensing.start()
    assert stand.code() == "beams_ok"
    yield stand
    stand.sensing.stop()


def test_an_error_is_told_once_and_later_facts_are_still_judged(stand: Stand) -> None:
    stand.beams.broken = True
    stand.edge()
    told = stand.hear()
    assert isinstance(told, DeviceHealth)
    assert (told.device, told.status, told.code) == ("beams", "faulty", "sensing_failed")
    stand.edge()
    stand.sensing.put(Sample(stand.clock.now_s(), 0))
    stand.sensing.put(ButtonPressed(t_s=stand.clock.now_s(), button="hourglass"))
    assert stand.code() == "scale_ok", "the other devices are judged as before"
    assert isinstance(stand.hear(), ButtonPressed)


def test_a_device_is_well_again_after_a_calm_time(stand: Stand) -> None:
    stand.beams.broken = True
    stand.edge()
    assert stand.code() == "sensing_failed"
    stand.beams.broken = False
    stand.clock.advance_to(stand.clock.now_s() + CALM_S)
    assert stand.code() == "beams_ok"
    stand.edge()
    assert isinstance(stand.hear(), LoadRemoved)


def test_the_log_says_where_and_not_what(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    stand.beams.broken = True
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            stand.edge()
        stand.sensing.put(ButtonPressed(t_s=stand.clock.now_s(), button="hourglass"))
        assert stand.code() == "sensing_failed"
        assert isinstance(stand.hear(), ButtonPressed)
    (line,) = [record.getMessage() for record in caplog.records if "sensing_failed" in record.getMessage()]
    assert "ValueError" in line
    assert "test_mishaps.py" in line
    assert SECRET not in line


def test_whoever_processes_in_their_own_thread_sees_the_error() -> None:
    stand = Stand()
    stand.beams.broken = True
    stand.edge()
    with pytest.raises(ValueError, match=SECRET):
        stand.sensing.pump()
