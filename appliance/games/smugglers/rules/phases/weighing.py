"""The scale and the dice between equal spheres, for the ranking (SM-55) and for SM-94a alike."""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import TieRoll, Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.mass_ranking import LEAST_MASS_G, MOST_MASS_G, standing
from appliance.games.smugglers.rules.phases.ranking import seat_office
from appliance.games.smugglers.rules.phases.reveal import ask_order, reveal_next
from appliance.games.smugglers.rules.phases.skill_test import check_mass
from appliance.games.smugglers.rules.refusals import due
from appliance.games.smugglers.rules.state import Trying, Weighing
from appliance.games.smugglers.rules.step_builder import Draft


def weigh(draft: Draft, action: Weigh) -> Rejection | None:
    """Take a weight where the rules ask for one. The mass is never said again."""
    if not (math.isfinite(action.mass_g) and LEAST_MASS_G <= action.mass_g <= MOST_MASS_G):
        return reject("no_such_mass", "SM-55", {"seat": action.seat})
    stage = draft.state.stage
    if isinstance(stage, Trying):
        return check_mass(draft, action)
    if not isinstance(stage, Weighing):
        return due(draft.state)
    sphere = next((sphere for sphere in stage.spheres if sphere.seat == action.seat), None)
    if sphere is None:
        return due(draft.state)
    if sphere.mass_g is not None:
        return reject("already_weighed", "SM-55", {"seat": action.seat})
    _change_sphere(draft, stage, action.seat, mass_g=action.mass_g)
    draft.tell("sphere_weighed", "SM-94a" if draft.state.phase == "reveal" else "SM-55", seat=action.seat)
    if tied := settle(draft):
        draft.tell("spheres_tied", "SM-54", seats=list(tied))
    return None


def tie_roll(draft: Draft, action: TieRoll) -> Rejection | None:
    """Take a die between equal spheres: higher is larger, equal numbers roll again (SM-51 … SM-53)."""
    stage = draft.state.stage
    if not isinstance(stage, Weighing) or any(sphere.mass_g is None for sphere in stage.spheres):
        return due(draft.state)
    rollers = standing(draft.state, stage.spheres).rollers
    if action.seat not in rollers:
        return due(draft.state)
    if not 1 <= action.value <= 6:
        return reject("no_such_die_value", "SM-51", {"value": action.value})
    sphere = next(sphere for sphere in stage.spheres if sphere.seat == action.seat)
    _change_sphere(draft, stage, action.seat, rolls=(*sphere.rolls, action.value))
    draft.tell("tie_rolled", "SM-51", seat=action.seat, value=action.value)
    equal = settle(draft)
    if equal and rollers == (action.seat,):
        draft.tell("dice_tied", "SM-52", seats=list(equal))
    return None


def settle(draft: Draft) -> tuple[int, ...]:
    """Go on as soon as all are weighed and no die is missing; return the seats that still have to roll one."""
    stage = draft.state.stage
    assert isinstance(stage, Weighing)
    if len(stage.spheres) == 1:
        # Somebody left: nothing to compare any more.
        if draft.state.phase == "reveal":
            reveal_next(draft)
        else:
            seat_office(draft, (stage.spheres[0].seat,))
        return ()
    if any(sphere.mass_g is None for sphere in stage.spheres):
        return ()
    now = standing(draft.state, stage.spheres)
    if not now.rollers:
        if draft.state.phase == "reveal":
            ask_order(draft, larger=now.seats[0], smaller=now.seats[1])
        else:
            seat_office(draft, now.seats)
    return now.rollers


def _change_sphere(draft: Draft, stage: Weighing, seat: int, **fields: Any) -> None:
    spheres = tuple(replace(sphere, **fields) if sphere.seat == seat else sphere for sphere in stage.spheres)
    draft.change(stage=Weighing(spheres))
