"""Moves of trucks and boats, square by square, past other players' weigh stations (TR-11 … TR-13, TR-41)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from appliance.games.haulers.rules.actions import CallIn, Drive, Go, Sail, Stop, WaveOn
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.map.board import paths
from appliance.games.haulers.rules.phases.hauling import transferable
from appliance.games.haulers.rules.phases.renting import have_pact
from appliance.games.haulers.rules.phases.turns import move_free
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Moving, Parley, Rolling, StationCall
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection


def drive(builder: StepBuilder, action: Drive) -> Rejection | None:
    """Start a move of the truck; with turbo the player chooses the number of dice (TR-11)."""
    if problem := move_free(builder, action.seat, "TR-11"):
        return problem
    if action.dice not in dice_of(builder.state, action.seat):
        return reject("wrong_number_of_dice", "TR-11", {"dice": action.dice})
    builder.alter_turn(moved=True)
    builder.push(Moving(seat=action.seat), Rolling(seat=action.seat, dice=action.dice, why="truck"))
    return None


def dice_of(state: State, seat: int) -> tuple[int, ...]:
    """Return the numbers of dice that a player may choose for their truck (TR-11, TR-44)."""
    return (3, 2) if state.players[seat].turbo else (2,)


def sail(builder: StepBuilder, action: Sail) -> Rejection | None:
    """Start a move of a boat (TR-12)."""
    if problem := move_free(builder, action.seat, "TR-12"):
        return problem
    if action.boat not in builder.state.steered_by(action.seat):
        return reject("no_boat", "TR-12")
    builder.alter_turn(moved=True)
    builder.push(Moving(seat=action.seat, boat=action.boat), Rolling(seat=action.seat, dice=1, why="boat"))
    return None


def reach(state: State, moving: Moving) -> dict[str, tuple[str, ...]]:
    """Return the squares that the vehicle can reach with the steps left, and the path to each (TR-13).

    Among equally short paths a truck takes the one with the fewest weigh stations that may check it.
    """
    here = square_of(state, moving)
    watched = frozenset() if moving.boat is not None else watched_squares(state, moving.seat)
    return paths(state.board.ways(state.vehicle(moving.boat)), here, moving.left or 0, watched)


def watched_squares(state: State, seat: int) -> frozenset[str]:
    """Return the weigh stations that may check the truck of `seat`: those of others without a pact (TR-41, TR-64)."""
    return frozenset(
        square
        for square, station in state.stations.items()
        if station.owner != seat and not have_pact(state, station.owner, seat)
    )


def square_of(state: State, moving: Moving) -> str:
    """Return the square of the moving vehicle."""
    if moving.boat is None:
        truck = state.players[moving.seat].truck
        assert truck is not None
        return truck
    boat = state.players[moving.boat].boat
    assert boat is not None
    return boat.at


def go(builder: StepBuilder, action: Go) -> Rejection | None:
    """Go to a square. A weigh station that may check a loaded truck stops it; it may continue afterwards (TR-41)."""
    moving = builder.open(Moving)
    if moving is None or moving.left is None or moving.seat != action.seat:
        return reject("not_moving", "TR-11")
    path = reach(builder.state, moving).get(action.to)
    if path is None:
        return reject("out_of_reach", "TR-13", {"place": action.to, "steps": moving.left})
    left = moving.left
    loaded = moving.boat is None and builder.player(action.seat).on_truck()
    watched = watched_squares(builder.state, action.seat) if loaded else frozenset()
    for square in path:
        left -= 1
        _enter(builder, moving, square)
        if square in watched:
            break
    builder.alter(left=left)
    boat = moving.boat is not None
    builder.tell("boat_moved" if boat else "truck_moved", "TR-13", seat=action.seat, place=square, left=left)
    if square in watched:
        builder.push(StationCall(builder.state.stations[square].owner, action.seat, square))
    return None


def _enter(builder: StepBuilder, moving: Moving, square: str) -> None:
    if moving.boat is None:
        builder.change_player(moving.seat, truck=square)
    else:
        boat = builder.player(moving.boat).boat
        assert boat is not None
        builder.change_player(moving.boat, boat=replace(boat, at=square))


def stop(builder: StepBuilder, action: Stop) -> Rejection | None:
    """Give up the remaining steps."""
    moving = builder.open(Moving)
    if moving is None or moving.seat != action.seat:
        return reject("not_moving", "TR-11")
    builder.pop()
    return None


def arrive(builder: StepBuilder, moving: Moving) -> bool:
    """End a move with no steps left, or with a rented boat that went back to its owner. Return whether it ended."""
    given_back = moving.boat is not None and moving.boat not in builder.state.steered_by(moving.seat)
    if moving.left is None or (moving.left > 0 and not given_back):
        return False
    builder.pop()
    return True


def call_in(builder: StepBuilder, action: CallIn) -> Rejection | None:
    """Check the truck in the weigh station (TR-41)."""
    call = builder.open(StationCall)
    if call is None or call.owner != action.seat:
        return reject("nobody_in_station", "TR-41")
    builder.pop()
    builder.push(Parley(checker=call.owner, carrier=call.carrier, station=call.at))
    builder.tell("truck_called_in", "TR-41", seat=call.owner, target=call.carrier)
    return None


def wave_on(builder: StepBuilder, action: WaveOn) -> Rejection | None:
    """Let the truck continue."""
    call = builder.open(StationCall)
    if call is None or call.owner != action.seat:
        return reject("nobody_in_station", "TR-41")
    builder.pop()
    builder.tell("truck_waved_on", "TR-41", seat=call.owner, target=call.carrier)
    return None


# -- the stages


def _on_the_way(state: State, moving: Moving, viewer: int | None) -> Iterator[Prompt]:
    name = situation(state, "move")
    if squares := tuple(reach(state, moving)):
        yield prompt_of(name, moving.seat, "go", {"to": OneOf(squares)})
    yield prompt_of(name, moving.seat, "stop")
    yield from transferable(state, name, moving.seat)


def _in_station(state: State, call: StationCall, viewer: int | None) -> Iterator[Prompt]:
    for do in ("call_in", "wave_on"):
        yield prompt_of(situation(state, "station"), call.owner, do)


MOVING = HaulersStage(prompts=_on_the_way, goes_on=arrive)
STATION_CALL = HaulersStage(prompts=_in_station)
