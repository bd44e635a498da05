"""Chooses where a robot's truck or boat should go, from its player's view and shortest paths on the map."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.haulers.rules.actions import Vehicle
from appliance.games.haulers.rules.map.board import Board, paths
from appliance.games.haulers.rules.view import CardView, LoadView, PlayerView, SeatView

FAR = 999
"""A number of steps above any path on a map."""
STEPS_A_TURN, SPACES_A_TURN = 7.0, 1.2
"""Average steps of two dice, and average spaces of a boat's die (TR-11, TR-12)."""
OVERSEAS_STEPS = 12
"""Steps that an overseas delivery counts as. It is high because two vehicles must meet."""


def distances(ways: Mapping[str, tuple[str, ...]], here: str) -> dict[str, int]:
    """Return the number of steps from `here` to every reachable square, including `here` itself."""
    return {square: len(path) for square, path in paths(ways, here, FAR).items()} | {here: 0}


def square_of(player: PlayerView, vehicle: Vehicle) -> str | None:
    """Return the square of a player's truck or boat; None if they have none."""
    if vehicle == "truck":
        return player.truck
    return None if player.boat is None else player.boat.at


def trip(board: Board, card: CardView) -> int:
    """Return the number of steps of a delivery, `OVERSEAS_STEPS` for an overseas one."""
    if card.overseas:
        return OVERSEAS_STEPS
    return len(paths(board.roads, card.top, FAR).get(card.bottom, ()))


def goal(view: SeatView, seat: int, vehicle: Vehicle) -> str | None:
    """Return where a vehicle should go next: the city of its best load or card; None if it is there or has no goal."""
    me, board = view.players[seat], view.board
    here = square_of(me, vehicle)
    if here is None:
        return None
    far = distances(board.ways(vehicle), here)
    wishes: list[tuple[float, str]] = []
    boat_is_full = any(load.boat is not None for load in me.loads)
    for load in me.loads:
        if vehicle == "boat" and boat_is_full and load.boat is None:
            continue
        place = _next_place(board, me, load, vehicle)
        if place is not None and place in far:
            wishes.append((load.pays / (3 + far[place]), place))
    on_truck = sum(load.boat is None for load in me.loads)
    if not me.loads or (vehicle == "truck" and on_truck < 1 + me.double):
        wishes += _fetching(view, me, vehicle, far)
    if vehicle == "boat" and not wishes and any(load.overseas for load in me.loads):
        wishes = [(1.0 / (1 + far[port]), port) for port in board.ports if port in far]
    if not wishes:
        return None
    best = max(wishes)[1]
    return None if best == here else best


def _fetching(view: SeatView, me: PlayerView, vehicle: Vehicle, far: Mapping[str, int]) -> list[tuple[float, str]]:
    """Return the value of each card in hand that a vehicle with room can fetch, with its top city."""
    board = view.board
    return [
        (0.8 * card.pays / (3 + far[card.top] + trip(board, card)), card.top)
        for card in view.you.hand
        if not (card.overseas and me.boat is None)
        and (card.top in board.overseas) == (vehicle == "boat")
        and card.top in far
    ]


def _next_place(board: Board, me: PlayerView, load: LoadView, vehicle: Vehicle) -> str | None:
    """Return where a vehicle has to go for a load: its bottom city, or the port of its transfer."""
    ends_overseas = load.bottom in board.overseas
    on_boat = load.boat is not None
    if on_boat == (vehicle == "boat") and ends_overseas == on_boat:
        return load.bottom
    if not load.overseas or ends_overseas == on_boat:
        return None
    return _meeting_port(board, me)


def _meeting_port(board: Board, me: PlayerView) -> str | None:
    """Return the port where truck and boat can meet soonest."""
    if me.boat is None or me.truck is None:
        return None
    by_road, by_sea = distances(board.roads, me.truck), distances(board.sea, me.boat.at)
    meet = {
        port: by_road[port] / STEPS_A_TURN + by_sea[port] / SPACES_A_TURN
        for port in board.ports
        if port in by_road and port in by_sea
    }
    return min(meet, key=meet.__getitem__) if meet else None
