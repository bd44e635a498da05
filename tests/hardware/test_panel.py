"""The panel on simulated pins: what a person at the table would see, hear and press."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

import pytest
from gpiozero import DigitalOutputDevice

from hardware.clock import ManualClock
from hardware.panel import PANEL_HEALTH, HourglassButton, Panel
from hardware.readings import ButtonPressed, DeviceHealth
from hardware.spi.strip_lights import StripLights
from hardware.twin.wires.pins import SimulatedPins
from tests.hardware.lgpio_pins import lgpio_pins
from tests.narrowed import of_kind

BUZZER, BUTTON = 18, 22


class Strip:
    """Lights that keep what they were told."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, int, int]] = []
        self.closed = False

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        assert not self.closed
        self.shown = list(colours)

    def close(self) -> None:
        self.closed = True


def test_a_press_with_bounce_is_one_press_and_the_next_one_counts() -> None:
    clock, told = ManualClock(3.0), list[ButtonPressed | DeviceHealth]()
    pins = SimulatedPins(clock)
    panel = Panel(clock, told.append, pin_factory=pins.factory)
    for press_s in (4.0, 5.0):
        for k, low in enumerate([True, False, True, False, True]):
            clock.advance_to(press_s + 0.002 * k)
            pins.drive(BUTTON, low)
        clock.advance_to(press_s + 0.3)
        for k, low in enumerate([False, True, False]):
            clock.advance_to(press_s + 0.3 + 0.002 * k)
            pins.drive(BUTTON, low)
    panel.close()
    assert told[0] == DeviceHealth(t_s=3.0, device="panel", status="ok", code="panel_ok")
    assert told[1:] == [ButtonPressed(t_s=4.0, button="hourglass"), ButtonPressed(t_s=5.0, button="hourglass")]


@pytest.mark.parametrize("lasting_s", [0.00015, 0.00098, 0.004])
def test_a_spike_on_the_button_s_wire_is_no_press(lasting_s: float) -> None:
    clock, told = ManualClock(3.0), list[ButtonPressed | DeviceHealth]()
    pins = SimulatedPins(clock)
    panel = Panel(clock, told.append, pin_factory=pins.factory)
    for spike_s in (4.0, 5.0):
        clock.advance_to(spike_s)
        pins.drive(BUTTON, True)
        clock.advance_to(spike_s + lasting_s)
        panel.tick(clock.now_s())
        pins.drive(BUTTON, False)
        clock.advance_to(spike_s + 0.5)
        panel.tick(clock.now_s())
    panel.close()
    assert [type(reading) for reading in told] == [DeviceHealth]


def test_a_spike_whose_end_is_told_late_is_no_press() -> None:
    clock, told = ManualClock(time.monotonic()), list[ButtonPressed | DeviceHealth]()
    with lgpio_pins(clock) as (factory, header):
        panel = Panel(clock, told.append, pin_factory=factory)
        [listener] = header.listeners(BUTTON)
        listener(0, BUTTON, 0, round(clock.now_s() * 1e9))
        clock.advance_to(clock.now_s() + 0.5)
        panel.tick(clock.now_s())
        panel.close()
    assert [type(reading) for reading in told] == [DeviceHealth]


def test_a_press_counts_while_it_is_held_and_when_it_ends_between_two_ticks() -> None:
    clock, told = ManualClock(3.0), list[ButtonPressed | DeviceHealth]()
    pins = SimulatedPins(clock)
    panel = Panel(clock, told.append, pin_factory=pins.factory)
    pins.drive(BUTTON, True)
    clock.advance_to(3.05)
    panel.tick(clock.now_s())
    assert told[1:] == [ButtonPressed(t_s=3.0, button="hourglass")]
    clock.advance_to(4.0)
    pins.drive(BUTTON, False)
    clock.advance_to(5.0)
    pins.drive(BUTTON, True)
    clock.advance_to(5.02)
    pins.drive(BUTTON, False)
    assert told[2:] == [ButtonPressed(t_s=5.0, button="hourglass")]
    panel.close()


def test_a_melody_sounds_note_by_note_and_ends() -> None:
    clock = ManualClock(1.0)
    pins = SimulatedPins(clock)
    panel = Panel(clock, lambda reading: None, pin_factory=pins.factory)
    panel.play("passed")
    heard = []
    for k in range(60):
        clock.advance_to(1.0 + 0.01 * k)
        panel.tick(clock.now_s())
        heard.append(pins.frequency_hz(BUZZER))
    notes = [round(note) if note else None for k, note in enumerate(heard) if k == 0 or note != heard[k - 1]]
    assert notes == [523, 659, 784, None]
    panel.close()


