from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.clock import ManualClock
from tests.web.machine_asked import Asked
from tests.web.seen_rolls import senses_work
from tests.web.stand import Stand


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.close()


@pytest.fixture
def real_stand(tmp_path: Path) -> Iterator[Stand]:
    """One with real devices, of which none has told anything yet."""
    stand = Stand(tmp_path, hardware="pi")
    yield stand
    stand.close()


@pytest.fixture
def at_the_track(stand: Stand) -> Stand:
    stand.open(2)
    stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    assert isinstance(stand.clock, ManualClock)
    stand.clock.advance_to(stand.clock.now_s() + 1.0)
    senses_work(stand)
    return stand


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    asked = Asked(tmp_path / "machine")
    yield asked
    asked.close()
