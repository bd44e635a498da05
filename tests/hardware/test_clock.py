"""The end of a thread: it is waited for, and what does not end is named in the log."""

from __future__ import annotations

import logging
import threading

import pytest

from hardware.clock import END_S, ended
from tests.patience import GIVEN_UP_S
from tests.places import ROOT


def test_a_thread_that_hangs_is_left_behind_and_named(caplog: pytest.LogCaptureFixture) -> None:
    free = threading.Event()
    thread = threading.Thread(target=free.wait, args=(GIVEN_UP_S,), name="hung-up", daemon=True)
    thread.start()
    with caplog.at_level(logging.ERROR):
        assert not ended(thread, 0.01)
    assert "hung-up" in caplog.text
    free.set()
    caplog.clear()
    assert ended(thread, GIVEN_UP_S)
    assert caplog.text == ""


def test_what_never_began_has_ended() -> None:
    assert ended(None)
    assert ended(threading.Thread(target=print))


def test_one_hanging_part_leaves_the_service_manager_time_for_the_others() -> None:
    unit = (ROOT / "systemd" / "smugglers-table.service").read_text(encoding="utf-8")
    (limit_s,) = (int(line.partition("=")[2]) for line in unit.splitlines() if line.startswith("TimeoutStopSec"))
    assert limit_s / 2 >= END_S
