"""A real table that was built without beams: `beams = "none"`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.devices import real_table
from appliance.devices.real_table import RealTable
from appliance.devices.self_test import HealthCollector
from appliance.devices.table_wiring import table_wires
from appliance.games.protocol import Area
from appliance.service.load_settings import load_settings
from appliance.settings import Settings
from appliance.table.device_watch import DeviceWatch
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.clock import ManualClock
from hardware.readings import SENSES, DeviceHealth, PassageSeen, Reading, SphereOnTrack
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime
from tests.hardware.lgpio_pins import factories

BEAM_PINS = (17, 27)


class Table:
    """A real table on a simulated header whose pins float at 3.3 V, and what its sensors report."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
        self.clock = ManualClock(100.0)
        self.header = Header(SimulatedTime(self.clock))
        self.watch, self.collector = DeviceWatch(), HealthCollector()
        self.codes: list[str] = []
        monkeypatch.setattr(real_table, "gpio_pins", factories(self.header))
        given = Settings(data_dir=str(folder), camera="none", **settings)
        self.table = RealTable(self, self.clock, given)
        self.table._scale = None  # type: ignore[assignment]
        monkeypatch.setattr(self.table._sensing, "start", lambda: None)

    def sense(self, reading: Reading) -> None:
        self.collector.sense(reading)
        if isinstance(reading, DeviceHealth):
            self.watch.take(reading)
            if reading.device == "beams":
                self.codes.append(reading.code)

    def attention(self) -> frozenset[Area]:
        return frozenset({"track"})

    def plays(self, spheres: int) -> None:
        """Let the camera see spheres roll through their holes."""
        put = self.table._sensing.put
        put(DeviceHealth(t_s=self.clock.now_s(), device="camera", status="ok", code="camera_ok"))
        self.lasts(5.0)
        for _ in range(spheres):
            begun_s = self.clock.now_s()
            put(SphereOnTrack(t_s=begun_s, lane=4, colour="pink"))
            self.lasts(1.0)
            passed: dict[str, Any] = {"outcome": "passed", "lane": 4, "colour": "pink", "confidence": 0.9}
            put(PassageSeen(t_s=self.clock.now_s(), started_s=begun_s, crossed_s=begun_s + 0.8, **passed))
            self.lasts(10.0)

    def lasts(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.1)):
            self.clock.advance_to(self.clock.now_s() + 0.1)
            self.table._sensing.pump()


@pytest.mark.parametrize(
    ("beams", "told"), [("pins", ["beams_ok", "beam_front_dead"]), ("none", ["beams_off"])], ids=["pins", "none"]
)
def test_beams_that_were_never_built_are_no_fault_once_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beams: str, told: list[str]
) -> None:
    table = Table(tmp_path, monkeypatch, beams=beams)
    table.table.start()
    table.plays(spheres=3)
    assert table.codes == told
    assert [fault.device for fault in table.watch.faults(SENSES)] == (["beams"] if beams == "pins" else [])
    opened = [pin for pin in BEAM_PINS if table.header.listeners(pin)]
    assert opened == (list(BEAM_PINS) if beams == "pins" else []), "no pin is opened that is not wired"
    table.table.stop()


def test_the_self_test_finds_nothing_wrong_with_beams_that_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path, monkeypatch, beams="none")
    for language in LANGUAGES:
        (found,) = (one for one in table.collector.findings(words_for(language)) if one.what == "beams")
        assert (found.verdict, found.code) == ("good", "beams_off")
        assert "beams" in found.sentence


@pytest.mark.parametrize("error", [ImportError(), OSError("no header")])
def test_a_machine_without_pins_says_nothing_else_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def none() -> None:
        raise error

    table = Table(tmp_path, monkeypatch, beams="none")
    monkeypatch.setattr(real_table, "gpio_pins", none)
    table.table.start()
    table.table.stop()
    assert table.codes == ["beams_off"]


def test_their_pins_are_free_for_other_wires() -> None:
    wish = {"HOME": "/home/maker", "SMUGGLERS_PIN_HOURGLASS": str(BEAM_PINS[0])}
    assert isinstance(load_settings(None, {**wish, "SMUGGLERS_BEAMS": "none"}), Settings)
    assert getattr(load_settings(None, wish), "code", "") == "pin_used_twice"


def test_the_wiring_leaves_them_out() -> None:
    parts = {wire.part for wire in table_wires(Settings(beams="none"))}
    assert not {part for part in parts if "emitter" in part or "receiver" in part}
    assert {wire.part for wire in table_wires(Settings())} - parts == {
        f"{part}_{beam}" for part in ("emitter", "receiver") for beam in ("front", "back")
    }
