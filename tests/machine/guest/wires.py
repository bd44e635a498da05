"""The short form: the product's beams and its scale on the kernel's GPIO, one passage and one weighing."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from appliance.devices.real_table import gpio_pins
from appliance.devices.scale_session import load_cell_opener
from appliance.settings import Settings
from hardware.beams.beam_break import open_beams
from hardware.beams.beam_monitor import BeamEdge
from hardware.beams.beam_pair import BeamPair
from hardware.clock import MonotonicClock
from hardware.readings import BeamOutcome, BeamPassage, MassSettled
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.scale.process.child import Report
from hardware.scale.process.scale_process import ScaleProcess
from hardware.scale.scale_model import ScaleModel
from hardware.scale.weighing import Weigher
from tests.machine.guest.module import made, schedule, tell
from tests.machine.guest.report import report, run_all

EMPTY_COUNTS, COUNTS_PER_GRAM, NOISE_COUNTS = 84_000, 8_000.0, 30
LOAD_G = 20.0
FRONT, BACK = 17, 27
PATIENCE_S = 60.0


def booted() -> None:
    """Tell which kernel this is and how long it took to get here."""
    up_s = float(Path("/proc/uptime").read_text().split()[0])
    chip = Path("/dev/gpiochip0")
    report("the kernel boots, and the wires are a gpiochip", chip.is_char_device(), release=_release(), up_s=up_s)


def _release() -> str:
    return Path("/proc/sys/kernel/osrelease").read_text().strip()


@contextmanager
def _beams() -> Iterator[queue.Queue[BeamEdge]]:
    told: queue.Queue[BeamEdge] = queue.Queue()
    factory = gpio_pins()
    beams = open_beams(Rig().beams, MonotonicClock(), told.put, pin_factory=factory)
    try:
        yield told
    finally:
        for beam in beams:
            beam.close()
        factory.close()


def passages() -> None:
    """Let three spheres roll: one passes, one wedges before the fence, one is too quick a flicker to be a sphere."""
    spheres = {
        "passed": ([(0.1, FRONT, False), (0.156, BACK, False), (0.16, FRONT, True), (0.216, BACK, True)], 1.5),
        "blocked": ([(0.1, FRONT, False), (0.9, FRONT, True)], 2.5),
        "none": ([(0.1, FRONT, False), (0.1008, FRONT, True)], 1.5),
    }
    with _beams() as told:
        pair, late_s = BeamPair(), []
        _follow(pair, told, 1.5)
        for wanted, (edges, watched_s) in spheres.items():
            schedule(edges)
            seen, outcomes = _follow(pair, told, watched_s)
            truth = made()
            late_s += [edge.t_s - at.made_s for edge, at in zip(seen, truth, strict=False)]
            complete = [(edge.beam == "front", edge.broken) for edge in seen] == [
                (at.line == FRONT, not at.high) for at in truth
            ]
            right = complete and outcomes == ([] if wanted == "none" else [wanted])
            report(f"beams: {wanted}", right, edges=len(seen), outcomes=outcomes)
    report(
        "beams: the kernel's timestamps fit the product's clock",
        bool(late_s) and max(abs(late) for late in late_s) < 0.001,
        least_us=round(1e6 * min(late_s)),
        most_us=round(1e6 * max(late_s)),
    )


def _follow(pair: BeamPair, told: queue.Queue[BeamEdge], duration_s: float) -> tuple[list[BeamEdge], list[BeamOutcome]]:
    """Feed the pair for a while; return the raw edges and the outcomes of passages."""
    clock, seen, outcomes = MonotonicClock(), [], []
    end_s = clock.now_s() + duration_s
    while clock.now_s() < end_s:
        try:
            edge = told.get(timeout=0.02)
        except queue.Empty:
            readings = pair.tick(clock.now_s())
        else:
            seen.append(edge)
            readings = pair.edge(edge)
        outcomes += [reading.outcome for reading in readings if isinstance(reading, BeamPassage)]
    return seen, outcomes


def weighing() -> None:
    """Weigh one load with the scale's own process, on the two lines of the HX711."""
    tell("noise", NOISE_COUNTS)
    model = ScaleModel(zero_counts=EMPTY_COUNTS, counts_per_gram=COUNTS_PER_GRAM, white_sd_g=0.004)
    weigher, told = Weigher(model), queue.Queue[Report]()
    tell("counts", EMPTY_COUNTS)
    process = ScaleProcess(load_cell_opener(Settings()), MonotonicClock(), told.put)
    process.start()
    samples, settled, loaded, end_s = 0, None, False, time.monotonic() + PATIENCE_S
    try:
        while settled is None and time.monotonic() < end_s:
            try:
                what = told.get(timeout=1.0)
            except queue.Empty:
                continue
            if not isinstance(what, Sample):
                continue
            samples += 1
            if weigher.phase == "empty" and not loaded and samples > 10:
                tell("counts", round(EMPTY_COUNTS + LOAD_G * COUNTS_PER_GRAM))
                loaded = True
            for reading in weigher.feed(what.t_s, what.counts):
                if isinstance(reading, MassSettled) and loaded:
                    settled = reading
    finally:
        process.close()
    off_g = None if settled is None else settled.mass_g - LOAD_G
    report(
        "scale: one weighing through hx711, rpi-lgpio and lgpio",
        off_g is not None and abs(off_g) < 0.02,
        off_mg=None if off_g is None else round(1000 * off_g, 1),
        samples=samples,
    )


if __name__ == "__main__":
    run_all((booted, passages, weighing))
