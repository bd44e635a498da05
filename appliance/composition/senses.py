"""Builds drivers and the sensor pipeline without a table behind them: for self-test, recordings and calibration.

Modules that only some functions need, the simulated table and recordings, are imported where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appliance.devices.calibration_files import read_calibration, twin_calibration
from appliance.devices.real_table import RealTable, any_sense
from appliance.guided_calibration.devices import CalibrationDevices, RealDevices, SimulatedDevices
from appliance.sensing.pipeline import ReadingSink
from appliance.sensing.roll_places import RollPlaces
from appliance.service.lifecycle import Part
from appliance.settings import Settings
from hardware.clock import Clock, MonotonicClock, WarpedClock
from hardware.scale.process.scale_process import ScaleProcess

if TYPE_CHECKING:
    from appliance.devices.simulated_table import TwinTable
    from appliance.sensing.recordings.recorder import Recorder, Shown
    from hardware.recording.recording_writer import RecordingWriter
    from hardware.twin.faults import FaultInterval


def simulated_senses(
    sink: ReadingSink,
    clock: Clock,
    seed: int,
    faults: Sequence[FaultInterval],
    tap: Callable[[Any], None] = lambda fact: None,
    rolls: RollPlaces | None = None,
) -> tuple[TwinTable, ScaleProcess]:
    """Build the simulated table's drivers and sensor pipeline. The scale is read by a process of its own."""
    from appliance.devices.simulated_table import TwinTable
    from hardware.twin.wires.scale_wiring import OpenTwinCell, TwinLoad

    load = TwinLoad()
    twin = TwinTable(sink, clock, seed=seed, load=load, tap=tap, rolls=rolls)
    for spell in faults:
        twin.world.schedule_fault(spell)
    return twin, ScaleProcess(OpenTwinCell(load=load, seed=seed), clock, twin.sensing.put)


def build_senses(
    settings: Settings,
    sink: ReadingSink,
    *,
    twin: bool,
    faults: Sequence[FaultInterval] = (),
    tap: Callable[[Any], None] = lambda fact: None,
) -> list[Part]:
    """Build only drivers and sensor pipeline, for self-test and recordings; `sink` takes the place of the table.

    :param tap: gets every raw fact and frame too, on the driver's thread; it must enqueue and return.
    """
    if not twin:
        real = RealTable(sink, MonotonicClock(), settings, tap=tap)
        return [Part(real.start, real.stop)]
    simulated, scale = simulated_senses(sink, WarpedClock(1.0), 0, faults, tap)
    return [Part(simulated.start, simulated.stop), Part(scale.start, scale.close)]


def must_have_senses(settings: Settings) -> None:
    """Check that this machine has a sensor to record.

    :raises SenseRecordingError: `recording_no_senses`.
    """
    from hardware.recording.recording_format import SenseRecordingError

    if not any_sense(settings):
        message = (
            "neither camera nor scale nor beams can be opened here; `smugglers check` says what is missing and why"
        )
        raise SenseRecordingError("recording_no_senses", message)


def build_recorder(
    settings: Settings, out: Path, consent: str, *, twin: bool, whole: bool, most_mb: int
) -> tuple[RecordingWriter, Recorder]:
    """Open the file of a recording and build its recorder, with the current calibration.

    :param consent: the sentence that was agreed to.
    :raises SenseRecordingError: the file cannot be written, or exists already.
    """
    from appliance.sensing.recordings.recorder import Recorder
    from hardware.recording.recording_format import Head
    from hardware.recording.recording_writer import RecordingWriter

    rig, camera, texts = twin_calibration() if twin else read_calibration(settings)
    shown: Shown = "whole" if whole else "track"
    head = Head(
        made_utc=datetime.now(UTC).isoformat(timespec="seconds"),
        hardware="twin" if twin else "pi",
        picture=shown,
        consent=consent,
        calibration=texts,
    )
    writer = RecordingWriter(out, head, most_bytes=most_mb * 10**6)
    return writer, Recorder(writer, shown, rig, camera)


def build_recording(settings: Settings, recorder: Recorder, *, twin: bool) -> list[Part]:
    """Build the parts of `smugglers record`: drivers with a recorder at their tap; on the twin also simulated hands."""
    from appliance.composition.demo.roll_and_weigh import RollAndWeigh

    if not twin:
        return build_senses(settings, recorder, twin=False, tap=recorder.take)
    simulated, scale = simulated_senses(recorder, WarpedClock(1.0), 0, (), recorder.take)
    hands = RollAndWeigh(simulated.simulation)
    return [
        Part(simulated.start, simulated.stop),
        Part(scale.start, scale.close),
        Part(hands.start, hands.stop),
    ]


def build_calibration_devices(settings: Settings, *, twin: bool) -> CalibrationDevices:
    """Return the devices that a guided calibration works on."""
    return SimulatedDevices() if twin else RealDevices(settings)
