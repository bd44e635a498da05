"""Driver of the panel: one light per lane, a buzzer and the hourglass button. Each part is optional."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, Literal, Protocol

from gpiozero import TonalBuzzer
from gpiozero.tones import Tone

from hardware.clock import Clock
from hardware.gpio.stamped_input import REOPEN_PIN_AFTER_S, StampedInput
from hardware.readings import ButtonPressed, DeviceHealth, Status

Melody = Literal["time_up", "passed", "stuck", "won"]

PANEL_HEALTH: dict[str, Status] = {
    "panel_ok": "ok",
    "panel_no_lights": "absent",
    "panel_no_buzzer": "absent",
    "panel_no_button": "absent",
    "panel_button_stuck": "faulty",
    "panel_lights_gone": "faulty",
}
"""Every health code of the panel, with its status."""

_BOUNCE_S = 0.03
"""Debounce time of the button: contacts of small push buttons bounce for up to 10 ms."""
_HELD_S = 0.005
"""A press holds its level for at least this long. A finger takes tens of milliseconds, a spike less than one."""
STUCK_S = 5.0
"""A button that is pressed for at least this long is stuck."""
_MELODIES: dict[Melody, tuple[tuple[float, float], ...]] = {
    "time_up": ((880.0, 0.25), (0.0, 0.1), (880.0, 0.25), (0.0, 0.1), (880.0, 0.5)),
    "passed": ((523.25, 0.1), (659.25, 0.1), (783.99, 0.2)),
    "stuck": ((329.63, 0.15), (246.94, 0.3)),
    "won": ((523.25, 0.12), (659.25, 0.12), (783.99, 0.12), (880.0, 0.5)),
}
"""Melody → (frequency in Hz or 0 for a rest, seconds)."""

_log = logging.getLogger(__name__)


class Lights(Protocol):
    """Lane lights that are all set in one call."""

    def show(self, colours: tuple[tuple[int, int, int], ...]) -> None:
        """Set each lane's colour, left to right, as (red, green, blue) 0–255."""
        ...

    def close(self) -> None:
        """Release the lights."""
        ...


class HourglassButton(StampedInput):
    """The debounced button: each press is emitted once, with the time of its first edge.

    A press is known when it ends or, while it lasts, by `held`. Keep a reference, as gpiozero holds its devices weakly.
    """

    def __init__(
        self, pin: int, clock: Clock, emit: Callable[[ButtonPressed], None], *, pin_factory: Any = None
    ) -> None:
        self._press, self._changed_s = emit, float("-inf")
        self._lock = threading.Lock()
        self._first_s: float | None = None
        self._low_since_s: float | None = None
        super().__init__(pin, clock, self._changed, pin_factory=pin_factory)

    def _changed(self, t_s: float, pressed: bool) -> None:
        self.held(t_s)
        with self._lock:
            quiet_s, self._changed_s = t_s - self._changed_s, t_s
            if quiet_s >= _BOUNCE_S:
                self._first_s = t_s if pressed else None
            self._low_since_s = t_s if pressed else None

    def held(self, until_s: float) -> None:
        """Note that the level since the last edge lasted until `until_s`. Any thread may call it."""
        with self._lock:
            first_s, low_since_s = self._first_s, self._low_since_s
            if first_s is None or low_since_s is None or until_s - low_since_s < _HELD_S:
                return
            self._first_s = None
            self._press(ButtonPressed(t_s=first_s, button="hourglass"))


