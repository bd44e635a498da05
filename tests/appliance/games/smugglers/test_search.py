"""The guided search for a sphere that is nowhere: it says where to look, and never what came of the roll."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Attempt, Roll, TimeUp
from hardware.readings import SphereOnTrack
from tests.appliance.games.smugglers.sitting import Sitting


def at_the_track() -> Sitting:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp())
    return sitting


def told(sitting: Sitting) -> str:
    return sitting.remarks["search"].code


def test_the_search_leads_from_place_to_place_and_stays_at_the_last() -> None:
    sitting = at_the_track()
    assert sitting.press("search") == []
    places = [told(sitting)]
    for _ in range(4):
        assert sitting.press("search.on") == []
        places.append(told(sitting))
    assert places == ["search_fence", "search_landing", "search_floor", "search_over", "search_over"]
    assert sitting.remarks["search"].values == {"seat": 0}
    assert sitting.questions == []


def test_it_ends_when_it_is_found_when_a_sphere_rolls_and_when_people_decide() -> None:
    sitting = at_the_track()
    sitting.press("search")
    sitting.press("search.off")
    assert told(sitting) == ""
    sitting.press("search.begin")
    assert told(sitting) == "search_fence"
    sitting.sense(SphereOnTrack(t_s=200.0, lane=None, colour=None))
    assert told(sitting) == ""
    sitting.press("search")
    sitting.did(Attempt(seat=0, outcome="disturbed"))
    assert told(sitting) == "", "the next roll is awaited: nothing is lost yet"
    assert sitting.press("search.on") == []
    assert told(sitting) == "", "nobody has said again that it is lost"


def test_wishing_again_sends_nobody_back_to_the_first_place() -> None:
    sitting = at_the_track()
    sitting.press("search")
    sitting.press("search.on")
    assert sitting.press("search") == []
    assert told(sitting) == "search_landing"
    sitting.press("search.begin")
    assert told(sitting) == "search_fence", "the touchscreen may"


def test_what_the_touchscreen_ended_is_not_wished_back_before_the_next_sphere_rolls() -> None:
    sitting = at_the_track()
    sitting.press("search")
    sitting.press("search.off")
    refused = sitting.press("search")
    assert isinstance(refused, Rejection)
    assert refused.code == "search_is_off"
    assert told(sitting) == ""
    sitting.sense(SphereOnTrack(t_s=200.0, lane=None, colour=None))
    assert sitting.press("search") == []
    assert told(sitting) == "search_fence"


def test_nothing_is_searched_where_no_roll_is_awaited() -> None:
    answer = Sitting().press("search")
    assert isinstance(answer, Rejection)
    assert answer.code == "nothing_to_search"
