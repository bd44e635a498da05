"""The skill test: the hole, the hourglass, and the track (RULES §1.4 … §1.6)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from appliance.games.protocol import Choice, Number, OneOf, Prompt, Rejection, Text
from appliance.games.smugglers.rules.actions import ATTEMPT_OUTCOMES, Attempt, Commit, Decline, Roll, TimeUp, Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.mass_ranking import LEAST_MASS_G, MOST_MASS_G, within
from appliance.games.smugglers.rules.phases.ranking import rank
from appliance.games.smugglers.rules.phases.seals import SEAL_PATTERN, commit
from appliance.games.smugglers.rules.prompts import DIE, prompt_of
from appliance.games.smugglers.rules.state import Rolling, Sculpting, State, Trying
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder

SEAL: dict[str, Choice] = {"seal": Text(SEAL_PATTERN)}
MASS: dict[str, Choice] = {"mass_g": Number(LEAST_MASS_G, MOST_MASS_G, unit="g")}
OUTCOME: dict[str, Choice] = {"outcome": OneOf(ATTEMPT_OUTCOMES)}
SHORTS_PER_ATTEMPT = 3
ATTEMPTS = 2


def roll(builder: StepBuilder, action: Roll) -> Rejection | None:
    """Apply the starting player's die (SM-17 … SM-20)."""
    state = builder.state
    if not 1 <= action.value <= 6:
        return reject("no_such_die_value", "SM-17", {"value": action.value})
    builder.tell("die_rolled", "SM-19" if state.blind else "SM-17", seat=action.seat, value=action.value)
    if action.value >= 5 and not state.blind:
        builder.change(phase="sculpt", stage=Sculpting(), blind=True)
        builder.tell("round_went_blind", "SM-18", seat=action.seat)
        return None
    lane = (state.boss_lane - 1 + action.value) % state.options.lanes + 1
    builder.change(boss_lane=lane, lane=lane)
    builder.tell("boss_moved", "SM-17", lane=lane)
    if state.blind:
        next_at_track(builder)
    else:
        builder.change(phase="sculpt", stage=Sculpting())
    return None


def hourglass_not_running(state: State, action: TimeUp) -> Rejection | None:
    """Return the rejection of `time_up` after the sculpting. Before it, the stage itself returns `roll_due`."""
    return None if isinstance(state.stage, Rolling | Sculpting) else reject("hourglass_not_running", "SM-27")


def time_up(builder: StepBuilder, action: TimeUp) -> Rejection | None:
    """End the sculpting (SM-27). In a blind round the second roll is due now (SM-19)."""
    builder.tell("hourglass_ran_out", "SM-27")
    if builder.state.blind:
        builder.change(phase="roll", stage=Rolling())
    else:
        next_at_track(builder)
    return None


def next_at_track(builder: StepBuilder) -> None:
    """Call the next player clockwise to the track (SM-32), or rank when everybody has rolled."""
    waiting = builder.state.in_room("screen")
    if not waiting:
        rank(builder)
        return
    builder.change_player(waiting[0], room="track")
    builder.change(phase="test", stage=Trying(seat=waiting[0]))


def check_mass(builder: StepBuilder, action: Weigh) -> Rejection | None:
    """Apply the weight before an attempt. The second must equal the first within the tolerance (SM-46)."""
    trying = builder.state.at(Trying)
    if not awaits_check(builder.state, trying):
        return _track_due(builder.state)
    if trying.before_g is None:
        builder.change(stage=replace(trying, before_g=action.mass_g, weighings=1, same=True))
        builder.tell("sphere_weighed", "SM-46", seat=action.seat)
        return None
    same = within(trying.before_g, action.mass_g, builder.state.options.same_mass_tolerance_g)
    builder.change(stage=replace(trying, weighings=trying.weighings + 1, same=same))
    builder.tell("mass_unchanged" if same else "mass_changed", "SM-46", seat=action.seat)
    return None


def awaits_check(state: State, trying: Trying) -> bool:
    """Return whether a weight is due before the attempt may be made."""
    return state.options.same_mass_check and not trying.same


