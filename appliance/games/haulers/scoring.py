"""The end: bonuses for chips, missions, and who has most money (TR-51, TR-52, TR-62)."""

from __future__ import annotations

from appliance.games.haulers.actions import COLOURS
from appliance.games.haulers.draft import Draft
from appliance.games.haulers.edition import Mission
from appliance.games.haulers.stages import Reason
from appliance.games.haulers.state import Bonus, State

FIRST_DOLLARS, SECOND_DOLLARS = 2000, 1000
MISSION_DOLLARS = 2000


def score(draft: Draft, reason: Reason = "most_money") -> None:
    """Pay the bonuses and end the game."""
    bonuses = [*_chip_bonuses(draft.state), *_mission_bonuses(draft.state)]
    for bonus in bonuses:
        draft.earn(bonus.seat, bonus.dollars)
        code = "mission_paid" if bonus.for_what == "mission" else f"bonus_{bonus.for_what}"
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


def _mission_bonuses(state: State) -> list[Bonus]:
    missions = {seat: state.players[seat].mission for seat in sorted(state.here())}
    return [
        Bonus(seat, "mission", MISSION_DOLLARS)
        for seat, mission in missions.items()
        if mission is not None and fulfilled(state, seat, state.edition.missions[mission])
    ]


def fulfilled(state: State, seat: int, mission: Mission) -> bool:
    """Say whether a player has done what his mission asks; money counts before any bonus."""
    player = state.players[seat]
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