def test_one_lane_is_lit_and_then_none() -> None:
    clock, strip = ManualClock(), Strip()
    panel = Panel(clock, lambda reading: None, open_lights=lambda: strip, pin_factory=SimulatedPins(clock).factory)
    panel.light_lane(3, (255, 0, 1))
    assert strip.shown == [(0, 0, 0)] * 2 + [(255, 0, 1)] + [(0, 0, 0)] * 4
    panel.close()
    assert strip.shown == [(0, 0, 0)] * 7
    assert strip.closed


def test_parts_that_are_missing_are_told_and_the_rest_works() -> None:
    clock, told = ManualClock(2.0), list[ButtonPressed | DeviceHealth]()
    pins = SimulatedPins(clock)
    taken = DigitalOutputDevice(BUZZER, pin_factory=pins.factory)
    panel = Panel(clock, told.append, pin_factory=pins.factory)
    code = "panel_no_buzzer"
    assert told == [DeviceHealth(t_s=2.0, device="panel", status=PANEL_HEALTH[code], code=code)]
    panel.play("won")
    panel.tick(3.0)
    panel.light_lane(2)
    pins.drive(BUTTON, True)
    clock.advance_to(2.1)
    panel.tick(clock.now_s())
    assert [type(reading) for reading in told] == [DeviceHealth, ButtonPressed]
    panel.close()
    taken.close()


@pytest.mark.parametrize(("taken", "code"), [(BUZZER, "panel_no_buzzer"), (BUTTON, "panel_no_button")])
def test_a_pin_that_another_program_holds_is_told_and_the_rest_works(taken: int, code: str) -> None:
    clock = ManualClock(time.monotonic())
    told: list[ButtonPressed | DeviceHealth] = []
    with lgpio_pins(clock) as (factory, header):
        header.taken.add(taken)
        panel = Panel(clock, told.append, pin_factory=factory)
        panel.play("won")
        panel.tick(clock.now_s())
        header.drive(BUTTON, False)
        clock.advance_to(clock.now_s() + 0.1)
        panel.tick(clock.now_s())
        panel.close()
    said = [reading.code if isinstance(reading, DeviceHealth) else "pressed" for reading in told]
    assert said == ([code] if taken == BUTTON else [code, "pressed"])


def lasts(panel: Panel, clock: ManualClock, duration_s: float) -> None:
    for _ in range(round(duration_s / 0.5)):
        clock.advance_to(clock.now_s() + 0.5)
        panel.tick(clock.now_s())


@pytest.mark.parametrize(("taken", "code"), [(BUZZER, "panel_no_buzzer"), (BUTTON, "panel_no_button")])
def test_a_pin_that_another_program_held_is_opened_after_it_ended(taken: int, code: str) -> None:
    clock = ManualClock(time.monotonic())
    told: list[ButtonPressed | DeviceHealth] = []

    with lgpio_pins(clock) as (factory, header):
        header.taken.add(taken)
        panel = Panel(clock, told.append, pin_factory=factory)
        lasts(panel, clock, 30.0)
        header.taken.clear()
        lasts(panel, clock, 10.0)
        assert [reading.code for reading in told if isinstance(reading, DeviceHealth)] == [code, "panel_ok"]
        panel.play("won")
        assert panel.playing
        header.drive(BUTTON, False)
        lasts(panel, clock, 1.0)
        assert isinstance(told[-1], ButtonPressed)
        panel.close()


def test_two_pins_that_another_program_held_are_told_as_long_as_one_is_held() -> None:
    clock = ManualClock(time.monotonic())
    told: list[ButtonPressed | DeviceHealth] = []
    with lgpio_pins(clock) as (factory, header):
        header.taken |= {BUZZER, BUTTON}
        panel = Panel(clock, told.append, pin_factory=factory)
        for freed in (BUTTON, BUZZER):
            header.taken.discard(freed)
            clock.advance_to(clock.now_s() + 10.0)
            panel.tick(clock.now_s())
        panel.close()
    codes = [reading.code for reading in told if isinstance(reading, DeviceHealth)]
    assert codes == ["panel_no_button", "panel_no_buzzer", "panel_no_buzzer", "panel_ok"]


def test_lights_without_their_bus_are_told_and_light_lane_does_nothing(tmp_path: Path) -> None:
    clock, told = ManualClock(), list[ButtonPressed | DeviceHealth]()
    panel = Panel(
        clock,
        told.append,
        open_lights=lambda: StripLights(tmp_path / "spidev0.0"),
        pin_factory=SimulatedPins(clock).factory,
    )
    panel.light_lane(4)
    assert [of_kind(DeviceHealth, reading).code for reading in told] == ["panel_no_lights"]
    panel.close()


def test_a_second_close_closes_no_file_that_has_got_the_number_of_the_bus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, bus = ManualClock(), tmp_path / "spidev0.0"
    bus.touch()
    monkeypatch.setattr(fcntl, "ioctl", lambda *request: None)
    factory = SimulatedPins(clock).factory
    panel = Panel(clock, lambda reading: None, open_lights=lambda: StripLights(bus), pin_factory=factory)
    panel.close()
    with bus.open("rb") as another:
        panel.close()
        assert another.read(4) == bytes(4)


