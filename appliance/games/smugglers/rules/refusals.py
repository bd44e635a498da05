"""The rejection of actions that the table does not wait for: it names what is due."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.goals import ABANDONED_RULE, GOALS
from appliance.games.smugglers.rules.mass_ranking import standing
from appliance.games.smugglers.rules.state import (
    Inspecting,
    Opening,
    Ordering,
    Over,
    Rolling,
    Sculpting,
    State,
    Taking,
    Trying,
    Weighing,
)

TAKE_RULES = {"missed_bomb": "SM-85", "illegal_sack": "SM-87", "revealed_bomb": "SM-93"}


def refusal(state: State) -> Rejection:
    """Return the rejection of an action that is not due now: it says what is due, and from whom."""
    match state.stage:
        case Rolling():
            return reject("roll_due", "SM-19" if state.blind else "SM-17", {"seat": state.start})
        case Sculpting():
            return reject("hourglass_running", "SM-19" if state.blind else "SM-22")
        case Trying(seat=seat):
            return _refusal_at_track(state, state.stage, seat)
        case Weighing():
            return _refusal_at_scale(state, state.stage)
        case Inspecting(seat=seat):
            return reject("inspection_due", "SM-65", {"seat": seat})
        case Opening(seat=seat):
            return reject("opening_due", "SM-68" if state.inspection else "SM-90", {"seat": seat})
        case Taking(seat=seat, cause=cause):
            return reject("choice_due", TAKE_RULES[cause], {"seat": seat})
        case Ordering(seat=seat):
            return reject("order_due", "SM-94a", {"seat": seat})
        case Over(winner=winner):
            return reject("game_over", ABANDONED_RULE if winner is None else GOALS[state.options.goal].rule)


def _refusal_at_track(state: State, trying: Trying, seat: int) -> Rejection:
    if not state.options.same_mass_check or trying.same:
        return reject("attempt_due", "SM-32", {"seat": seat})
    if trying.same is None:
        return reject("check_due", "SM-46", {"seat": seat})
    return reject("mass_not_restored", "SM-46", {"seat": seat})


def _refusal_at_scale(state: State, weighing: Weighing) -> Rejection:
    unweighed = [sphere.seat for sphere in weighing.spheres if sphere.mass_g is None]
    pair = state.phase == "reveal"
    if unweighed:
        return reject("weighing_due", "SM-94a" if pair else "SM-55", {"seats": unweighed})
    rollers = list(standing(state, weighing.spheres).rollers)
    return reject("tie_roll_due", "SM-94a" if pair else "SM-51", {"seats": rollers})
