"""A huge import is folded beside the table's loop: the open game goes on meanwhile."""

import threading

import pytest

from appliance.games.protocol import Action
from appliance.snapshot import Accepted, Answer
from hardware.clock import MonotonicClock
from tests.appliance.conftest import PortersTable, setup
from tests.appliance.games.porters import Cross, Hide, Porters
from tests.patience import GIVEN_UP_S
from tests.porters_game.rules.state import State


def test_the_table_answers_while_an_import_is_folded(porters: PortersTable, monkeypatch: pytest.MonkeyPatch) -> None:
    porters.running = MonotonicClock()
    table = porters.reopen()
    table.start()
    porters.open()
    apply, folding, go_on = Porters.apply, threading.Event(), threading.Event()

    def slowly(self: Porters, state: State, action: Action) -> object:
        if threading.current_thread().name == "importer":
            folding.set()
            assert go_on.wait(GIVEN_UP_S)
        return apply(self, state, action)

    monkeypatch.setattr(Porters, "apply", slowly)
    answers: list[Answer] = []
    a_round = [Hide(seat=0, mass_g=22.7), Hide(seat=1, mass_g=19.3), *(Cross(seat=n, outcome="passed") for n in (0, 1))]
    played = [*a_round, *a_round]
    importer = threading.Thread(
        target=lambda: answers.append(table.import_game(setup(), played, "taken-in")), name="importer"
    )
    importer.start()
    assert folding.wait(GIVEN_UP_S)
    assert porters.did(Hide(seat=0, mass_g=21.0))
    go_on.set()
    importer.join(GIVEN_UP_S)
    (answer,) = answers
    assert isinstance(answer, Accepted)
