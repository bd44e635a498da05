"""Dice: start rolls, moves, roll-offs, and the extra effects of a 7 or doubles (TR-3, TR-11, TR-12, TR-60, TR-67)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from appliance.games.haulers.rules.actions import Roll
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Contest, Ordering, Rolling, TransitDrawing
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Choice, OneOf, Prompt, Rejection

THROTTLED_STEPS = 8
"""Most steps per turn after the limited sabotage (TR-61)."""
EXTRA_TOTALS = (7, 11)
"""Totals of three dice that count as doubles (TR-67)."""


def roll(builder: StepBuilder, action: Roll) -> Rejection | None:
    """Apply the dice that are due."""
    rolling = builder.open(Rolling)
    if rolling is None:
        return reject("no_roll_due", "TR-11")
    if rolling.seat != action.seat:
        return reject("not_your_roll", "TR-11", {"dice": rolling.dice})
    dice = action.dice
    if len(dice) != rolling.dice or not all(1 <= die <= 6 for die in dice):
        return reject("wrong_dice", "TR-11", {"dice": rolling.dice})
    builder.pop()
    total = sum(dice)
    if action.seat is None:
        builder.tell("police_rolled", "TR-60", dice=list(dice), total=total)
    elif len(dice) == 1:
        builder.tell("die_rolled", "TR-11", seat=action.seat, dice=list(dice), total=total)
    else:
        builder.tell("dice_rolled", "TR-11", seat=action.seat, dice=list(dice), total=total)
    _take(builder, rolling, total)
    if rolling.why not in ("start", "order") and action.seat is not None:
        _luck(builder, action.seat, dice)
    return None


def _take(builder: StepBuilder, rolling: Rolling, total: int) -> None:
    """Apply the total to the purpose of the roll."""
    state = builder.state
    match rolling.why:
        case "start":
            assert rolling.seat is not None
            city = state.board.numbers[str(total)]
            builder.change_player(rolling.seat, truck=city)
            builder.change(rolls={**state.rolls, rolling.seat: total})
            builder.tell("truck_placed", "TR-3", seat=rolling.seat, city=city)
        case "order":
            assert rolling.seat is not None
            builder.change(rolls={**state.rolls, rolling.seat: total})
        case "truck":
            assert rolling.seat is not None
            limit = THROTTLED_STEPS if builder.player(rolling.seat).throttled else total
            builder.alter(left=min(total, limit))
        case "boat":
            steps = 0 if total == 1 else 1 if total <= 4 else 2
            builder.alter(left=steps)
            builder.tell("boat_may_sail", "TR-12", seat=rolling.seat, steps=steps)
        case "checker" | "carrier":
            contest = builder.open(Contest)
            assert contest is not None
            guns = 0
            if rolling.why == "checker" and rolling.seat is not None and contest.boat is None:
                guns = builder.player(rolling.seat).radars
                if guns:
                    builder.tell("radar_added", "TR-33", seat=rolling.seat, guns=guns, total=total + guns)
            builder.alter(**{f"{rolling.why}_total": total + guns})


def _luck(builder: StepBuilder, seat: int, dice: tuple[int, ...]) -> None:
    """Draw a transit card for a 7 on the dice (TR-60); grant another turn for doubles in a last turn (TR-67)."""
    turn = builder.state.turn_stage()
    lucky = (len(dice) == 2 and dice[0] == dice[1]) or (len(dice) == 3 and sum(dice) in EXTRA_TOTALS)
    if builder.state.options.extra_turns and turn and turn.kind == "last" and turn.seat == seat and lucky:
        builder.alter_turn(again=True)
        builder.tell("doubles_rolled", "TR-67", seat=seat)
    if builder.state.options.transit and len(dice) > 1 and sum(dice) == 7:
        builder.push(TransitDrawing(seat))


def order(builder: StepBuilder, ordering: Ordering) -> None:
    """Find the first player. A tie for the highest total is rolled again, for the order only (TR-3)."""
    rolls = {seat: builder.state.rolls[seat] for seat in ordering.seats}
    highest = max(rolls.values())
    best = tuple(seat for seat, total in rolls.items() if total == highest)
    builder.pop()
    if len(best) > 1:
        builder.tell("start_tied", "TR-3", seats=list(best), total=highest)
        builder.push(Ordering(best), *(Rolling(seat=seat, dice=2, why="order") for seat in reversed(best)))
        return
    builder.change(first=best[0])
    builder.tell("first_player_found", "TR-3", seat=best[0])


# -- the stages

DIE = OneOf((1, 2, 3, 4, 5, 6))


def _rolling(state: State, rolling: Rolling, viewer: int | None) -> Iterator[Prompt]:
    chance: Literal["must", "may"] = "must" if state.options.dice == "electronic" or rolling.seat is None else "may"
    faces: dict[str, Choice] = {f"die_{number}": DIE for number in range(1, rolling.dice + 1)}
    yield prompt_of(situation(state, "roll"), rolling.seat, "roll", faces, chance=chance, by="table")


ROLLING = HaulersStage(prompts=_rolling)
ORDERING = HaulersStage(goes_on=order)
