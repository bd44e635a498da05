"""A roll that begins while a verdict waits its grace: it belongs to the attempt after that verdict (SM-39, AP-7)."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from appliance.games.protocol import Action, Proposal, Timing
from appliance.games.smugglers.rules.actions import Attempt, Roll, TimeUp
from appliance.games.smugglers.rules.rules import RULES
from hardware.readings import BeamPassage, PassageSeen, SphereOnTrack
from tests.appliance.games.smugglers.sitting import Sitting
from tests.narrowed import there

Outcome = Literal["passed", "stuck", "short"]
PASS_LIMIT_S = 5.0
GRACE_S = Timing().grace_s


class SittingWithGrace(Sitting):
    """One game and its referee; a proposal counts when its grace is over."""

    def __init__(self, *, beams: bool) -> None:
        self.proposed: list[Action] = []
        self.beams = beams
        super().__init__(2)
        if not beams:
            self.health("beams", "absent")
        self.did(Roll(seat=0, value=2), TimeUp())

    def _heed(self, advice: Any) -> list[Action]:
        self.proposed += [one.action for one in advice if isinstance(one, Proposal)]
        return super()._heed([one for one in advice if not isinstance(one, Proposal)])

    def grace_over(self, now_s: float) -> None:
        """Apply the newest proposal at `now_s`."""
        action = self.proposed.pop()
        self.proposed.clear()
        self.answered(action, now_s)

    def answered(self, action: Action, now_s: float) -> None:
        self.now_s = now_s - 5.0
        self.did(action)

    def starts(self, start_s: float, seat: int = 0) -> None:
        self.sense(SphereOnTrack(t_s=start_s, lane=self._lane, colour=self.putty[seat]))

    def ends(self, start_s: float, end_s: float, outcome: Outcome, seat: int = 0) -> None:
        """Camera and beams see the end of a roll that began at `start_s`."""
        crossed_s = end_s - 0.1 if outcome == "passed" else None
        if self.beams and outcome != "short":
            self.sense(
                BeamPassage(
                    t_s=end_s,
                    outcome="passed" if outcome == "passed" else "blocked",
                    first_broken_s=end_s - 0.2,
                    crossed_s=crossed_s,
                )
            )
        self.sense(
            PassageSeen(
                t_s=end_s,
                outcome=outcome,
                lane=self._lane,
                colour=self.putty[seat],
                started_s=start_s,
                crossed_s=crossed_s,
                confidence=0.95,
            )
        )

    @property
    def _lane(self) -> int:
        return there(RULES.view(self.state, None).lane)

    def sticks(self) -> float:
        """The first roll of seat 0 sticks. Return when that is proposed."""
        start_s = self.now_s + 1.0
        self.starts(start_s)
        self.ends(start_s, start_s + 1.5, "stuck")
        told_s = start_s + 1.5 + PASS_LIMIT_S
        self.tick(told_s)
        assert self.proposed == [Attempt(seat=0, outcome="stuck")]
        return told_s


@pytest.fixture(params=[False, True], ids=["camera alone", "camera and beams"])
def sitting(request: pytest.FixtureRequest) -> SittingWithGrace:
    return SittingWithGrace(beams=request.param)


@pytest.mark.parametrize("into_grace_s", [-0.2, 0.0, 1.0, 1.6])
def test_a_second_roll_in_the_grace_of_stuck_is_the_second_attempt(
    sitting: SittingWithGrace, into_grace_s: float
) -> None:
    told_s = sitting.sticks()
    second_s = told_s + into_grace_s
    sitting.starts(second_s)
    sitting.grace_over(told_s + GRACE_S)
    sitting.ends(second_s, told_s + GRACE_S + 0.6, "passed")
    assert sitting.proposed == [Attempt(seat=0, outcome="passed")]
    assert sitting.questions == []


def test_a_second_roll_that_ends_in_the_grace_of_stuck_counts_when_the_grace_is_over(sitting: SittingWithGrace) -> None:
    told_s = sitting.sticks()
    sitting.starts(told_s + 0.2)
    sitting.ends(told_s + 0.2, told_s + 1.2, "passed")
    assert sitting.proposed == [Attempt(seat=0, outcome="stuck")], "what was told stays until its grace is over"
    sitting.grace_over(told_s + GRACE_S)
    sitting.tick(told_s + GRACE_S + 0.1)
    assert sitting.proposed == [Attempt(seat=0, outcome="passed")]


def test_a_start_that_the_camera_tells_only_after_the_grace_counts_too(sitting: SittingWithGrace) -> None:
    told_s = sitting.sticks()
    step_s = told_s + GRACE_S
    sitting.grace_over(step_s)
    sitting.starts(step_s - 0.4)
    sitting.ends(step_s - 0.4, step_s + 0.6, "passed")
    assert sitting.proposed == [Attempt(seat=0, outcome="passed")]


def test_a_roll_before_a_busy_table_applies_what_was_told_counts_too(sitting: SittingWithGrace) -> None:
    told_s = sitting.sticks()
    second_s = told_s + GRACE_S + 0.5
    sitting.starts(second_s)
    sitting.grace_over(told_s + GRACE_S + 0.8)
    sitting.ends(second_s, second_s + 1.5, "passed")
    assert sitting.proposed == [Attempt(seat=0, outcome="passed")]


def test_a_roll_in_the_grace_of_short_replaces_it_sm_40(sitting: SittingWithGrace) -> None:
    start_s = sitting.now_s + 1.0
    sitting.starts(start_s)
    sitting.ends(start_s, start_s + 1.0, "short")
    sitting.starts(start_s + 1.5)
    sitting.ends(start_s + 1.5, start_s + 2.5, "passed")
    assert sitting.proposed == [Attempt(seat=0, outcome="short"), Attempt(seat=0, outcome="passed")]


def test_the_next_player_may_roll_in_the_grace_of_passed(sitting: SittingWithGrace) -> None:
    start_s = sitting.now_s + 1.0
    sitting.starts(start_s)
    sitting.ends(start_s, start_s + 1.0, "passed")
    sitting.starts(start_s + 1.5, seat=1)
    sitting.grace_over(start_s + 1.0 + GRACE_S)
    sitting.ends(start_s + 1.5, start_s + 3.2, "passed", seat=1)
    assert sitting.proposed == [Attempt(seat=1, outcome="passed")]


def test_a_stuck_sphere_that_comes_through_in_the_grace_is_no_second_attempt(sitting: SittingWithGrace) -> None:
    told_s = sitting.sticks()
    first_s = told_s - PASS_LIMIT_S - 1.5
    sitting.ends(first_s, told_s + 0.5, "passed")
    sitting.grace_over(told_s + GRACE_S)
    sitting.tick(told_s + 60.0)
    assert sitting.proposed == []
    assert sitting.questions == []


def test_hands_at_the_fence_in_the_grace_are_no_second_attempt() -> None:
    sitting = SittingWithGrace(beams=True)
    told_s = sitting.sticks()
    hand_s = told_s + 0.5
    sitting.sense(BeamPassage(t_s=hand_s + 0.2, outcome="passed", first_broken_s=hand_s, crossed_s=hand_s + 0.1))
    sitting.grace_over(told_s + GRACE_S)
    sitting.tick(told_s + 60.0)
    assert sitting.proposed == []
    assert sitting.questions == []


def test_a_roll_in_a_grace_that_people_end_otherwise_is_not_the_next_players(sitting: SittingWithGrace) -> None:
    told_s = sitting.sticks()
    sitting.starts(told_s + 0.2)
    sitting.ends(told_s + 0.2, told_s + 1.2, "passed")
    sitting.proposed.clear()
    sitting.answered(Attempt(seat=0, outcome="passed"), told_s + GRACE_S)
    sitting.tick(told_s + 60.0)
    assert sitting.proposed == []
    assert sitting.questions == []


@pytest.mark.parametrize("answer", ["stuck", "passed"])
def test_a_roll_again_after_an_objection_is_what_people_answer_about(
    sitting: SittingWithGrace, answer: Literal["stuck", "passed"]
) -> None:
    told_s = sitting.sticks()
    again_s = told_s + 8.0
    sitting.starts(again_s)
    sitting.ends(again_s, again_s + 1.0, answer)
    sitting.proposed.clear()
    sitting.answered(Attempt(seat=0, outcome=answer), again_s + 10.0)
    sitting.tick(again_s + 60.0)
    assert sitting.proposed == []
    assert sitting.questions == []
