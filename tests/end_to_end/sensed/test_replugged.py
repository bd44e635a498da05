"""Wires that come loose in the middle of a game and are plugged in again: taps meanwhile, sensors before and after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.mass_ranking import is_stand_in
from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.verdicts import Witness, name_of

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

LONGEST_S = 3_000.0
BROKEN_ROUND = 2


class Play:
    """Three rounds, the fault being there in the second alone; what was tapped and weighed, by round."""

    def __init__(self, table: LockstepTable, fault: str) -> None:
        self._table, self._fault = table, fault
        self._witness = Witness(table)
        self._judged = 0
        self.tapped: dict[int, list[str]] = defaultdict(list)
        self.weighed: dict[int, list[float]] = defaultdict(list)
        self.health: dict[int, set[str]] = defaultdict(set)
        self.played = table.play_until(self._done, LONGEST_S)
        self.wrong = self._witness.wrong

    def _done(self) -> bool:
        self._witness.look()
        snapshot, history = self._table.table.snapshot(), self._table.table.history()
        if snapshot.state is None or not isinstance(history, tuple):
            return False
        now = self._table.view.round
        for action in self._table.tapped:
            self.tapped[now].append(name_of(action))
        self._table.tapped.clear()
        for action in history[1][self._judged :]:
            if isinstance(action, Weigh):
                self.weighed[now].append(action.mass_g)
        self._judged = len(history[1])
        self.health[now] |= {f"{device} {said.status}" for device, said in snapshot.health.items()}
        if (self._fault in self._table.twin.faults) != (now == BROKEN_ROUND):
            self._table.twin.faults.switch(self._fault, now == BROKEN_ROUND)
        return now > BROKEN_ROUND + 1 or self._table.is_over()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LockstepTable]:
    table = LockstepTable(tmp_path, seed=22, players=3, hourglass_s=4)
    yield table
    table.close()


def test_a_scale_that_is_unplugged_for_a_round_is_believed_again_after_it(table: LockstepTable) -> None:
    play = Play(table, "scale unplugged")
    assert play.played
    assert play.wrong == []
    by_hand = {now: [is_stand_in(mass_g) for mass_g in masses] for now, masses in play.weighed.items()}
    assert sorted(by_hand) == [1, 2, 3]
    assert not any(by_hand[1] + by_hand[3])
    assert all(by_hand[2])
    assert "scale absent" in play.health[2]


@pytest.mark.soak
def test_a_beam_that_is_dead_for_a_round_makes_questions_in_that_round_alone(table: LockstepTable) -> None:
    play = Play(table, "beam dead")
    assert play.played
    assert play.wrong == []
    assert {now for now, names in play.tapped.items() if "attempt" in names} == {BROKEN_ROUND}


@pytest.mark.soak
def test_a_beam_that_is_crossed_over_for_a_round_is_named_and_believed_again_after_it(table: LockstepTable) -> None:
    play = Play(table, "beam inverted")
    assert play.played
    assert play.wrong == []
    assert "beams faulty" in play.health[BROKEN_ROUND]
    assert table.table.snapshot().health["beams"].status == "ok"
    assert not any("attempt" in names for names in play.tapped.values())
