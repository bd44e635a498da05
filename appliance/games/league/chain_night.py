"""A league night at several tables, of one café or many. Folded from what was told at the hub and from tables' games.

Guests are called to a free table. The first game that is opened there afterwards with two of them is the one they were
called to; who plays it counts, whoever was called. Nothing here asks a clock: a table whose clock is wrong, or that
sends its game hours later, changes no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Literal

import msgspec

from appliance.games.league.attendance import Attendance, Attendee
from appliance.games.league.night import Came, Went
from appliance.games.league.result import Result, name_key


class TableJoined(msgspec.Struct, frozen=True, tag="table_joined"):
    """A table is one of the night's."""

    table: str


class TableLeft(msgspec.Struct, frozen=True, tag="table_left"):
    """Nobody is called to a table any more. What is played there still counts."""

    table: str


class Called(msgspec.Struct, frozen=True, tag="called"):
    """These guests were called to a table, of which everything up to envelope `after` was known then."""

    table: str
    guests: tuple[str, ...]
    after: int


class CalledOff(msgspec.Struct, frozen=True, tag="called_off"):
    """The call that was event number `call` is off: somebody did not come, or the table cannot be played at."""

    call: int


ChainEvent = Came | Went | TableJoined | TableLeft | Called | CalledOff


class TableGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game at one of the tables, as the hub knows it. `opened_seq`: the number of the envelope that opened it."""

    table: str
    game: int
    opened_seq: int
    players: tuple[str | None, ...]
    is_open: bool
    result: Result | None

    @property
    def is_played(self) -> bool:
        """Whether it still goes on."""
        return self.is_open and self.result is None


class NightTable(msgspec.Struct, frozen=True, kw_only=True):
    """How one table of the night stands; `call` is the event by which `guests` were called, `game` what they play."""

    table: str
    state: Literal["free", "called", "playing", "occupied"]
    call: int | None = None
    guests: tuple[str, ...] = ()
    game: int | None = None


class Pairing(msgspec.Struct, frozen=True):
    """Who should be called to a free table next."""

    table: str
    guests: tuple[str, ...]


class ChainNight(msgspec.Struct, frozen=True, kw_only=True):
    """How a night stands: guests by place, who waits in the order of need, the tables, who is called where next."""

    standings: tuple[Attendee, ...]
    waiting: tuple[str, ...]
    tables: tuple[NightTable, ...]
    next: tuple[Pairing, ...]


def chain_night(
    events: Sequence[ChainEvent],
    games: Iterable[TableGame],
    *,
    size: int,
    least: int,
    occupied: Set[str] = frozenset(),
) -> ChainNight:
    """Return how the night stands after `events`: the same for the same events and games, byte for byte.

    :param games: those of the night's kind, in any order. A call that was put away unfinished was nobody's turn.
    :param size: how many play a game where enough are here; `least`: how many must.
    :param occupied: tables at which something else is played: nobody is called there.
    """
    off = {event.call for event in events if isinstance(event, CalledOff)}
    played = _games_of_calls(events, off, sorted(games, key=lambda game: (game.table, game.opened_seq)))
    attendance, tables, busy = Attendance(), dict[str, NightTable | None](), set[str]()
    last: dict[str, NightTable] = {}
    for number, event in enumerate(events):
        match event:
            case Came(guest=name):
                attendance.come(name, number)
            case Went(guest=name, missing=missing):
                attendance.go(name, missing)
            case TableJoined(table=table):
                tables.setdefault(table, None)
            case TableLeft(table=table):
                tables.pop(table, None)
            case Called() if number not in off:
                game = played.get(number)
                guests = event.guests if game is None else tuple(name for name in game.players if name)
                if game is None or game.is_played or game.result is not None:
                    attendance.play(guests, number, game.result if game else None)
                if game is None or game.is_played:
                    busy |= set(map(name_key, guests))
                    state: Literal["called", "playing"] = "called" if game is None else "playing"
                    last[event.table] = NightTable(
                        table=event.table, state=state, call=number, guests=guests, game=game.game if game else None
                    )
    stand = tuple(_stand(table, last.get(table), table in occupied) for table in tables)
    left = tuple(one for table, one in last.items() if table not in tables)
    return ChainNight(
        standings=attendance.standings(),
        waiting=attendance.waiting(busy),
        tables=stand + left,
        next=_pairings(attendance, [one.table for one in stand if one.state == "free"], busy, size, least),
    )


def _games_of_calls(events: Sequence[ChainEvent], off: Set[int], games: Sequence[TableGame]) -> dict[int, TableGame]:
    """Return the game of each call: the first that was opened at its table afterwards with two of those called."""
    found: dict[int, TableGame] = {}
    taken: set[tuple[str, int]] = set()
    for number, event in enumerate(events):
        if not isinstance(event, Called) or number in off:
            continue
        called = set(map(name_key, event.guests))
        for game in games:
            here = {name_key(name) for name in game.players if name}
            fits = game.table == event.table and game.opened_seq > event.after and len(here & called) >= 2
            if fits and (game.table, game.game) not in taken and (game.is_open or game.result is not None):
                taken.add((game.table, game.game))
                found[number] = game
                break
    return found


def _stand(table: str, call: NightTable | None, is_occupied: bool) -> NightTable:
    if call is not None:
        return call
    return NightTable(table=table, state="occupied" if is_occupied else "free")


def _pairings(
    attendance: Attendance, free: Sequence[str], busy: Set[str], size: int, least: int
) -> tuple[Pairing, ...]:
    """Spread those who wait evenly over as few free tables as seat them all, or over all free ones."""
    waiting, taken, found = len(attendance.waiting(busy)), set(busy), []
    rooms = min(len(free), -(-waiting // size))
    while rooms and waiting < rooms * least:
        rooms -= 1
    for number, table in enumerate(free[:rooms]):
        guests = attendance.choose(min(size, -(-waiting // (rooms - number))), least, taken)
        if not guests:
            break
        found.append(Pairing(table, guests))
        taken |= set(map(name_key, guests))
        waiting -= len(guests)
    return tuple(found)


def guests_in(event: ChainEvent) -> frozenset[str]:
    """Return the keys of the guests whom an event names."""
    match event:
        case Came(guest=name) | Went(guest=name):
            return frozenset({name_key(name)})
        case Called(guests=names):
            return frozenset(map(name_key, names))
    return frozenset()


def without_guest(event: ChainEvent, guest: str) -> ChainEvent:
    """Return the event as if the guest of this key had not been there; where nothing is left, nobody goes.

    A call that one other guest is left of is none: nobody plays alone.
    """
    if guest not in guests_in(event):
        return event
    if isinstance(event, Called):
        others = tuple(name for name in event.guests if name_key(name) != guest)
        if len(others) >= 2:
            return Called(event.table, others, event.after)
    return Went("")
