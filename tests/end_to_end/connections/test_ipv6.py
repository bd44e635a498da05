"""The touchscreen and a phone whose browsers reach the table over IPv6."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import MonotonicClock
from hardware.listening import EVERY
from tests.end_to_end.served import KIOSK, Served, caught_up, headline, needs_browser
from tests.web.stand import Stand

pytestmark = needs_browser


@pytest.fixture
def served(tmp_path: Path, browser: Any) -> Iterator[Served]:
    served = Served(tmp_path, browser, Stand(tmp_path, clock=MonotonicClock(), port=0), EVERY)
    served.base = f"http://[::1]:{served.server.port}"
    yield served
    served.close()


def test_touchscreen_and_phone_play_over_ipv6(served: Served) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    phone = served.join(0)
    assert phone.url == f"{served.base}/seat/0"
    caught_up(kiosk)
    caught_up(phone)
    served.stand.do(do="roll", seat=0, value=3)
    headline(kiosk, "knead")
    assert served.complaints == []
