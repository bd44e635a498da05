"""A stand-in for the C module `lgpio`, so that the real `hx711`, `rpi-lgpio` and gpiozero run on simulated wires.

Only the functions that those three libraries call are here. Every call costs simulated time, as it does on a Pi, and
stalls can be simulated. The libraries are loaded privately, once per header: `sys.modules` and the environment do not
change.
"""

from __future__ import annotations

import builtins
import importlib.util
from collections.abc import Callable
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, Protocol

import msgspec

from hardware.clock import Clock

CALL_S = 2e-6
MOST_LAG_S = 1.0
BCM_LINES = 54

_INPUT, _OUTPUT, _ALERT = 0x100, 0x200, 0x400
_KERNEL_OUT = 0x2
_PULLS = 0x20 | 0x40 | 0x80


class Stalls(msgspec.Struct, frozen=True):
    """Random delays of a driver: probability per call, duration, and where: with SCK high, SCK low, or at a read."""

    probability: float = 0.0
    duration_s: float = 100e-6
    where: frozenset[str] = frozenset({"high", "low", "read"})


class SimulatedTime:
    """Time for a driver on simulated wires: `perf_counter` and `sleep` of the `time` module, and a `Clock`.

    With a manual clock it follows the clock, and may be ahead by the time of the driver's own calls and sleeps. With a
    running clock it catches up by waiting less, so that a busy machine does not look like a stalled driver. It jumps
    only when it is more than `MOST_LAG_S` behind.

    :param wait: waits for the given simulated seconds; None for a manual clock.
    """

    def __init__(self, clock: Clock, wait: Callable[[float], None] | None = None) -> None:
        self._clock, self._wait = clock, wait
        self._now_s = clock.now_s()

    @property
    def speed(self) -> float:
        """The speed of the clock."""
        return self._clock.speed

    def now_s(self) -> float:
        """Return the simulated second, after catching up with the clock. Call it between frames, never inside one."""
        clock_s = self._clock.now_s()
        if self._wait is None or clock_s - self._now_s > MOST_LAG_S:
            self._now_s = max(self._now_s, clock_s)
        return self._now_s

    def perf_counter(self) -> float:
        """Return the simulated second without catching up: only calls and sleeps have advanced it."""
        return self._now_s

    def spend(self, duration_s: float) -> None:
        """Advance by the cost of a call."""
        self._now_s += duration_s

    def sleep(self, duration_s: float) -> None:
        """Sleep simulated seconds."""
        self._now_s += duration_s
        if self._wait is not None and (ahead_s := self._now_s - self._clock.now_s()) > 0:
            self._wait(ahead_s)


class Wire(Protocol):
    """The device on a pin: it answers reads and receives writes."""

    def read(self, t_s: float) -> bool:
        """Return the level at `t_s`."""
        ...

    def write(self, high: bool, t_s: float) -> None:
        """Receive a level driven by the Pi."""
        ...


