"""The chip model against the HX711 datasheet, clocked by hand."""

import pytest

from hardware.twin.wires.chip import Hx711Chip


class ChipReader:
    """A hand on the clock pin: every edge takes a microsecond."""

    def __init__(self, chip: Hx711Chip, t_s: float = 0.0) -> None:
        self.chip, self.t_s = chip, t_s

    def wait_ready(self, limit_s: float = 5.0) -> float:
        start_s = self.t_s
        while self.chip.dout(self.t_s):
            self.t_s += 0.0005
            assert self.t_s - start_s < limit_s, "never ready"
        return self.t_s

    def pulse(self, high_s: float = 1e-6) -> int:
        self.chip.set_sck(True, self.t_s)
        self.t_s += high_s
        bit = self.chip.dout(self.t_s)
        self.chip.set_sck(False, self.t_s)
        self.t_s += 1e-6
        return int(bit)

    def frame(self, pulses: int = 25) -> int:
        bits = [self.pulse() for _ in range(pulses)]
        return int("".join(map(str, bits[:24])), 2)


@pytest.mark.parametrize(
    ("counts", "word"),
    [
        (0, 0x000000),
        (-1, 0xFFFFFF),
        (1, 0x000001),
        (123_456, 0x01E240),
        (-123_456, 0xFE1DC0),
        (0x7FFFFF, 0x7FFFFF),
        (9e9, 0x7FFFFF),
        (-0x800000, 0x800000),
        (-9e9, 0x800000),
    ],
)
def test_bits_are_twos_complement_most_significant_first_and_clipped(counts: float, word: int) -> None:
    reader = ChipReader(Hx711Chip(lambda t_s: counts))
    reader.wait_ready()
    assert reader.frame() == word


@pytest.mark.parametrize(("rate_sps", "settling_s", "period_s"), [(10, 0.4, 0.1), (80, 0.05, 0.0125)])
def test_settling_and_rate(rate_sps: int, settling_s: float, period_s: float) -> None:
    reader = ChipReader(Hx711Chip(lambda t_s: 7, rate_sps=rate_sps))
    assert reader.wait_ready() == pytest.approx(settling_s, abs=0.001)
    stamps = []
    for _ in range(10):
        reader.frame()
        assert reader.chip.dout(reader.t_s), "the 25th pulse takes DOUT high until the next conversion"
        stamps.append(reader.wait_ready())
    assert (stamps[-1] - stamps[0]) / 9 == pytest.approx(period_s, rel=0.01)


@pytest.mark.parametrize(("pulses", "expected"), [(25, 80_000), (27, 40_000), (26, 1_234)])
def test_the_number_of_pulses_selects_the_next_conversion_after_settling(pulses: int, expected: int) -> None:
    reader = ChipReader(Hx711Chip(lambda t_s: 80_000, channel_b=lambda t_s: 1_234))
    reader.wait_ready()
    assert reader.frame(pulses) == 80_000, "this conversion was still A at gain 128"
    ended_s = reader.t_s
    ready_s = reader.wait_ready()
    assert reader.frame(pulses) == expected
    changed = pulses != 25
    assert ready_s - ended_s == pytest.approx(0.4 if changed else 0.1, abs=0.002)


def test_a_clock_pulse_over_60_us_powers_down_and_its_end_resets_to_gain_128() -> None:
    reader = ChipReader(Hx711Chip(lambda t_s: 80_000))
    reader.wait_ready()
    reader.frame(27)
    reader.wait_ready()
    assert reader.chip.gain == 64
    reader.pulse(high_s=61e-6)
    assert reader.chip.gain == 128
    slept_s = reader.t_s
    assert reader.wait_ready() - slept_s == pytest.approx(0.4, abs=0.002)
    assert reader.frame() == 80_000


def test_a_pulse_of_59_us_is_only_a_pulse() -> None:
    reader = ChipReader(Hx711Chip(lambda t_s: 0))
    reader.wait_ready()
    assert reader.pulse(high_s=59e-6) == 0
    assert reader.frame(23) == 0, "a chip that sleeps would hold DOUT high"


def test_no_conversion_while_powered_down() -> None:
    asked: list[float] = []

    def counts_at(t_s: float) -> float:
        asked.append(t_s)
        return 5.0

    reader = ChipReader(Hx711Chip(counts_at))
    reader.chip.set_sck(True, 0.0)
    assert reader.chip.dout(10.0)
    assert asked == []


@pytest.mark.parametrize(
    ("fault", "low", "high"),
    [("saturated high", 0x7FFFFF, 0x7FFFFF), ("saturated low", 0x800000, 0x800000), ("stuck bit", 0x20, 0x20)],
)
def test_faults_show_in_the_bits(fault: str, low: int, high: int) -> None:
    faults: set[str] = set()
    reader = ChipReader(Hx711Chip(lambda t_s: 0, faults=faults))
    reader.wait_ready()
    assert reader.frame() == 0
    faults.add(fault)
    reader.wait_ready()
    assert low <= reader.frame() <= high


def test_unplugged_floats_high_and_shorted_is_low_and_both_recover() -> None:
    faults = {"scale unplugged"}
    chip = Hx711Chip(lambda t_s: 0, faults=faults)
    assert chip.dout(1.0)
    faults.clear()
    assert not chip.dout(1.1)
    faults.add("data line shorted")
    assert not chip.dout(1.15)


def test_noise_has_the_stated_spread_and_the_seed_decides_it() -> None:
    def run(seed: int) -> list[int]:
        reader = ChipReader(Hx711Chip(lambda t_s: 1_000_000, noise_counts=25.0, seed=seed, rate_sps=80))
        words = []
        for _ in range(800):
            reader.wait_ready()
            words.append(reader.frame())
        return words

    first = run(1)
    assert first == run(1)
    assert first != run(2)
    mean = sum(first) / len(first)
    spread = (sum((word - mean) ** 2 for word in first) / (len(first) - 1)) ** 0.5
    assert spread == pytest.approx(25.0, rel=0.1)
    assert mean == pytest.approx(1_000_000, abs=4)
