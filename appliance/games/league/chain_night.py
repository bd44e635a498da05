"""A league night at several tables, of one or more cafés. Folded from events entered at the hub and the tables' games.

Guests are called to a free table. Their game is the first that is opened there after the call with at least two of
them. The guests who play it get the turn, even if others were called. No clock is used, so a table with a wrong clock,
or one that sends its game hours later, does not change the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Literal

import msgspec

from appliance.games.league.attendance import Attendance, Attendee
from appliance.games.league.night import Came, Went
from appliance.games.league.result import Result, name_key


class TableJoined(msgspec.Struct, frozen=True, tag="table_joined"):
    """A table takes part in the night."""

    table: str


class TableLeft(msgspec.Struct, frozen=True, tag="table_left"):
    """Guests are no longer called to this table. Games that are played there still count."""

    table: str


class Called(msgspec.Struct, frozen=True, tag="called"):
    """These guests were called to a table. `after` is the last envelope of that table that the hub knew then."""

    table: str
    guests: tuple[str, ...]
    after: int


class CalledOff(msgspec.Struct, frozen=True, tag="called_off"):
    """Event number `call`, a call, is cancelled: somebody did not come, or the table cannot be used."""

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
        """Whether the game is still being played."""
        return self.is_open and self.result is None


class NightTable(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one table. `call` is the number of the event that called `guests`; `game` is the game they play."""

    table: str
    state: Literal["free", "called", "playing", "occupied"]
    call: int | None = None
    guests: tuple[str, ...] = ()
    game: int | None = None


class Pairing(msgspec.Struct, frozen=True):
    """The guests who should be called to a free table next."""

    table: str
    guests: tuple[str, ...]


class ChainNight(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a night: guests by place, waiting guests (most due first), tables, and the next calls."""

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
    """Return the state of the night after `events`. Equal events and games give the same result, byte for byte.

    :param games: the games of the night's kind, in any order. A game that was put away unfinished counts as no turn.
    :param size: players of a game when enough are present; `least`: the minimum.
    :param occupied: tables at which another game is played. Nobody is called there.
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
    """Return the game of each call: the first opened at its table after it with at least two of the called guests."""
    found: dict[int, TableGame] = {}
    taken: set[tuple[str, int]] = set()
    at: dict[str, list[tuple[TableGame, frozenset[str]]]] = {}
    for game in games:
        if game.is_open or game.result is not None:
            at.setdefault(game.table, []).append((game, frozenset(name_key(name) for name in game.players if name)))
    for number, event in enumerate(events):
        if not isinstance(event, Called) or number in off:
            continue
        called = set(map(name_key, event.guests))
        for game, here in at.get(event.table, ()):
            fits = game.opened_seq > event.after and len(here & called) >= 2
            if fits and (game.table, game.game) not in taken:
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
    """Spread the waiting guests evenly over the fewest free tables that seat them all, or over all free tables."""
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
    """Return the keys of the guests that an event names."""
    match event:
        case Came(guest=name) | Went(guest=name):
            return frozenset({name_key(name)})
        case Called(guests=names):
            return frozenset(map(name_key, names))
    return frozenset()


def without_guest(event: ChainEvent, guest: str) -> ChainEvent:
    """Return the event without the guest of this key. If nothing is left, return a `Went` with an empty name.

    A call needs at least two other guests to be kept.
    """
    if guest not in guests_in(event):
        return event
    if isinstance(event, Called):
        others = tuple(name for name in event.guests if name_key(name) != guest)
        if len(others) >= 2:
            return Called(event.table, others, event.after)
    return Went("")