class Panel:
    """The panel. A part that cannot be opened is reported once, as health, and then does nothing.

    Another program may hold the pin of the button or the buzzer. So `tick` tries to open them again.

    Any thread may call it. Once closed it does nothing: whoever plays it may not know yet that a calibration began.

    :param emit: receives `ButtonPressed` and `DeviceHealth`; called on gpiozero's thread: it must enqueue and return.
    :param lanes: number of lanes that have a light.
    :param button_pin: BCM pin, or None for no button; likewise `buzzer_pin`.
    :param open_lights: opens the lane lights (`StripLights`), or None for no lights.
    """

    def __init__(
        self,
        clock: Clock,
        emit: Callable[[ButtonPressed | DeviceHealth], None],
        *,
        lanes: int = 7,
        button_pin: int | None = 22,
        buzzer_pin: int | None = 18,
        open_lights: Callable[[], Lights] | None = None,
        pin_factory: Any = None,
    ) -> None:
        self._clock, self._emit, self._lanes = clock, emit, lanes
        self._lock = threading.RLock()
        self._closed = False
        self._lacks: list[str] = []
        self._tried_s = clock.now_s()
        self._pressed_since_s: float | None = None
        self._stuck = False
        self._notes: list[tuple[float, float]] = []
        self._note_ends_s = float("-inf")
        self.playing = False
        """Whether a melody is playing, so that `tick` has to be called often."""
        self._open_button = (
            None if button_pin is None else lambda: HourglassButton(button_pin, clock, emit, pin_factory=pin_factory)
        )
        self._open_buzzer = (
            None if buzzer_pin is None else lambda: TonalBuzzer(buzzer_pin, octaves=2, pin_factory=pin_factory)
        )
        self._button: Any = self._opened("panel_no_button", self._open_button)
        self._buzzer: Any = self._opened("panel_no_buzzer", self._open_buzzer)
        self._lights: Lights | None = self._opened("panel_no_lights", open_lights)
        parts = (self._button, self._buzzer, self._lights)
        if not self._lacks and any(part is not None for part in parts):
            self._report("panel_ok")

    def light_lane(self, lane: int | None, colour: tuple[int, int, int] = (255, 160, 40)) -> None:
        """Switch on the light of one lane, 1 … `lanes`, and switch off the others; None switches off all."""
        with self._lock:
            if self._lights is None or self._closed:
                return
            try:
                self._lights.show(tuple(colour if n == lane else (0, 0, 0) for n in range(1, self._lanes + 1)))
            except OSError as error:
                # The bus is gone. The strip sends no data back, so software cannot detect any other fault of it.
                self._lost("panel_lights_gone", self._lights, error)
                self._lights = None

    def play(self, melody: Melody) -> None:
        """Start a melody and cut off the one that is playing. `tick` plays the notes."""
        with self._lock:
            self._notes = list(_MELODIES[melody])
            self._note_ends_s = float("-inf")
            self.playing = self._buzzer is not None and not self._closed
            self.tick(self._clock.now_s())

    def tick(self, now_s: float) -> None:
        """Advance to `now_s`: start the next note or rest when it is due, watch the button, open what is missing."""
        with self._lock:
            if not self._closed:
                self._open_what_is_missing(now_s)
                self._watch_button(now_s)
                self._play_on(now_s)

    def _open_what_is_missing(self, now_s: float) -> None:
        if now_s - self._tried_s < REOPEN_PIN_AFTER_S:
            return
        self._tried_s = now_s
        if self._button is None:
            self._button = self._opened("panel_no_button", self._open_button)
        if self._buzzer is None:
            self._buzzer = self._opened("panel_no_buzzer", self._open_buzzer)

    def _play_on(self, now_s: float) -> None:
        if not self.playing or now_s < self._note_ends_s:
            return
        frequency_hz = 0.0
        self.playing = bool(self._notes)
        if self._notes:
            frequency_hz, duration_s = self._notes.pop(0)
            self._note_ends_s = now_s + duration_s
        try:
            if frequency_hz:
                self._buzzer.play(Tone.from_frequency(frequency_hz))
            else:
                self._buzzer.stop()
        except Exception as error:  # lgpio's own error is a bare Exception
            self.playing = False
            self._lost("panel_no_buzzer", self._buzzer, error)
            self._buzzer = None

    def _watch_button(self, now_s: float) -> None:
        if self._button is None:
            return
        try:
            pressed = self._button.is_active
        except Exception as error:  # as above
            self._lost("panel_no_button", self._button, error)
            self._button, self._pressed_since_s, self._stuck = None, None, False
            return
        if not pressed:
            self._pressed_since_s = None
            if self._stuck:
                self._stuck = False
                self._report_faults()
            return
        self._button.held(now_s)
        if self._pressed_since_s is None:
            self._pressed_since_s = now_s
        elif not self._stuck and now_s - self._pressed_since_s >= STUCK_S:
            self._stuck = True
            self._report("panel_button_stuck")

    def close(self) -> None:
        """Switch lights and buzzer off and release the pins. A second call does nothing."""
        with self._lock, contextlib.ExitStack() as closing:
            if self._closed:
                return
            self.light_lane(None)
            self._closed, self.playing = True, False
            for part in (self._button, self._buzzer, self._lights):
                if part is not None:
                    closing.callback(part.close)

    def _opened(self, code: str, open_part: Callable[[], Any] | None) -> Any:
        if open_part is None:
            return None
        try:
            part = open_part()
        except Exception as error:  # lgpio's own error, for a pin that another program holds, is a bare Exception
            if code not in self._lacks:
                # As text: a record of the error itself refers to the half-made device, which reserves its pin.
                _log.warning("panel: %s [%s]", str(error), code)
                self._lacks.append(code)
                self._report(code)
            return None
        if code in self._lacks:
            self._lacks.remove(code)
            self._report_faults()
        return part

    def _lost(self, code: str, part: Any, error: Exception) -> None:
        """Report a part that failed in use, and close it. The others go on."""
        _log.warning("panel: %s [%s]", error, code)
        with contextlib.suppress(Exception):
            part.close()
        self._lacks.append(code)
        self._report(code)

    def _report_faults(self) -> None:
        """Report one of the faults that are left, or that there are none."""
        self._report("panel_button_stuck" if self._stuck else self._lacks[-1] if self._lacks else "panel_ok")

    def _report(self, code: str) -> None:
        self._emit(DeviceHealth(t_s=self._clock.now_s(), device="panel", status=PANEL_HEALTH[code], code=code))
