"""What the real table says of files and wires that it cannot use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from appliance.devices import real_table
from appliance.devices.calibration_files import twin_calibration
from appliance.devices.real_table import RealTable
from appliance.games.protocol import Area
from appliance.settings import Settings
from calibration.track.fit import to_toml
from hardware.beams.beam_pair import BeamEdge
from hardware.clock import ManualClock, MonotonicClock
from hardware.panel import Panel
from hardware.readings import BeamPassage, Device, DeviceHealth, Reading
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.scale.process.child import Report
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime
from tests.hardware.lgpio_pins import factories


class Told:
    def __init__(self, device: Device) -> None:
        self._device = device
        self.codes: list[str] = []
        self.passages: list[str] = []

    def sense(self, reading: Reading) -> None:
        if isinstance(reading, BeamPassage):
            self.passages.append(reading.outcome)
        if isinstance(reading, DeviceHealth) and reading.device == self._device:
            self.codes.append(reading.code)

    def attention(self) -> frozenset[Area]:
        return frozenset()


@pytest.mark.parametrize(
    ("damaged", "code"), [("rig.toml", "rig_unreadable"), ("camera.toml", "camera_not_calibrated")]
)
def test_a_damaged_calibration_is_the_last_word_on_the_camera(damaged: str, code: str, tmp_path: Path) -> None:
    """A camera that saw the table by standard measures would report that it is well, and name wrong lanes."""
    for name, text in twin_calibration()[2].items():
        (tmp_path / name).write_text(text if name != damaged else text[: len(text) // 2])
    told = Told("camera")
    table = RealTable(told, MonotonicClock(), Settings(data_dir=str(tmp_path), camera=f"clip:{tmp_path / 'none'}"))
    table._scale = None  # type: ignore[assignment]
    table.start()
    table.stop()
    assert told.codes == [code]


def test_a_stopped_table_lets_go_of_the_header_and_the_next_one_opens_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock = MonotonicClock()
    header = Header(SimulatedTime(clock))
    monkeypatch.setattr(real_table, "gpio_pins", factories(header))
    for _ in range(2):
        told = Told("panel")
        table = RealTable(told, clock, Settings(data_dir=str(tmp_path), camera="none"))
        table._scale = None  # type: ignore[assignment]
        table.start()
        assert header.open_chips == 1
        table._sensing.pump()
        table.stop()
        assert told.codes == ["panel_ok"]
        assert header.open_chips == 0


def test_a_part_that_does_not_close_holds_up_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stuck(panel: Panel) -> None:
        raise OSError("stuck")

    clock = MonotonicClock()
    header = Header(SimulatedTime(clock))
    monkeypatch.setattr(real_table, "gpio_pins", factories(header))
    table = RealTable(Told("panel"), clock, Settings(data_dir=str(tmp_path), camera="none"))
    table._scale = None  # type: ignore[assignment]
    table.start()
    with monkeypatch.context() as patched:
        patched.setattr(Panel, "close", stuck)
        with pytest.raises(OSError, match="stuck"):
            table.stop()
    assert header.open_chips == 0
    assert table._sensing._thread is not None
    assert not table._sensing._thread.is_alive()
    assert table.panel is not None
    table.panel.close()


@pytest.mark.parametrize(("back_y_mm", "outcomes"), [(-14.0, ["passed"]), (-70.0, [])])
def test_how_fast_a_sphere_can_come_from_beam_to_beam_depends_on_the_table_s_own_measures(
    back_y_mm: float, outcomes: list[str], tmp_path: Path
) -> None:
    front, back = Rig().beams
    rig = msgspec.structs.replace(Rig(), beams=(front, msgspec.structs.replace(back, y_mm=back_y_mm)))
    (tmp_path / "rig.toml").write_text(to_toml(rig))
    clock, told = ManualClock(1.0), Told("beams")
    table = RealTable(told, clock, Settings(data_dir=str(tmp_path), camera="none"))
    put = table._sensing.put
    for beam in ("front", "back"):
        put(BeamEdge(1.0, beam, False))
    clock.advance_to(3.0)
    table._sensing.pump()
    for beam, broken_s in (("front", 5.0), ("back", 5.02)):
        put(BeamEdge(broken_s, beam, True))
        put(BeamEdge(broken_s + 0.01, beam, False))
    clock.advance_to(7.0)
    table._sensing.pump()
    assert told.codes == ["beams_ok"]
    assert told.passages == outcomes


def test_an_earlier_fault_of_a_scale_without_calibration_does_not_come_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its process tells both in one batch, while the thread that processes them is busy."""
    reports: list[Callable[[Report], None]] = []
    monkeypatch.setattr(real_table, "ScaleProcess", lambda opener, clock, emit: reports.append(emit))
    told = Told("scale")
    table = RealTable(told, MonotonicClock(), Settings(data_dir=str(tmp_path), camera="none"))
    (emit,) = reports
    for status, code in (("faulty", "scale_disturbed"), ("ok", "scale_ok")):
        emit(DeviceHealth(t_s=1.0, device="scale", status=status, code=code))  # type: ignore[arg-type]
        emit(Sample(1.0, 5))
    table._sensing.pump()
    assert told.codes == ["scale_disturbed", "scale_not_calibrated"]
