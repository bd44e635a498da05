"""What the scale's driver says of its wires, told from reads of a simulated chip with one fault each."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from random import Random

import pytest

from hardware.clock import ManualClock
from hardware.readings import DeviceHealth
from hardware.scale.chip.driver_on_pins import Reason
from hardware.scale.load_cell import ReadFailure, Sample
from hardware.scale.process.child import ScaleReader
from hardware.scale.scale_health import SCALE_HEALTH, ScaleHealthMonitor, chance_of_keeping
from hardware.twin.wires.scale_wiring import open_twin_load_cell


def codes(reports: Iterable[object]) -> list[str]:
    return [report.code for report in reports if isinstance(report, DeviceHealth)]


def reader(faults: set[str], counts: float = 300_000, noise_counts: float = 30.0) -> ScaleReader:
    cell = open_twin_load_cell(ManualClock(50.0), lambda t_s: counts, faults=faults, noise_counts=noise_counts, seed=3)
    return ScaleReader(cell)


@pytest.mark.parametrize(
    ("fault", "code", "reads"),
    [
        ("scale unplugged", "scale_absent", 3),
        ("data line shorted", "scale_data_shorted", 3),
        ("saturated high", "scale_saturated_high", 3),
        ("saturated low", "scale_saturated_low", 3),
        ("noisy supply", "scale_noisy", 40),
        ("stuck bit", "scale_stuck_bit", 600),
    ],
)
def test_each_fault_is_named_and_its_end_too(fault: str, code: str, reads: int) -> None:
    faults: set[str] = set()
    scale = reader(faults)
    assert codes(report for _ in range(60) for report in scale.wait()) == ["scale_ok"]
    faults.add(fault)
    assert codes(report for _ in range(reads) for report in scale.wait()) == [code]
    faults.clear()
    assert codes(report for _ in range(80) for report in scale.wait()) == ["scale_ok"]


def test_single_failures_of_different_kinds_are_no_fault() -> None:
    """Each needs two reads in a row: one may be the moment at which a plug is put in."""
    judge = ScaleHealthMonitor()
    told: list[DeviceHealth] = []
    reasons: list[Reason] = ["no_answer", "stuck_low", "saturated_high", "no_answer"]
    for number, reason in enumerate(reasons):
        told += judge.feed(ReadFailure(float(number), reason))
    assert told == []
    assert [one.code for one in judge.feed(ReadFailure(9.0, "no_answer"))] == ["scale_absent"]


@pytest.mark.parametrize(("disturbed", "told"), [(3, []), (10, ["scale_disturbed", "scale_ok"])])
def test_a_busy_processor_that_spoils_a_few_frames_is_no_fault_and_one_that_spoils_all_is(
    disturbed: int, told: list[str]
) -> None:
    judge = ScaleHealthMonitor()
    good = [Sample(k / 10, 300_000 + k % 7) for k in range(5)]
    assert codes(report for sample in good for report in judge.feed(sample)) == ["scale_ok"]
    reads: list[Sample | ReadFailure] = [ReadFailure(1.0 + k / 10, "stalled") for k in range(disturbed)]
    assert codes(report for read in (*reads, *good) for report in judge.feed(read)) == told


def test_a_healthy_scale_stays_healthy_through_two_hundred_weighings() -> None:
    rng = Random(11)
    masses_counts = [rng.randrange(100_000, 900_000) for _ in range(4)]
    judge = ScaleHealthMonitor()
    told: list[str] = []
    zero = 84_000.0
    for weighing in range(200):
        load = masses_counts[weighing % 4] if weighing % 2 else 0
        for k in range(40):
            zero += rng.gauss(0, 4)
            sample = Sample((weighing * 40 + k) / 10, round(zero + load + rng.gauss(0, 30)))
            told += codes(list(judge.feed(sample)))
    assert told == ["scale_ok"]


def told_of_stuck_bit(bit: int, level: int, load_counts: Callable[[int], int], weighings: int) -> list[str]:
    """Weigh 4 s, empty 4 s, and so on, with a bit of every count held at `level`."""
    rng = Random(bit)
    judge = ScaleHealthMonitor()
    told: list[str] = []
    zero = 84_000.0
    for k in range(80 * weighings):
        zero += rng.gauss(0, 4)
        load = load_counts(k // 80) if k % 80 >= 40 else 0
        counts = round(zero + load + rng.gauss(0, 30))
        counts = counts | 1 << bit if level else counts & ~(1 << bit)
        told += codes(list(judge.feed(Sample(k / 10, counts))))
    return told


@pytest.mark.parametrize("bit", range(7))
@pytest.mark.parametrize("level", [0, 1])
def test_a_stuck_bit_in_the_noise_is_found_within_a_minute(bit: int, level: int) -> None:
    assert told_of_stuck_bit(bit, level, lambda weighing: 150_000, 8) == ["scale_ok", "scale_stuck_bit"]


def at_rest(level: float, noise: float, rate: int, stuck: Callable[[int], int], lasting_s: float) -> float | None:
    """Break a bit of a scale that rests after 20 s; return how many seconds later it was told."""
    rng, judge = Random(round(level)), ScaleHealthMonitor()
    for k in range(round((20 + lasting_s) * rate)):
        counts = round(level + rng.gauss(0, noise))
        health = judge.feed(Sample(k / rate, stuck(counts) if k >= 20 * rate else counts))
        if "scale_stuck_bit" in codes(list(health)):
            return k / rate - 20
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "within_s"), [(10, 4.0), (80, 2.0)])
@pytest.mark.parametrize("bit", range(5))
def test_a_bit_worth_less_than_the_noise_is_told_as_soon_as_chance_is_ruled_out(
    bit: int, rate: int, within_s: float
) -> None:
    """Each sample tells one bit of evidence: 32 of them make one false alarm in years of play."""
    for level in (84_000.0, 91_234.0):
        for stuck in (lambda counts: counts | 1 << bit, lambda counts: counts & ~(1 << bit)):
            told_s = at_rest(level, 35.0, rate, stuck, within_s)
            assert told_s is not None


def test_a_bit_worth_as_much_as_the_noise_is_told_within_ten_seconds_and_mostly_within_five() -> None:
    told = [
        at_rest(level, 30.0, 10, stuck, 10.0)
        for level in range(84_000, 84_064, 8)
        for stuck in (lambda counts: counts | 1 << 5, lambda counts: counts & ~(1 << 5))
    ]
    assert statistics.median(10.0 if one is None else one for one in told) <= 5.0
    assert None not in told


@pytest.mark.parametrize("worth_sd", [0.5, 1.0, 2.0, 3.0])
def test_how_often_chance_keeps_a_bit_is_what_drawing_says(worth_sd: float) -> None:
    rng, worth = Random(7), 100.0
    drawn = [rng.gauss(1.5 * worth, worth / worth_sd) // worth % 2 for _ in range(40_000)]
    assert chance_of_keeping(worth_sd) == pytest.approx(sum(drawn) / len(drawn), abs=0.01)


@pytest.mark.slow
def test_a_healthy_scale_is_never_taken_for_one_with_a_stuck_bit() -> None:
    """Three quarters of an hour for each bit, at levels that favour one value of it as much as any can."""
    for bit in (3, 4, 5):
        rng, judge, told = Random(bit), ScaleHealthMonitor(), list[str]()
        level, noise = 84_000 - 84_000 % (2 << bit) + 1.5 * (1 << bit), (1 << bit) / (1.0 + bit % 3)
        for k in range(27_000):
            told += codes(list(judge.feed(Sample(k / 10, round(level + rng.gauss(0, noise))))))
        assert told == ["scale_ok"]


@pytest.mark.parametrize("bit", [10, 12, 13])
def test_a_bit_worth_more_than_a_tenth_of_a_gram_is_told_when_the_level_comes_to_its_border(bit: int) -> None:
    """8,000 counts a gram: 0.13, 0.5 and 1 g. What rests inside one of its periods says nothing of it."""
    border = 11 << bit
    assert at_rest(border, 30.0, 10, lambda counts: counts & ~(1 << bit), 4.0) is not None
    assert at_rest(border + (1 << bit) / 2, 30.0, 10, lambda counts: counts | 1 << bit, 60.0) is None


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.2, 0.5, 1.0, 4.0])
def test_a_quiet_scale_and_one_that_hums_have_no_stuck_bit(noise: float) -> None:
    for hum in (0.0, 60.0):
        rng, judge, told = Random(5), ScaleHealthMonitor(), list[str]()
        for k in range(6_000):
            swing = hum * math.sin(2 * math.pi * 0.21 * k)
            told += codes(list(judge.feed(Sample(k / 10, round(5_000 + k / 100 + swing + rng.gauss(0, noise))))))
        assert told == ["scale_ok"]


@pytest.mark.parametrize("bit", [9, 11])
@pytest.mark.parametrize("level", [0, 1])
def test_a_higher_stuck_bit_is_found_once_many_different_spheres_were_weighed(bit: int, level: int) -> None:
    loads = [Random(weighing).randrange(40_000, 400_000) for weighing in range(60)]
    assert "scale_stuck_bit" in told_of_stuck_bit(bit, level, lambda weighing: loads[weighing], 60)


def test_one_lost_frame_is_no_news() -> None:
    faults: set[str] = set()
    scale = reader(faults)
    for _ in range(10):
        scale.wait()
    faults.add("scale unplugged")
    first = scale.wait()
    faults.clear()
    assert codes(first) == []
    assert codes(report for _ in range(5) for report in scale.wait()) == []


def test_every_code_has_a_status() -> None:
    assert SCALE_HEALTH["scale_ok"] == "ok"
    assert all(code.startswith("scale_") for code in SCALE_HEALTH)
