"""Parts of the appliance start in order and stop in reverse order, whatever one of them does."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from appliance.service.lifecycle import Appliance, Part, StopSignal
from appliance.service.stop_signals import all_as_ctrl_c
from tests.appliance.conftest import PortersTable


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Put the test's own handlers back."""
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def fails() -> None:
    raise OSError("4.25 g")


def test_a_part_that_cannot_stop_does_not_keep_the_others_running(
    porters: PortersTable, caplog: pytest.LogCaptureFixture
) -> None:
    stopped: list[str] = []
    parts = [
        Part(lambda: None, lambda: stopped.append("journal")),
        Part(lambda: None, fails),
        Part(lambda: None, lambda: stopped.append("server")),
    ]
    appliance = Appliance(porters.table, "", "", parts)
    appliance.start()
    appliance.stop()
    assert stopped == ["server", "journal"]
    assert "OSError" in caplog.text
    assert "4.25" not in caplog.text


def test_a_start_that_fails_is_told_though_a_part_cannot_stop_either(porters: PortersTable) -> None:
    stopped: list[str] = []

    def taken() -> None:
        raise ValueError("the port is taken")

    parts = [Part(lambda: None, lambda: stopped.append("journal")), Part(lambda: None, fails), Part(taken, fails)]
    with pytest.raises(ValueError, match="port"):
        Appliance(porters.table, "", "", parts).start()
    assert stopped == ["journal"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_that_is_closed_ends_what_runs_as_ctrl_c_does(number: signal.Signals) -> None:
    with handlers_kept():
        signal.signal(number, signal.default_int_handler)
        stop = StopSignal()
        stop.install()
        signal.raise_signal(number)
        assert stop.given()


def test_under_nohup_what_runs_outlives_its_terminal() -> None:
    with handlers_kept():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        StopSignal().install()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_second_hangup_does_not_cut_short_what_the_first_one_ends() -> None:
    with handlers_kept():
        signal.signal(signal.SIGHUP, signal.default_int_handler)
        ended: list[str] = []

        def runs() -> None:
            with all_as_ctrl_c():
                try:
                    signal.raise_signal(signal.SIGHUP)
                finally:
                    signal.raise_signal(signal.SIGHUP)
                    ended.append("devices")

        with pytest.raises(KeyboardInterrupt):
            runs()
        assert ended == ["devices"]
