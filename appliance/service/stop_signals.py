"""The signals that ask a command to end: Ctrl-C, `kill`, and the end of its terminal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return SIGINT, SIGTERM and SIGHUP. SIGHUP is left out where it is ignored, as under `nohup`."""
    outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM) if outlives_terminal else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def all_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end what runs here as Ctrl-C does: devices are closed and the terminal is restored.

    `too_late_to_stop` holds until the end of this context.

    Each of the two counts once. A terminal that is closed may send SIGHUP twice, and the second one would cut short
    what the first one ends. Outside the main thread, which alone gets signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: signal.getsignal(number) for number in stop_signals()}
    for number in former.keys() - {signal.SIGINT}:
        signal.signal(number, _interrupted)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def stop_signals_wait() -> Iterator[None]:
    """Let a signal that asks the command to end wait until what runs here is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)

    former = {number: signal.signal(number, remember) for number in stop_signals()}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    for one in came:
        signal.raise_signal(one)


def too_late_to_stop() -> None:
    """Ignore the signals that ask the command to end: the one step that is left cannot be taken back.

    Whoever sends one from now on is told what was done, not that it was stopped.
    """
    if threading.current_thread() is threading.main_thread():
        for number in stop_signals():
            signal.signal(number, signal.SIG_IGN)


def _interrupted(number: int, _: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
