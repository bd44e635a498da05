"""A simulated table that is stopped at once, as by Ctrl-C in the first second of a demo."""

from __future__ import annotations

import logging
import threading

import pytest

from appliance.devices.self_test import HealthCollector
from appliance.devices.simulated_table import TwinTable
from hardware.clock import MonotonicClock
from hardware.twin.cameras.camera import TwinCamera
from tests.patience import GIVEN_UP_S

OF_ITS_OWN = (336, 189)
"""A size of picture that no other test draws: what is drawn is kept."""


def test_who_stops_it_while_it_draws_its_first_picture_does_not_wait_for_all_of_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    drawn: list[object] = []
    draws, is_stopped = threading.Event(), threading.Event()

    def draw(surface: object, *_: object) -> None:
        drawn.append(surface)
        draws.set()
        assert is_stopped.wait(GIVEN_UP_S)

    give_up = TwinCamera.give_up

    def give_up_now(camera: TwinCamera) -> None:
        give_up(camera)
        is_stopped.set()

    monkeypatch.setattr("hardware.twin.drawing.empty_table._draw", draw)
    monkeypatch.setattr(TwinCamera, "give_up", give_up_now)
    listener = HealthCollector()
    table = TwinTable(listener, MonotonicClock(), seed=1, size_px=OF_ITS_OWN)
    with caplog.at_level(logging.WARNING):
        table.start()
        assert draws.wait(GIVEN_UP_S)
        table.stop()
    assert len(drawn) == 1, "the rest is not drawn"
    assert not caplog.records, "nothing is wrong"
    assert set(listener.health["camera"]) <= {"camera_starting"}