def test_a_button_that_stays_pressed_is_told_after_five_seconds_and_its_release_too() -> None:
    clock, told = ManualClock(1.0), list[ButtonPressed | DeviceHealth]()
    pins = SimulatedPins(clock)
    panel = Panel(clock, told.append, pin_factory=pins.factory)
    pins.drive(BUTTON, True)
    for k in range(120):
        clock.advance_to(1.0 + 0.1 * k)
        panel.tick(clock.now_s())
    pins.drive(BUTTON, False)
    panel.tick(clock.now_s())
    panel.close()
    health = [(reading.code, reading.status, reading.t_s) for reading in told if isinstance(reading, DeviceHealth)]
    assert [code for code, _, _ in health] == ["panel_ok", "panel_button_stuck", "panel_ok"]
    assert 6.0 <= health[1][2] < 6.2
    assert sum(isinstance(reading, ButtonPressed) for reading in told) == 1


def test_a_button_that_stays_pressed_is_told_also_after_another_part_or_itself_was_opened_again() -> None:
    clock, told = ManualClock(time.monotonic()), list[ButtonPressed | DeviceHealth]()

    with lgpio_pins(clock) as (factory, header):
        header.taken.add(BUZZER)
        panel = Panel(clock, told.append, pin_factory=factory)
        header.drive(BUTTON, False)
        lasts(panel, clock, 8.0)
        header.taken.clear()
        lasts(panel, clock, 8.0)
        header.broken.add("gpio_read")
        lasts(panel, clock, 0.5)
        header.broken.clear()
        lasts(panel, clock, 12.0)
        panel.close()
    assert [reading.code for reading in told if isinstance(reading, DeviceHealth)] == [
        "panel_no_buzzer",
        "panel_button_stuck",
        "panel_button_stuck",  # the buzzer's pin is free
        "panel_no_button",
        "panel_ok",
        "panel_button_stuck",
    ]


def test_lights_whose_bus_goes_away_are_told_once_and_stop_nothing() -> None:
    class Gone(Strip):
        def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
            raise OSError(5, "Input/output error")

    clock, told = ManualClock(), list[ButtonPressed | DeviceHealth]()
    panel = Panel(clock, told.append, open_lights=Gone, pin_factory=SimulatedPins(clock).factory)
    panel.light_lane(1)
    panel.light_lane(2)
    panel.close()
    health = [of_kind(DeviceHealth, reading) for reading in told]
    assert [(one.code, one.status) for one in health] == [("panel_ok", "ok"), ("panel_lights_gone", "faulty")]


@pytest.mark.parametrize(("breaks", "code"), [("tx_pwm", "panel_no_buzzer"), ("gpio_read", "panel_no_button")])
def test_a_part_whose_pin_fails_in_use_is_told_once_and_the_rest_works(breaks: str, code: str) -> None:
    clock, strip = ManualClock(time.monotonic()), Strip()
    told: list[ButtonPressed | DeviceHealth] = []
    with lgpio_pins(clock) as (factory, header):
        panel = Panel(clock, told.append, open_lights=lambda: strip, pin_factory=factory)
        header.broken.add(breaks)
        for _ in range(3):
            panel.play("passed")
            panel.tick(clock.now_s())
        panel.light_lane(1)
        assert strip.shown[0] != (0, 0, 0)
        panel.close()
        assert strip.closed
    assert [reading.code for reading in told if isinstance(reading, DeviceHealth)] == ["panel_ok", code]


def test_a_part_that_does_not_close_keeps_no_other_open(monkeypatch: pytest.MonkeyPatch) -> None:
    close = HourglassButton.close

    def stuck(button: HourglassButton) -> None:
        if button.pin_factory is not pins.factory:  # that of an earlier test, which is collected now
            close(button)
            return
        raise OSError(5, "Input/output error")

    clock, strip = ManualClock(), Strip()
    pins = SimulatedPins(clock)
    panel = Panel(clock, lambda reading: None, open_lights=lambda: strip, pin_factory=pins.factory)
    with monkeypatch.context() as patched:
        patched.setattr(HourglassButton, "close", stuck)
        with pytest.raises(OSError, match="Input"):
            panel.close()
    assert strip.closed
    DigitalOutputDevice(BUZZER, pin_factory=pins.factory).close()
    panel.close()


def test_a_panel_that_was_never_wired_says_nothing() -> None:
    clock, told = ManualClock(), list[ButtonPressed | DeviceHealth]()
    panel = Panel(clock, told.append, button_pin=None, buzzer_pin=None, pin_factory=SimulatedPins(clock).factory)
    panel.play("time_up")
    panel.close()
    assert told == []