class Header:
    """The pins of one simulated Pi: wires connected to lines, and the time that each call takes.

    :param call_s: duration of one call; a query of a line's mode is a call too. On a Zero 2 W it is 20 to 40 µs
        (waveform80/rpi-lgpio#2).
    """

    def __init__(
        self, time: SimulatedTime, *, stalls: Stalls | None = None, seed: int = 0, call_s: float = CALL_S
    ) -> None:
        self.time, self._call_s = time, call_s
        self.stalls = stalls if stalls is not None else Stalls()
        self._rng = Random(seed)
        self._wires: dict[int, Wire] = {}
        self._modes: dict[int, int] = {}
        self._levels: dict[int, bool] = {}
        self._listeners: dict[int, list[Callable[[int, int, int, int], None]]] = {}
        self._error: type[Exception] = type("error", (Exception,), {})
        self.taken: set[int] = set()
        """Lines that another process or a driver of the kernel holds."""
        self.broken: set[str] = set()
        """Names of calls that fail with lgpio's own error: `gpio_read`, `gpio_write`, `tx_pwm`."""
        self._deaf = False
        self.open_chips = 0
        """Handles of the chip that are open."""

    def plug(self, line: int, wire: Wire) -> None:
        """Connect a wire to BCM line `line`."""
        self._wires[line] = wire

    def drive(self, line: int, high: bool) -> None:
        """Change the level of an input from outside. Listeners get the time in nanoseconds, as from the kernel."""
        if self._levels.get(line, True) == high:
            return
        self._levels[line] = high
        for listener in self.listeners(line):
            self.tell(listener, line, high)

    def listeners(self, line: int) -> list[Callable[[int, int, int, int], None]]:
        """Return the callbacks of a line."""
        return list(self._listeners.get(line, ()))

    def tell(self, listener: Callable[[int, int, int, int], None], line: int, high: bool) -> None:
        """Deliver an edge. lgpio has one thread for the callbacks of all lines; it ends with a callback's error."""
        if self._deaf:
            return
        try:
            listener(0, line, int(high), round(self.time.perf_counter() * 1e9))
        except Exception:
            self._deaf = True

    def _must_work(self, call: str) -> None:
        if call in self.broken:
            raise self._error("bad handle")

    def pwm(self) -> int:
        """Drive an output with a square wave, which nothing here listens to."""
        self._must_work("tx_pwm")
        return 0

    def _held_up(self, where: str) -> None:
        self.time.spend(self._call_s)
        stalls = self.stalls
        if stalls.probability and where in stalls.where and self._rng.random() < stalls.probability:
            self.time.spend(stalls.duration_s)

    def open_or_close(self, change: int) -> int:
        """Count a handle that is opened (1) or closed (−1)."""
        self.open_chips += change
        return 0

    def claim(self, line: int, mode: int) -> int:
        """Claim a line as input, output or alert; raise lgpio's own error when it is taken."""
        if line in self.taken:
            raise self._error("GPIO busy")
        self._modes[line] = mode
        return 0

    def read(self, line: int) -> int:
        """Return the level of a line, 0 or 1."""
        self._must_work("gpio_read")
        self._held_up("read")
        wire = self._wires.get(line)
        if wire is not None and not self._modes.get(line, 0) & _OUTPUT:
            return int(wire.read(self.time.perf_counter()))
        return int(self._levels.get(line, True))

    def write(self, line: int, level: int) -> int:
        """Drive an output."""
        self._must_work("gpio_write")
        self._levels[line] = bool(level)
        if (wire := self._wires.get(line)) is not None:
            wire.write(bool(level), self.time.perf_counter())
        self._held_up("high" if level else "low")
        return 0

    def module(self) -> ModuleType:
        """Return a module with the interface of `lgpio` that accesses this header."""
        lgpio = ModuleType("lgpio")
        modes, listeners = self._modes, self._listeners

        class Listening:
            def __init__(self, line: int, call: Callable[[int, int, int, int], None]) -> None:
                self._line, self._call = line, call
                listeners.setdefault(line, []).append(call)

            def cancel(self) -> None:
                if self._call in listeners[self._line]:
                    listeners[self._line].remove(self._call)

        def mode(line: int) -> int:
            self.time.spend(self._call_s)
            own = modes.get(line, 0)
            return own | (_KERNEL_OUT if own & _OUTPUT else 0)

        lgpio.__dict__.update(
            SET_PULL_NONE=0x80,
            SET_PULL_UP=0x20,
            SET_PULL_DOWN=0x40,
            RISING_EDGE=1,
            FALLING_EDGE=2,
            BOTH_EDGES=3,
            GPIO_BUSY=-68,
            error=self._error,
            error_text=lambda code: f"lgpio error {code}",
            gpiochip_open=lambda number: self.open_or_close(1),
            gpiochip_close=lambda handle: self.open_or_close(-1),
            gpio_get_chip_info=lambda handle: (0, BCM_LINES, "pinctrl-bcm2711", "simulated"),
            gpio_get_mode=lambda handle, line: mode(line),
            gpio_claim_input=lambda handle, line, flags=0x80: self.claim(line, _INPUT | flags & _PULLS),
            gpio_claim_output=lambda handle, line, level=0, flags=0x80: (
                self.claim(line, _OUTPUT) or self.write(line, level)
            ),
            gpio_claim_alert=lambda handle, line, edges, flags=0x80: self.claim(line, _INPUT | _ALERT | flags & _PULLS),
            gpio_free=lambda handle, line: modes.pop(line, 0) and 0,
            gpio_read=lambda handle, line: self.read(line),
            gpio_write=lambda handle, line, level: self.write(line, level),
            gpio_set_debounce_micros=lambda handle, line, debounce_us: 0,
            callback=lambda handle, line, edge=3, func=None: Listening(line, func),
            tx_pwm=lambda handle, line, frequency_hz, duty_pct: self.pwm(),
        )
        return lgpio


def load_privately(name: str, **instead: Any) -> ModuleType:
    """Load a fresh copy of an installed module in which `import key` gives `instead[key]`.

    :raises ModuleNotFoundError: the module is not installed.
    """
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    def import_from(wanted: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and wanted.partition(".")[0] in instead:
            return instead[wanted.partition(".")[0]]
        return builtins.__import__(wanted, globals_, locals_, fromlist, level)

    module = importlib.util.module_from_spec(spec)
    module.__dict__["__builtins__"] = {**builtins.__dict__, "__import__": import_from}
    spec.loader.exec_module(module)
    return module


def hx711_on(header: Header) -> ModuleType:
    """Return the real package `hx711` on the real `rpi-lgpio`, on this header and its simulated time."""
    pi = SimpleNamespace(environ={"RPI_LGPIO_REVISION": "c04170", "RPI_LGPIO_CHIP": "0"})
    gpio = load_privately("RPi.GPIO", lgpio=header.module(), os=pi)
    return load_privately("hx711", RPi=SimpleNamespace(GPIO=gpio), time=header.time)
