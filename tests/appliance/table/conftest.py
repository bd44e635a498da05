"""A game of Porters in which the first load is about to cross."""

from __future__ import annotations

import pytest

from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Hide


@pytest.fixture
def crossing(porters: PortersTable) -> PortersTable:
    porters.open()
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    return porters
