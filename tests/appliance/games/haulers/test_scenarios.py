"""More of what the recordings of Haulers show: who is asked and told what, and what is seen."""

from __future__ import annotations

from functools import partial

from appliance.games.haulers.rules.rules import RULES
from appliance.games.protocol import OneOf, Prompt
from tests.appliance.games import recordings
from tests.appliance.games.haulers.play import folded, stepped
from tests.narrowed import of_kind

recorded = partial(recordings.recorded, "haulers")


def asked(name: str, seat: int) -> dict[str, Prompt]:
    return {prompt.do: prompt for prompt in RULES.expects(recorded(name).state, seat) if prompt.seat == seat}


def last_told(name: str) -> list[str]:
    """Return the codes of what the last action of a recording made happen."""
    transcript = recorded(name)
    *before, last = transcript.actions
    return [happening.code for happening in stepped(folded(transcript.setup, before), last).happened]


def test_t04_a_boat_that_rolled_6_may_go_0_1_or_2() -> None:
    reach = of_kind(OneOf, asked("T-04-six", 0)["go"].choices["to"]).values
    assert set(reach) == {"Dor", "Dor–Fin 2", "Fin"}
    assert "stop" in asked("T-04-six", 0)


def test_t08_equal_rolls_let_the_carrier_go_and_one_more_does_not() -> None:
    assert last_told("T-08-equal")[-1] == "carrier_got_away"
    assert "legal_found" in last_told("T-08-higher")


def test_t26_a_natural_seven_must_be_answered_by_a_transit_card() -> None:
    assert "transit_drawn" in last_told("T-26-move")
    assert "transit_drawn" in last_told("T-26-natural-seven-with-radar")
    assert "transit_drawn" not in last_told("T-26-six-with-radar")


def test_t28_smuggling_is_not_even_offered_when_both_cards_are_in_use() -> None:
    start = asked("T-28-legal-offered", 0)["start"]
    assert of_kind(OneOf, start.choices["kind"]).values == ("legal",)


def test_t29_the_redraw_is_offered_to_its_owner_alone() -> None:
    state = recorded("T-29-offered").state
    assert "redraw" in {prompt.do for prompt in RULES.expects(state, 0)}
    assert all("redraw" not in {p.do for p in RULES.expects(state, seat)} for seat in (None, 1))
