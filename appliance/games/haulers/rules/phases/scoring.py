"""The end: bonuses for chips, missions, and who has most money (TR-51, TR-52, TR-62)."""

from __future__ import annotations

from msgspec.structs import replace

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import COLOURS, Judge
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.map.edition import Mission
from appliance.games.haulers.rules.stages import Judging, Reason
from appliance.games.haulers.rules.state import Bonus, State
from appliance.games.haulers.rules.step_builder import Draft
from appliance.games.protocol import Rejection

FIRST_DOLLARS, SECOND_DOLLARS = 2000, 1000
MISSION_DOLLARS = 2000


def score(draft: Draft, reason: Reason = "most_money") -> None:
    """End the game; missions that only people can judge are judged first."""
    missions = draft.state.edition.missions
    held = ((seat, draft.player(seat).mission) for seat in draft.state.here())
    seats = tuple(seat for seat, mission in held if mission is not None and missions[mission].counts == "by_hand")
    if seats:
        draft.change(agenda=(Judging(reason=reason, seats=seats),))
    else:
        _pay_out(draft, reason, ())


def judge(draft: Draft, action: Judge) -> Rejection | None:
    """Take what the table says of a mission (TR-62)."""
    judging = draft.open(Judging)
    if judging is None or (judging.seats[0], judge_of(draft.state, judging)) != (action.target, action.seat):
        return reject("nothing_to_judge", "TR-62")
    draft.tell("mission_judged_done" if action.fulfilled else "mission_judged_missed", "TR-62", target=action.target)
    fulfilled = (*judging.fulfilled, action.target) if action.fulfilled else judging.fulfilled
    judge_on(draft, replace(judging, seats=judging.seats[1:], fulfilled=fulfilled))
    return None


def judge_of(state: State, judging: Judging) -> int:
    """Return who speaks for the table: the next player clockwise."""
    return state.after(judging.seats[0])


def judge_on(draft: Draft, judging: Judging) -> None:
    """Go on to the next mission, or to the end."""
    if judging.seats:
        draft.change(agenda=(judging,))
    else:
        _pay_out(draft, judging.reason, judging.fulfilled)


def _pay_out(draft: Draft, reason: Reason, judged: tuple[int, ...]) -> None:
    """Pay the bonuses and end the game."""
    bonuses = [*_chip_bonuses(draft.state), *_mission_bonuses(draft.state, judged)]
    for bonus in bonuses:
        draft.earn(bonus.seat, bonus.dollars)
        code: HappeningCode = (
            "mission_paid" if bonus.for_what == "mission" else composed(HappeningCode, f"bonus_{bonus.for_what}")
        )
        rule = "TR-62" if bonus.for_what == "mission" else "TR-51" if bonus.place == 1 else "TR-51v"
        draft.tell(code, rule, seat=bonus.seat, dollars=bonus.dollars)
    draft.change(bonuses=tuple(bonuses))
    here = draft.state.here()
    most = max(draft.player(seat).cash for seat in here)
    winners = tuple(sorted(seat for seat in here if draft.player(seat).cash == most))
    draft.tell("game_won" if len(winners) == 1 else "game_shared", "TR-52", winners=list(winners), dollars=most)
    draft.end(winners, reason)


def _chip_bonuses(state: State) -> list[Bonus]:
    """Whole dollars, rounded down; nobody has any of a colour: not paid (TR-51, TR-51v)."""
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
    """Say whether a player has done what their mission counts; money counts before any bonus."""
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
