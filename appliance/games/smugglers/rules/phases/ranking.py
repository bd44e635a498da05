"""The ranking of the passed spheres (RULES §1.7): weigh, roll ties, take the armchairs."""

from __future__ import annotations

from appliance.games.smugglers.rules.mass_ranking import chairs
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.rounds import void_round
from appliance.games.smugglers.rules.state import RankedSphere, Weighing
from appliance.games.smugglers.rules.step_builder import StepBuilder


def rank(builder: StepBuilder) -> None:
    """Start the ranking. With one passed sphere (SM-50) or none (SM-66) there is nothing to weigh."""
    passed = builder.state.in_room("bar")
    if not passed:
        void_round(builder)
    elif len(passed) == 1:
        seat_office(builder, passed)
    else:
        builder.change(phase="rank", stage=Weighing(tuple(RankedSphere(seat) for seat in passed)))
        builder.tell("weighing_began", "SM-55", seats=list(passed))


def seat_office(builder: StepBuilder, seats: tuple[int, ...]) -> None:
    """Give the armchairs to the largest spheres (SM-48, SM-49). The others go to the junk room."""
    for index, seat in enumerate(seats):
        if index < chairs(builder.state):
            builder.change_player(seat, room="office", place=index + 1)
            builder.tell("chair_taken", "SM-48", seat=seat, place=index + 1)
    # Announced clockwise: the order among the others stays secret (SM-54).
    for seat in builder.state.in_room("bar"):
        builder.change_player(seat, room="junk")
        builder.tell("sphere_too_small", "SM-49" if builder.state.count == 2 else "SM-48", seat=seat)
    inspect_next(builder, 0)
