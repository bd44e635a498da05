"""Tables at which a test knows and chooses what lies in a hand, and what somebody sees who looks at a screen."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import cv2
import msgspec
import numpy as np
import pytest

from appliance.games.catalogue import the_game
from appliance.games.customs.rules.cards import PACK
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.customs.play import a_setup as customs_setup
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_setup as prohis_setup
from tests.end_to_end.served import Served, ready

KEEPER = 0
"""Whose hand it is; everybody else must learn nothing of it."""
KNOWN_CHANCE = "crypto.getRandomValues = numbers => numbers.fill(0x9e3779b1)"
DOT = 30.0
"""By so many levels of 255 a dot must differ, that somebody sees it on a screen."""
Dealt = tuple[Any, dict[str, dict[str, Any]]]
"""A set-up, and what is drawn by chance for each thing that is drawn."""


def prohis_hand(kinds: str) -> Dealt:
    """A game of Prohis in which the keeper begins with four cards of these kinds beside Captain and Major."""
    drawn: dict[str, dict[str, Any]] = {
        "shuffle": {"order": stacked([kinds, "LLII", "LLII", "LLTT"])},
        "start": {"first": KEEPER},
    }
    return prohis_setup(4), drawn


def customs_hand(*kinds: str) -> Dealt:
    """A game of Customs in which the keeper is handed these four cards: the declarer before drew them."""
    numbers = list(range(len(PACK)))
    top = []
    for kind in kinds:
        number = next(number for number in numbers if PACK[number] == kind)
        numbers.remove(number)
        top.append(number)
    return customs_setup(4, first_officer=2), {"shuffle": {"order": [*top, *numbers]}}


class Table:
    """One table at which all is drawn as a test wants it."""

    def __init__(self, served: Served, dealt: Dealt, monkeypatch: pytest.MonkeyPatch) -> None:
        setup, drawn = dealt
        monkeypatch.setattr(Dealer, "draw", lambda dealer, prompt, *_: drawn[prompt.do])
        self.served = served
        self.served.stand.table.open_game(setup, "open")
        self.served.stand.let_chance_draw()

    @property
    def state(self) -> Any:
        return self.served.stand.table.snapshot().state

    def prompts(self) -> Any:
        snapshot = self.served.stand.table.snapshot()
        return the_game(str(snapshot.game)).rules.expects(snapshot.state, None)

    def do(self, *actions: dict[str, Any]) -> None:
        table = self.served.stand.table
        for action in actions:
            done = msgspec.convert(action, the_game(str(table.snapshot().game)).rules.action_type)
            answer = table.submit(Submission(id=str(uuid4()), action=done))
            assert isinstance(answer, Accepted), answer

    def screen(self, path: str, size: tuple[int, int]) -> Any:
        page = self.served.page(path, size)
        page.add_init_script(KNOWN_CHANCE)
        page.reload()
        return page


def alike(one: bytes, other: bytes) -> bool:
    """Whether two pictures look the same.

    What moved is painted on a layer of its own for a while: gradients are rounded otherwise there, by one level of 255,
    and so are single dots of round corners. A dot of 3 × 3 pixels that differs by `DOT` counts as another picture.
    """
    first, second = (cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) for png in (one, other))
    assert first is not None
    assert second is not None
    if first.shape != second.shape:
        return False
    around = cv2.blur(cv2.absdiff(first, second).astype(np.float32), (5, 5))
    return float(around.max()) < DOT * 9 / 25


def seen(page: Any) -> bytes:
    """What somebody who looks at the screen sees, as a picture, once no moment is staged over it."""
    ready(page)
    page.locator("#stage:not(.on)").wait_for(state="attached")
    return bytes(page.screenshot(animations="disabled"))
