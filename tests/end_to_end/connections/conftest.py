from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.end_to_end.served import KIOSK, PHONE, Served


class AtTheDoor(NamedTuple):
    """A second phone that waits for its yes to play Ben's seat, Ben's first phone, and the touchscreen."""

    first: Any
    kiosk: Any
    second: Any


@pytest.fixture
def at_the_door(served: Served) -> AtTheDoor:
    served.stand.open(2)
    first, kiosk, second = served.join(1), served.page("/kiosk", KIOSK), served.page("/seats", PHONE)
    second.locator("#place-1 button", has_text="Play on this phone, too").tap()
    second.locator("main", has_text="has to say yes").wait_for()
    return AtTheDoor(first, kiosk, second)
