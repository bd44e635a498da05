"""Parts of the appliance start in order and stop in reverse order, whatever one of them does."""

from __future__ import annotations

import pytest

from appliance.service.lifecycle import Appliance, Part
from tests.appliance.conftest import PortersTable


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