def attempt(builder: StepBuilder, action: Attempt) -> Rejection | None:
    """Apply the outcome of one roll down the track."""
    trying = builder.state.at(Trying)
    if awaits_check(builder.state, trying):
        return _track_due(builder.state)
    match action.outcome:
        case "passed":
            builder.tell("sphere_passed", "SM-33", seat=action.seat)
            builder.change_player(action.seat, room="bar")
            next_at_track(builder)
        case "stuck":
            builder.tell("sphere_stuck", "SM-34", seat=action.seat)
            _fail(builder, trying)
        case "touched":
            builder.tell("sphere_touched", "SM-42", seat=action.seat)
            _fail(builder, trying)
        case "disturbed":
            # An annulled roll does not count and does not interrupt a series of short rolls.
            builder.tell("sphere_disturbed", "SM-42", seat=action.seat)
            _again(builder, trying)
        case "short" if trying.shorts + 1 < SHORTS_PER_ATTEMPT:
            builder.tell("sphere_short", "SM-40", seat=action.seat, count=trying.shorts + 1)
            _again(builder, trying, shorts=trying.shorts + 1)
        case "short":
            builder.tell("sphere_short_thrice", "SM-40", seat=action.seat)
            _fail(builder, trying)
        case "astray" if not trying.strayed:
            builder.tell("sphere_astray", "SM-41", seat=action.seat)
            _again(builder, trying, shorts=0, strayed=True)
        case "astray":
            builder.tell("sphere_astray_again", "SM-41", seat=action.seat)
            _fail(builder, trying)
    return None


def decline(builder: StepBuilder, action: Decline) -> Rejection | None:
    """Make no further attempt: the sphere has failed (SM-36, SM-47)."""
    rule = "SM-36" if builder.state.players[action.seat].attempts else "SM-47"
    builder.tell("attempt_declined", rule, seat=action.seat)
    _to_junk(builder, action.seat)
    return None


def _again(builder: StepBuilder, trying: Trying, **changes: Any) -> None:
    """Let the same attempt be rolled again for free, without a new weight."""
    builder.change(stage=replace(trying, rolls=trying.rolls + 1, **changes))


def _fail(builder: StepBuilder, trying: Trying) -> None:
    """Count a failed attempt. Then a second attempt follows at once (SM-34, SM-36), or the junk room (SM-35)."""
    failed = builder.state.players[trying.seat].attempts + 1
    builder.change_player(trying.seat, attempts=failed)
    if failed == ATTEMPTS:
        _to_junk(builder, trying.seat)
    else:
        builder.change(stage=Trying(seat=trying.seat, strayed=trying.strayed, before_g=trying.before_g))


def _to_junk(builder: StepBuilder, seat: int) -> None:
    builder.change_player(seat, room="junk")
    builder.tell("sphere_junked", "SM-35", seat=seat)
    next_at_track(builder)


# -- the stages


def _die_due(state: State) -> Rejection:
    return reject("roll_due", "SM-19" if state.blind else "SM-17", {"seat": state.start})


def _rolling(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    which = "second_roll" if state.blind else "roll"
    return (prompt_of(state, which, state.start, "roll", DIE, chance="may", by="table"),)


def _sculpting(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return (
        Prompt(prompt=f"r{state.round}.time_up", seat=None, do="time_up", by="table"),
        *(prompt_of(state, "commit", seat, "commit", SEAL, optional=True) for seat in state.here()),
    )


def _track_due(state: State) -> Rejection:
    trying = state.at(Trying)
    if not state.options.same_mass_check or trying.same:
        return reject("attempt_due", "SM-32", {"seat": trying.seat})
    if trying.same is None:
        return reject("check_due", "SM-46", {"seat": trying.seat})
    return reject("mass_not_restored", "SM-46", {"seat": trying.seat})


def _at_track(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    trying = state.at(Trying)
    seat, number = trying.seat, state.players[trying.seat].attempts + 1
    if awaits_check(state, trying):
        again = f".again{trying.weighings}" if trying.weighings else ""
        answer = prompt_of(state, f"check{number}", seat, "weigh", MASS, more=again, by="table")
    else:
        again = f".again{trying.rolls}" if trying.rolls else ""
        answer = prompt_of(state, f"attempt{number}", seat, "attempt", OUTCOME, more=again, by="table")
    return (answer, Prompt(prompt=answer.prompt, seat=seat, do="decline"))


def _left_at_track(builder: StepBuilder, seat: int) -> None:
    if seat == builder.state.at(Trying).seat:
        next_at_track(builder)


ROLLING = SmugglersStage(asked=lambda state: (state.start,), due=_die_due, prompts=_rolling, does={Roll: roll})
SCULPTING = SmugglersStage(
    due=lambda state: reject("hourglass_running", "SM-19" if state.blind else "SM-22"),
    prompts=_sculpting,
    does={TimeUp: time_up, Commit: commit},
)
TRYING = SmugglersStage(
    asked=lambda state: (state.at(Trying).seat,),
    due=_track_due,
    prompts=_at_track,
    does={Weigh: check_mass, Attempt: attempt, Decline: decline},
    left=_left_at_track,
)
