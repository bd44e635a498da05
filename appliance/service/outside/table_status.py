"""The table's status in a format that is the same for every game, for scoreboards and home automation."""

from __future__ import annotations

from typing import Literal

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Outcome
from appliance.snapshot import Snapshot
from hardware.readings import SENSES, Device

SensorState = Literal["ok", "starting", "absent", "faulty", "doubtful"]


class SeatStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One seat of the open game. `asked`: the game waits for this player."""

    seat: int
    name: str
    asked: bool


class GameStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The open game. `outcome` is null while it is played; while it is `paused` nobody is asked."""

    id: int
    name: str
    seats: tuple[SeatStatus, ...]
    outcome: Outcome | None
    paused: bool = False


class SensorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One sensor, and the codes of what is wrong with it."""

    state: SensorState
    codes: tuple[str, ...] = ()


class TableStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody may know of the table. `game` is null while no game is open.

    `sensors` has the state of each sensor; one that the table does not have is "absent".
    """

    format: Literal[1] = 1
    version: int
    game: GameStatus | None
    sensors: dict[str, SensorStatus]


def status_of(snapshot: Snapshot) -> TableStatus:
    """Return the table's status."""
    return TableStatus(
        version=snapshot.version,
        game=_game(snapshot),
        sensors={device: _sensor(snapshot, device) for device in SENSES},
    )


def _game(snapshot: Snapshot) -> GameStatus | None:
    if snapshot.game is None or snapshot.setup is None or snapshot.game_id is None:
        return None
    rules = the_game(snapshot.game).rules
    asked = {
        prompt.seat for prompt in rules.expects(snapshot.state, None) if not prompt.optional and not snapshot.paused
    }
    seats = tuple(
        SeatStatus(seat=seat, name=player.name, asked=seat in asked)
        for seat, player in enumerate(snapshot.setup.players)
    )
    return GameStatus(
        id=snapshot.game_id,
        name=snapshot.game,
        seats=seats,
        outcome=rules.outcome(snapshot.state),
        paused=snapshot.paused,
    )


def _sensor(snapshot: Snapshot, device: Device) -> SensorStatus:
    """Return a device's status as screens show it: it has codes only when there is a fault."""
    fault = next((one for one in snapshot.faults if one.device == device), None)
    health = snapshot.health.get(device)
    if fault is not None and fault.doubtful:
        return SensorStatus(state="doubtful", codes=fault.codes)
    state: SensorState = "absent" if health is None else health.status
    return SensorStatus(state=state, codes=() if fault is None else fault.codes)
