"""The end of the game: bonuses for chips, missions, and the winner by money (TR-51, TR-52, TR-62)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import COLOURS, Judge
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.map.edition import Mission
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Judging, Reason
from appliance.games.haulers.rules.state import Bonus, State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Choice, OneOf, Prompt, Rejection

FIRST_DOLLARS, SECOND_DOLLARS = 2000, 1000
MISSION_DOLLARS = 2000


def score(builder: StepBuilder, reason: Reason = "most_money") -> None:
    """End the game. Missions that only people can judge are judged first."""
    missions = builder.state.edition.missions
    held = ((seat, builder.player(seat).mission) for seat in builder.state.here())
    seats = tuple(seat for seat, mission in held if mission is not None and missions[mission].counts == "by_hand")
    if seats:
        builder.change(agenda=(Judging(reason=reason, seats=seats),))
    else:
        _pay_out(builder, reason, ())


def judge(builder: StepBuilder, action: Judge) -> Rejection | None:
    """Record the table's decision about a mission (TR-62)."""
    judging = builder.open(Judging)
    if judging is None or (judging.seats[0], judge_of(builder.state, judging)) != (action.target, action.seat):
        return reject("nothing_to_judge", "TR-62")
    builder.tell("mission_judged_done" if action.fulfilled else "mission_judged_missed", "TR-62", target=action.target)
    fulfilled = (*judging.fulfilled, action.target) if action.fulfilled else judging.fulfilled
    judge_on(builder, replace(judging, seats=judging.seats[1:], fulfilled=fulfilled))
    return None


def judge_of(state: State, judging: Judging) -> int:
    """Return the seat that answers for the table: the next one clockwise of the judged player."""
    return state.after(judging.seats[0])


def judge_on(builder: StepBuilder, judging: Judging) -> None:
    """Continue with the next mission, or end the game."""
    if judging.seats:
        builder.change(agenda=(judging,))
    else:
        _pay_out(builder, judging.reason, judging.fulfilled)


def _pay_out(builder: StepBuilder, reason: Reason, judged: tuple[int, ...]) -> None:
    """Pay the bonuses and end the game."""
    bonuses = [*_chip_bonuses(builder.state), *_mission_bonuses(builder.state, judged)]
    for bonus in bonuses:
        builder.earn(bonus.seat, bonus.dollars)
        code: HappeningCode = (
            "mission_paid" if bonus.for_what == "mission" else composed(HappeningCode, f"bonus_{bonus.for_what}")
        )
        rule = "TR-62" if bonus.for_what == "mission" else "TR-51" if bonus.place == 1 else "TR-51v"
        builder.tell(code, rule, seat=bonus.seat, dollars=bonus.dollars)
    builder.change(bonuses=tuple(bonuses))
    here = builder.state.here()
    most = max(builder.player(seat).cash for seat in here)
    winners = tuple(sorted(seat for seat in here if builder.player(seat).cash == most))
    builder.tell("game_won" if len(winners) == 1 else "game_shared", "TR-52", winners=list(winners), dollars=most)
    builder.end(winners, reason)


def _chip_bonuses(state: State) -> list[Bonus]:
    """Return the bonuses for chips: whole dollars, rounded down; none for a colour that nobody has (TR-51, TR-51v)."""
    bonuses = []
    for colour in COLOURS:
        counts = {seat: state.players[seat].chips.of(colour) for seat in state.here()}
        levels = sorted({count for count in counts.values() if count > 0}, reverse=True)
        prizes = (FIRST_DOLLARS, SECOND_DOLLARS) if state.options.second_place else (FIRST_DOLLARS,)
        for place, (level, prize) in enumerate(zip(levels, prizes, strict=False), start=1):
            sharing = sorted(seat for seat, count in counts.items() if count == level)
            bonuses += [Bonus(seat, colour, prize // len(sharing), place=1 if place == 1 else 2) for seat in sharing]
    return bonuses


def _mission_bonuses(state: State, judged: tuple[int, ...]) -> list[Bonus]:
    missions = {seat: state.players[seat].mission for seat in sorted(state.here())}
    return [
        Bonus(seat, "mission", MISSION_DOLLARS)
        for seat, mission in missions.items()
        if mission is not None and (seat in judged or fulfilled(state, seat, state.edition.missions[mission]))
    ]


def fulfilled(state: State, seat: int, mission: Mission) -> bool:
    """Return whether a player has reached the goal of their mission. Money counts before any bonus."""
    player = state.players[seat]
    if mission.counts == "by_hand" or mission.least is None:
        return False
    match mission.counts:
        case "money":
            have = player.cash
        case "stations":
            have = sum(station.owner == seat for station in state.stations.values())
        case "radars":
            have = player.radars
        case "visits":
            have = len(set(mission.cities) & set(player.served))
        case colour:
            have = player.chips.of(colour)
    return have >= mission.least


# -- the stage


def _judging(state: State, judging: Judging, viewer: int | None) -> Iterator[Prompt]:
    verdicts: dict[str, Choice] = {"target": OneOf(judging.seats[:1]), "fulfilled": OneOf((True, False))}
    yield prompt_of(situation(state, "judge"), judge_of(state, judging), "judge", verdicts)


JUDGING = HaulersStage(prompts=_judging)
