"""Weighing and tie rolls, for both the ranking (SM-55) and SM-94a."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from appliance.games.protocol import Prompt, Rejection
from appliance.games.smugglers.rules.actions import TieRoll, Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.mass_ranking import LEAST_MASS_G, MOST_MASS_G, standing
from appliance.games.smugglers.rules.phases.ranking import seat_office
from appliance.games.smugglers.rules.phases.reveal import ask_order, reveal_next
from appliance.games.smugglers.rules.phases.skill_test import MASS
from appliance.games.smugglers.rules.prompts import DIE, prompt_of
from appliance.games.smugglers.rules.state import State, Weighing
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder


def no_such_mass(state: State, action: Weigh) -> Rejection | None:
    """Return the rejection of a mass outside the possible range, else None."""
    if LEAST_MASS_G <= action.mass_g <= MOST_MASS_G:
        return None
    return reject("no_such_mass", "SM-55", {"seat": action.seat})


def weigh(builder: StepBuilder, action: Weigh) -> Rejection | None:
    """Record a weight that the rules ask for. The mass is never announced."""
    stage = builder.state.at(Weighing)
    sphere = next((sphere for sphere in stage.spheres if sphere.seat == action.seat), None)
    if sphere is None:
        return _scale_due(builder.state)
    if sphere.mass_g is not None:
        return reject("already_weighed", "SM-55", {"seat": action.seat})
    _change_sphere(builder, stage, action.seat, mass_g=action.mass_g)
    builder.tell("sphere_weighed", "SM-94a" if builder.state.phase == "reveal" else "SM-55", seat=action.seat)
    if tied := settle(builder):
        builder.tell("spheres_tied", "SM-54", seats=list(tied))
    return None


def tie_roll(builder: StepBuilder, action: TieRoll) -> Rejection | None:
    """Record a die of a tie. The higher value is the larger sphere; equal values roll again (SM-51 … SM-53)."""
    stage = builder.state.at(Weighing)
    if any(sphere.mass_g is None for sphere in stage.spheres):
        return _scale_due(builder.state)
    rollers = standing(builder.state, stage.spheres).rollers
    if action.seat not in rollers:
        return _scale_due(builder.state)
    if not 1 <= action.value <= 6:
        return reject("no_such_die_value", "SM-51", {"value": action.value})
    sphere = next(sphere for sphere in stage.spheres if sphere.seat == action.seat)
    _change_sphere(builder, stage, action.seat, rolls=(*sphere.rolls, action.value))
    builder.tell("tie_rolled", "SM-51", seat=action.seat, value=action.value)
    equal = settle(builder)
    if equal and rollers == (action.seat,):
        builder.tell("dice_tied", "SM-52", seats=list(equal))
    return None


def settle(builder: StepBuilder) -> tuple[int, ...]:
    """Continue once all spheres are weighed and no die is missing. Return the seats that still have to roll."""
    stage = builder.state.at(Weighing)
    if len(stage.spheres) == 1:
        # Somebody left, so there is nothing left to compare.
        if builder.state.phase == "reveal":
            reveal_next(builder)
        else:
            seat_office(builder, (stage.spheres[0].seat,))
        return ()
    if any(sphere.mass_g is None for sphere in stage.spheres):
        return ()
    now = standing(builder.state, stage.spheres)
    if not now.rollers:
        if builder.state.phase == "reveal":
            ask_order(builder, larger=now.seats[0], smaller=now.seats[1])
        else:
            seat_office(builder, now.seats)
    return now.rollers


def _change_sphere(builder: StepBuilder, stage: Weighing, seat: int, **fields: Any) -> None:
    spheres = tuple(replace(sphere, **fields) if sphere.seat == seat else sphere for sphere in stage.spheres)
    builder.change(stage=Weighing(spheres))


# -- the stage


def _scale_due(state: State) -> Rejection:
    weighing, pair = state.at(Weighing), state.phase == "reveal"
    unweighed = [sphere.seat for sphere in weighing.spheres if sphere.mass_g is None]
    if unweighed:
        return reject("weighing_due", "SM-94a" if pair else "SM-55", {"seats": unweighed})
    rollers = list(standing(state, weighing.spheres).rollers)
    return reject("tie_roll_due", "SM-94a" if pair else "SM-51", {"seats": rollers})


def _at_scale(state: State, viewer: int | None) -> list[Prompt]:
    weighing = state.at(Weighing)
    unweighed = [sphere.seat for sphere in weighing.spheres if sphere.mass_g is None]
    if unweighed:
        return [prompt_of(state, "weigh", seat, "weigh", MASS, by="table") for seat in unweighed]
    throws = {sphere.seat: len(sphere.rolls) for sphere in weighing.spheres}
    return [
        prompt_of(state, f"tie{throws[seat] + 1}", seat, "tie_roll", DIE, chance="may", by="table")
        for seat in standing(state, weighing.spheres).rollers
    ]


def _left_at_scale(builder: StepBuilder, seat: int) -> None:
    spheres = builder.state.at(Weighing).spheres
    if any(sphere.seat == seat for sphere in spheres):
        builder.change(stage=Weighing(tuple(sphere for sphere in spheres if sphere.seat != seat)))
        settle(builder)


WEIGHING = SmugglersStage(
    due=_scale_due, prompts=_at_scale, does={Weigh: weigh, TieRoll: tie_roll}, left=_left_at_scale
)
