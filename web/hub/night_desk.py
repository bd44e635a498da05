"""What an account does at a league night of the hub: it begins and ends nights, enters guests, calls them to tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.catalogue import GAMES, the_game
from appliance.games.league.chain_night import (
    Called,
    CalledOff,
    ChainEvent,
    ChainNight,
    TableJoined,
    TableLeft,
    chain_night,
)
from appliance.games.league.night import Came, Went
from appliance.games.league.result import name_key
from appliance.hub.chain.night_calls import calls_at_the_end, games_of, kept_for
from appliance.hub.chain.tables_now import TableNow
from appliance.hub.envelopes import NUMBER_MOST
from appliance.hub.people import nights
from appliance.hub.people.nights import HubNight
from web.errors import Refused
from web.hub.context import HubWeb

GUESTS_MOST = 400


def name_here(stands: ChainNight, typed: str) -> str:
    """Return the spelling under which a guest takes part, however it was typed; "" if they do not, or have left."""
    return next((one.name for one in stands.standings if one.here and name_key(one.name) == name_key(typed)), "")


class NightDesk:
    """The league nights of one hub, for the account that sent the current request."""

    def __init__(self, web: HubWeb) -> None:
        self._web, self._database = web, web.database

    def asked(self, number: int) -> HubNight:
        """Return a night.

        :raises Refused: `not_found`.
        """
        on = nights.night_of(self._database, number) if number < NUMBER_MOST else None
        if on is None:
            raise Refused(404, "not_found", back="/night")
        return on

    def run(self, number: int) -> HubNight:
        """Return a night that is on and that the account runs.

        :raises Refused: `not_found`, `no_night`, or the account does not run it.
        """
        on = self.asked(number)
        self._web.need_cafe(on.cafe)
        if on.ended_s is not None:
            raise Refused(409, "no_night", back="/night")
        return on

    def tables(self, on: HubNight) -> tuple[TableNow, ...]:
        """Return the tables that can take part in a night."""
        return self._web.tables(on.cafe or None)

    def stand(self, on: HubNight, tables: Sequence[TableNow] = (), kept: frozenset[str] = frozenset()) -> ChainNight:
        """Return how a night stands.

        :param tables: no guests are called to those of them that are silent or at which others play.
        :param kept: nor to these (`kept_by_others`).
        """
        games = games_of(self._database, on)
        least = the_game(on.kind).rules.seats[0]
        called = chain_night(on.events, games, size=on.size, least=least)
        own = {(table.table, table.game) for table in called.tables}
        # No guests are called to a table that the hub has no contact with: their result would arrive late.
        occupied = kept | {
            one.name
            for one in tables
            if one.state == "silent" or (one.state == "playing" and (one.name, one.number) not in own)
        }
        return chain_night(on.events, games, size=on.size, least=least, occupied=occupied) if occupied else called

    def kept_by_others(self, on: HubNight) -> frozenset[str]:
        """Return the tables to which other running nights have called guests who have not begun to play."""
        return frozenset(kept_for(self._database, besides=on.night))

    def begin(self, cafe: str, kind: str, size: str, ends: int | None) -> int | HubNight:
        """Begin a night and return its number. If a night of the café is on besides `ends`, return that one instead.

        :param ends: the running night of the café that ends.
        :raises Refused: `malformed_request`, or the account does not run the café.
        """
        self._web.need_cafe(cafe)
        if kind not in GAMES or size not in map(str, the_game(kind).rules.seats):
            raise Refused(422, "malformed_request", back="/night")
        number = None
        while number is None:
            for on in nights.nights_on(self._database):
                if on.cafe == cafe:
                    if on.night != ends:
                        return on
                    self._tell(on.night, self._over)
            number = nights.begin(self._database, cafe, kind, int(size), self._web.now_s(), ends)
        return number

    def end(self, number: int) -> None:
        """End a night."""
        self._tell(number, self._over)
        nights.end(self._database, number, self._web.now_s())

    def come(self, number: int, name: str) -> str:
        """Enter a guest. Return "", or the name under which they are here already.

        :raises Refused: `not_a_name`, `night_full`.
        """
        on = self.run(number)
        if not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME}, back=f"/night/{number}")
        here = name_here(self.stand(on), name)

        def came(on: HubNight) -> Sequence[ChainEvent]:
            stands = self.stand(on)
            if name_here(stands, name):
                return ()
            if len(stands.standings) >= GUESTS_MOST:
                raise Refused(409, "night_full", values={"most": GUESTS_MOST}, back=f"/night/{number}")
            return (Came(name),)

        self._tell(number, came)
        return here

    def go(self, number: int, name: str, *, missing: bool) -> None:
        """Note that a guest leaves, or was called and did not come. An open call of theirs is cancelled as a whole."""
        went = Went(name, missing=missing)

        def gone(on: HubNight) -> Sequence[ChainEvent]:
            called = (one for one in self.stand(on).tables if one.state == "called" and one.call is not None)
            waits = next((one.call for one in called if name_key(name) in set(map(name_key, one.guests))), None)
            return (went,) if waits is None else (went, CalledOff(waits))

        self._tell(number, gone)

    def join(self, number: int, table: str) -> None:
        """Let a table take part.

        :raises Refused: `not_found`.
        """

        def joined(on: HubNight) -> Sequence[ChainEvent]:
            if table not in {one.name for one in self.tables(on)}:
                raise Refused(404, "not_found", back=f"/night/{number}")
            return (TableJoined(table),)

        self._tell(number, joined)

    def leave(self, number: int, table: str) -> None:
        """Let a table take part no more. An open call to it is cancelled."""

        def left(on: HubNight) -> Sequence[ChainEvent]:
            stands = (one for one in self.stand(on).tables if one.table == table and one.state == "called")
            return (TableLeft(table), *(CalledOff(one.call) for one in stands if one.call is not None))

        self._tell(number, left)

    def call(self, number: int, after: int, table: str | None) -> None:
        """Call guests to every free table, or to the named one.

        :param after: how many events the account saw. If there are more by now, somebody was faster: nobody is called.
        :raises Refused: `too_few_here`.
        """
        on = self.run(number)
        tables = self.tables(on)
        if after != len(on.events):
            return
        known = {one.name: one.newest for one in tables}
        pairings = [one for one in self.stand(on, tables, self.kept_by_others(on)).next if table in (None, one.table)]
        if not pairings:
            raise Refused(409, "too_few_here", back=f"/night/{number}")
        calls = [Called(one.table, one.guests, known.get(one.table, 0)) for one in pairings]
        nights.happened(self._database, number, calls, on.events)

    def call_off(self, number: int, call: int) -> None:
        """Cancel a call. Its guests wait again."""

        def taken_back(on: HubNight) -> Sequence[ChainEvent]:
            waiting = {table.call for table in self.stand(on).tables if table.state == "called"}
            return (CalledOff(call),) if call in waiting else ()

        self._tell(number, taken_back)

    def _tell(self, number: int, what: Callable[[HubNight], Sequence[ChainEvent]]) -> None:
        """Add the events that `what` returns. If the night has changed meanwhile, repeat for its new state."""
        on = self.run(number)
        while (events := what(on)) and not nights.happened(self._database, number, events, on.events):
            on = self.run(number)

    def _over(self, on: HubNight) -> Sequence[ChainEvent]:
        """Cancel the calls to which nobody played. A game of next week would be theirs else."""
        return calls_at_the_end(self._database, on, self._web.now_s())
