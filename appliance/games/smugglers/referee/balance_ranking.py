"""Ranking without a scale: people compare spheres on a balance. Substitute masses encode the order (SM-5, AP-10).

Nobody enters grams (AP-4). The substitute masses are far above any sphere's, to tell them from masses of the scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.mass_ranking import MOST_MASS_G, chairs, is_stand_in
from appliance.games.smugglers.rules.phases.skill_test import awaits_check
from appliance.games.smugglers.rules.stages import stage_of
from appliance.games.smugglers.rules.state import State, Trying, Weighing


def ranking_by_hand(state: State) -> bool:
    """Return whether people have started to rank the spheres that are due."""
    return isinstance(state.stage, Weighing) and any(map(is_stand_in, _weighed(state.stage)))


def ranked_next(state: State, seats: Sequence[int]) -> tuple[Weigh, ...] | Rejection:
    """Return the weights that rank `seats` next: after all ranked seats, before the rest. Several seats are a tie.

    The weights of the rest are added when no armchair or only one sphere is left, because their order is then not
    needed. Codes: `weighed_by_scale` if the scale has weighed one (SM-55), else the rejection of the open stage.
    """
    stage = state.stage
    if not isinstance(stage, Weighing):
        return stage_of(state).due(state)
    rest = [sphere.seat for sphere in stage.spheres if sphere.mass_g is None and sphere.seat not in seats]
    weighed = _weighed(stage)
    if not seats or len(seats) + len(rest) + len(weighed) != len(stage.spheres):
        return stage_of(state).due(state)
    if not all(map(is_stand_in, weighed)):
        return reject("weighed_by_scale", "SM-55")
    rung_g = max(2 * state.options.tie_band_g, 1.0)
    mass_g = min(weighed) - rung_g if weighed else MOST_MASS_G
    settled = len(weighed) + len(seats) >= chairs(state) or len(rest) == 1
    return (
        *(Weigh(seat=seat, mass_g=round(mass_g, 3)) for seat in seats),
        *(Weigh(seat=seat, mass_g=round(mass_g - rung_g, 3)) for seat in rest if settled),
    )


def compared(state: State, *, same: bool) -> tuple[Weigh, ...] | Rejection:
    """Return the weight before an attempt that encodes whether the sphere's mass is unchanged (SM-46).

    If no such weight is due, return the rejection of the open stage.
    """
    trying = state.stage
    if not isinstance(trying, Trying) or not awaits_check(state, trying):
        return stage_of(state).due(state)
    if trying.before_g is None:
        return (Weigh(seat=trying.seat, mass_g=MOST_MASS_G),)
    if same:
        return (Weigh(seat=trying.seat, mass_g=trying.before_g),)
    away_g = 1 + 2 * state.options.same_mass_tolerance_g
    other_g = trying.before_g - away_g if is_stand_in(trying.before_g) else MOST_MASS_G
    return (Weigh(seat=trying.seat, mass_g=round(other_g, 3)),)


def _weighed(stage: Weighing) -> list[float]:
    return [sphere.mass_g for sphere in stage.spheres if sphere.mass_g is not None]
