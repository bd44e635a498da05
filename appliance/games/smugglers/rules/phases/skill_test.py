"""The skill test: the hole, the hourglass, and the track (RULES §1.4 … §1.6)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Attempt, Decline, Roll, TimeUp, Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.mass_ranking import within
from appliance.games.smugglers.rules.phases.ranking import rank
from appliance.games.smugglers.rules.refusals import due
from appliance.games.smugglers.rules.state import Rolling, Sculpting, State, Trying
from appliance.games.smugglers.rules.step_builder import Draft

SHORTS_PER_ATTEMPT = 3
ATTEMPTS = 2


def roll(draft: Draft, action: Roll) -> Rejection | None:
    """Take the starting player's die (SM-17 … SM-20)."""
    state = draft.state
    if not isinstance(state.stage, Rolling) or action.seat != state.start:
        return due(state)
    if not 1 <= action.value <= 6:
        return reject("no_such_die_value", "SM-17", {"value": action.value})
    draft.tell("die_rolled", "SM-19" if state.blind else "SM-17", seat=action.seat, value=action.value)
    if action.value >= 5 and not state.blind:
        draft.change(phase="sculpt", stage=Sculpting(), blind=True)
        draft.tell("round_went_blind", "SM-18", seat=action.seat)
        return None
    lane = (state.boss_lane - 1 + action.value) % state.options.lanes + 1
    draft.change(boss_lane=lane, lane=lane)
    draft.tell("boss_moved", "SM-17", lane=lane)
    if state.blind:
        next_at_track(draft)
    else:
        draft.change(phase="sculpt", stage=Sculpting())
    return None


def time_up(draft: Draft, action: TimeUp) -> Rejection | None:
    """End the sculpting (SM-27); a blind round now gets its second roll (SM-19)."""
    if not isinstance(draft.state.stage, Sculpting):
        return due(draft.state) if draft.state.phase == "roll" else reject("hourglass_not_running", "SM-27")
    draft.tell("hourglass_ran_out", "SM-27")
    if draft.state.blind:
        draft.change(phase="roll", stage=Rolling())
    else:
        next_at_track(draft)
    return None


def next_at_track(draft: Draft) -> None:
    """Call the next player clockwise to the track (SM-32), or rank when everybody has rolled."""
    waiting = draft.state.in_room("screen")
    if not waiting:
        rank(draft)
        return
    draft.change_player(waiting[0], room="track")
    draft.change(phase="test", stage=Trying(seat=waiting[0]))


def check_mass(draft: Draft, action: Weigh) -> Rejection | None:
    """Take the weight before an attempt: the second must equal the first within the tolerance (SM-46)."""
    trying = draft.state.stage
    if not isinstance(trying, Trying) or action.seat != trying.seat or not awaits_check(draft.state, trying):
        return due(draft.state)
    if trying.before_g is None:
        draft.change(stage=replace(trying, before_g=action.mass_g, weighings=1, same=True))
        draft.tell("sphere_weighed", "SM-46", seat=action.seat)
        return None
    same = within(trying.before_g, action.mass_g, draft.state.options.same_mass_tolerance_g)
    draft.change(stage=replace(trying, weighings=trying.weighings + 1, same=same))
    draft.tell("mass_unchanged" if same else "mass_changed", "SM-46", seat=action.seat)
    return None


def awaits_check(state: State, trying: Trying) -> bool:
    """Return whether a weight is due before the attempt may be made."""
    return state.options.same_mass_check and not trying.same


def attempt(draft: Draft, action: Attempt) -> Rejection | None:
    """Take the outcome of one roll down the track."""
    trying = draft.state.stage
    if not isinstance(trying, Trying) or action.seat != trying.seat or awaits_check(draft.state, trying):
        return due(draft.state)
    match action.outcome:
        case "passed":
            draft.tell("sphere_passed", "SM-33", seat=action.seat)
            draft.change_player(action.seat, room="bar")
            next_at_track(draft)
        case "stuck":
            draft.tell("sphere_stuck", "SM-34", seat=action.seat)
            _fail(draft, trying)
        case "touched":
            draft.tell("sphere_touched", "SM-42", seat=action.seat)
            _fail(draft, trying)
        case "disturbed":
            # An annulled roll neither counts nor breaks a row of short ones.
            draft.tell("sphere_disturbed", "SM-42", seat=action.seat)
            _again(draft, trying)
        case "short" if trying.shorts + 1 < SHORTS_PER_ATTEMPT:
            draft.tell("sphere_short", "SM-40", seat=action.seat, count=trying.shorts + 1)
            _again(draft, trying, shorts=trying.shorts + 1)
        case "short":
            draft.tell("sphere_short_thrice", "SM-40", seat=action.seat)
            _fail(draft, trying)
        case "astray" if not trying.strayed:
            draft.tell("sphere_astray", "SM-41", seat=action.seat)
            _again(draft, trying, shorts=0, strayed=True)
        case "astray":
            draft.tell("sphere_astray_again", "SM-41", seat=action.seat)
            _fail(draft, trying)
    return None


def decline(draft: Draft, action: Decline) -> Rejection | None:
    """Make no further attempt: the sphere has failed (SM-36, SM-47)."""
    trying = draft.state.stage
    if not isinstance(trying, Trying) or action.seat != trying.seat:
        return due(draft.state)
    rule = "SM-36" if draft.state.players[action.seat].attempts else "SM-47"
    draft.tell("attempt_declined", rule, seat=action.seat)
    _to_junk(draft, action.seat)
    return None


def _again(draft: Draft, trying: Trying, **changes: Any) -> None:
    """Let the same attempt be rolled again for free; no new weight is asked for."""
    draft.change(stage=replace(trying, rolls=trying.rolls + 1, **changes))


def _fail(draft: Draft, trying: Trying) -> None:
    """Count a failed attempt: a second one follows at once (SM-34, SM-36), or the junk room (SM-35)."""
    failed = draft.state.players[trying.seat].attempts + 1
    draft.change_player(trying.seat, attempts=failed)
    if failed == ATTEMPTS:
        _to_junk(draft, trying.seat)
    else:
        draft.change(stage=Trying(seat=trying.seat, strayed=trying.strayed, before_g=trying.before_g))


def _to_junk(draft: Draft, seat: int) -> None:
    draft.change_player(seat, room="junk")
    draft.tell("sphere_junked", "SM-35", seat=seat)
    next_at_track(draft)
