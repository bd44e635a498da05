"""Samples that travel several at a time while nothing moves: when, and that weighing cannot tell."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from hardware.readings import DeviceHealth, MassSettled
from hardware.scale.load_cell import Sample
from hardware.scale.process.child import Outbox, Report
from hardware.scale.process.rest import AWAKE_S, HOLD_S
from hardware.scale.scale_model import ScaleModel
from hardware.scale.weighing import Weigher

NOISE = 30.0
MODEL = ScaleModel(zero_counts=84_000, counts_per_gram=8_000, white_sd_g=NOISE / 8_000, rate_hz=80)


def run(rate: int, loads: Sequence[tuple[float, float]], lasting_s: float) -> tuple[list[list[Report]], list[Sample]]:
    """Feed an outbox with a cell whose load changes at (second, grams); return the batches and all samples."""
    rng, batches, fed = Random(4), list[list[Report]](), list[Sample]()
    outbox = Outbox(lambda reports: batches.append(list(reports)))
    for number in range(round(lasting_s * rate)):
        t_s = number / rate
        load_g = max((load for load in loads if load[0] <= t_s), default=(0.0, 0.0))[1]
        fed.append(Sample(t_s, round(84_000 + 8_000 * load_g + rng.gauss(0, NOISE))))
        outbox.put([fed[-1]])
    return [batch for batch in batches if batch], fed


def samples_of(batch: Sequence[Report]) -> list[Sample]:
    return [report for report in batch if isinstance(report, Sample)]


def test_at_rest_samples_travel_together_and_none_waits_for_long() -> None:
    batches, fed = run(80, [], 120.0)
    quiet = [batch for batch in map(samples_of, batches) if batch[0].t_s > AWAKE_S]
    assert len(quiet) < len([sample for sample in fed if sample.t_s > AWAKE_S]) / 10
    assert max(batch[-1].t_s - batch[0].t_s for batch in quiet) < HOLD_S + 2 / 80
    sent = [sample for batch in map(samples_of, batches) for sample in batch]
    assert sent == fed[: len(sent)]


def test_what_lands_and_all_that_follows_until_it_is_weighed_is_sent_at_once() -> None:
    """Also the lightest load that counts, 0.5 g, among noise of 4 mg."""
    for load_g in (0.5, 20.0):
        batches, _ = run(80, [(20.0, load_g)], 26.0)
        landed = next(batch for batch in map(samples_of, batches) if batch[-1].t_s >= 20.0)
        assert landed[-1].t_s == 20.0
        assert all(len(batch) == 1 for batch in map(samples_of, batches) if batch[0].t_s > 20.0)


def test_weighing_says_the_same_at_the_same_moments() -> None:
    for rate in (10, 80):
        batches, fed = run(rate, [(20.0, 12.0), (30.0, 0.0), (45.0, 0.6), (60.0, 0.0)], 75.0)
        one_by_one, in_batches = Weigher(MODEL), Weigher(MODEL)
        wanted = [reading for sample in fed for reading in one_by_one.feed(sample.t_s, sample.counts)]
        got, heard_s = list[object](), dict[float, float]()
        for batch in map(samples_of, batches):
            for sample in batch:
                got += (readings := in_batches.feed(sample.t_s, sample.counts))
                heard_s |= {reading.t_s: batch[-1].t_s for reading in readings if isinstance(reading, MassSettled)}
        assert [reading for reading in wanted if reading.t_s <= batches[-1][-1].t_s] == got
        assert len(heard_s) == 2
        assert all(heard == t_s for t_s, heard in heard_s.items()), "no mass waits in a batch"


@pytest.mark.skipif("SMUGGLERS_DATA" not in os.environ, reason="SMUGGLERS_DATA names no folder with recordings")
def test_recordings_of_real_scales_say_the_same_in_batches() -> None:
    """A bench scale, empty and loaded in turn, and an idle one that drifts and is knocked."""
    folder = Path(os.environ["SMUGGLERS_DATA"]) / "counts"
    recorded = {name: _column(folder / f"{name}.csv") for name in ("bench_scale_000g", "bench_scale_200g")}
    empty, loaded = recorded.values()
    turns = [value for at in range(0, 800, 40) for half in (empty, loaded) for value in half[at : at + 40]]
    idle = [1_000 * grams for grams in _column(folder / "idle_drift_10hz.csv")]
    bench_model = ScaleModel(zero_counts=empty[0], counts_per_gram=-101, white_sd_g=0.03, rate_hz=5)
    idle_model = ScaleModel(zero_counts=idle[0], counts_per_gram=1_000, white_sd_g=0.7, rate_hz=10.5)
    for counts, rate, model, least in ((turns, 5.0, bench_model, 10), (idle, 10.5, idle_model, 1)):
        fed = [Sample(number / rate, round(value)) for number, value in enumerate(counts)]
        batches = list[list[Sample]]()
        outbox = Outbox(lambda reports, batches=batches: batches.append(samples_of(reports)))  # type: ignore[misc]
        for sample in fed:
            outbox.put([sample])
        sent = [sample for batch in batches for sample in batch]
        one_by_one, in_batches = Weigher(model), Weigher(model)
        wanted = [reading for sample in fed[: len(sent)] for reading in one_by_one.feed(sample.t_s, sample.counts)]
        got = [reading for sample in sent for reading in in_batches.feed(sample.t_s, sample.counts)]
        assert got == wanted
        assert len(got) >= least


def _column(path: Path) -> list[float]:
    return [float(row.split(",")[1]) for row in path.read_text(encoding="ascii").splitlines()[1:]]


def test_news_of_the_cell_waits_for_nothing() -> None:
    batches: list[list[Report]] = []
    outbox = Outbox(lambda reports: batches.append(list(reports)))
    for number in range(2_000):
        outbox.put([Sample(number / 80, 84_000)])
    news = DeviceHealth(t_s=25.0, device="scale", status="absent", code="scale_absent")
    outbox.put([news])
    assert batches[-1][-1] == news
