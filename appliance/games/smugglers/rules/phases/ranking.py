"""The ranking of the passed spheres (RULES §1.7): weigh, roll ties, take the armchairs."""

from __future__ import annotations

from appliance.games.smugglers.rules.mass_ranking import chairs
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.rounds import void_round
from appliance.games.smugglers.rules.state import Sphere, Weighing
from appliance.games.smugglers.rules.step_builder import Draft


def rank(draft: Draft) -> None:
    """Begin the ranking; with one passed sphere (SM-50) or none (SM-66) there is nothing to weigh."""
    passed = draft.state.in_room("bar")
    if not passed:
        void_round(draft)
    elif len(passed) == 1:
        seat_office(draft, passed)
    else:
        draft.change(phase="rank", stage=Weighing(tuple(Sphere(seat) for seat in passed)))
        draft.tell("weighing_began", "SM-55", seats=list(passed))


def seat_office(draft: Draft, seats: tuple[int, ...]) -> None:
    """Let the largest spheres take the armchairs (SM-48, SM-49); the other ones go to the junk room."""
    for index, seat in enumerate(seats):
        if index < chairs(draft.state):
            draft.change_player(seat, room="office", place=index + 1)
            draft.tell("chair_taken", "SM-48", seat=seat, place=index + 1)
    # Told clockwise: the order among the others is nobody's business (SM-54).
    for seat in draft.state.in_room("bar"):
        draft.change_player(seat, room="junk")
        draft.tell("sphere_too_small", "SM-49" if draft.state.count == 2 else "SM-48", seat=seat)
    inspect_next(draft, 0)
