"""A league night over several tables. Everybody sees it; accounts of the café or the chain control it here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.catalogue import GAMES
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
from appliance.hub.chain.night_calls import calls_at_the_end, games_of
from appliance.hub.chain.tables_now import TableNow
from appliance.hub.people import nights
from appliance.hub.people.nights import HubNight
from web.errors import Refused
from web.game_pages import rules_of
from web.hub.context import HubWeb

GUESTS_MOST = 400
_NUMBER_MOST = 2**53


def name_here(stands: ChainNight, typed: str) -> str:
    """Return the spelling under which a guest takes part, however it was typed; "" if they do not, or have left."""
    return next((one.name for one in stands.standings if one.here and name_key(one.name) == name_key(typed)), "")


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("night", __name__, url_prefix="/night")

    def asked(number: int) -> HubNight:
        on = nights.night_of(web.database, number) if number <= _NUMBER_MOST else None
        if on is None:
            raise Refused(404, "not_found", back="/night")
        return on

    def run(number: int) -> HubNight:
        """Return a night, or refuse if it has ended or the sender's account does not run it."""
        on = asked(number)
        web.need_cafe(on.cafe)
        if on.ended_s is not None:
            raise Refused(409, "no_night", back="/night")
        return on

    def stand(on: HubNight, tables: Sequence[TableNow]) -> ChainNight:
        games = games_of(web.database, on)
        least = rules_of(on.kind).seats[0]
        called = chain_night(on.events, games, size=on.size, least=least)
        own = {(table.table, table.game) for table in called.tables}
        # No guests are called to a table that the hub has no contact with: their result would arrive late.
        occupied = {
            one.name
            for one in tables
            if one.state == "silent" or (one.state == "playing" and (one.name, one.number) not in own)
        }
        return chain_night(on.events, games, size=on.size, least=least, occupied=occupied) if occupied else called

    def tell(number: int, what: Callable[[HubNight], Sequence[ChainEvent]]) -> ResponseReturnValue:
        """Add the events that `what` returns. If the night has changed meanwhile, repeat for its new state."""
        on = run(number)
        while (events := what(on)) and not nights.happened(web.database, number, events, on.events):
            on = run(number)
        return redirect(f"/night/{number}")

    def over(on: HubNight) -> Sequence[ChainEvent]:
        """Cancel the calls to which nobody played. A game of next week would be theirs else."""
        return calls_at_the_end(web.database, on, web.now_s())

    @bp.get("")
    def page() -> ResponseReturnValue:
        on, account = nights.nights_on(web.database), web.account()
        if len(on) == 1 and (account is None or "begin" not in request.args):
            return redirect(f"/night/{on[0].night}")
        own = account is not None
        cafes = sorted({table.cafe for table in web.tables()}) if own else []
        return render_template(
            "hub/nights.html",
            nights=on,
            games={name: rules_of(name).seats for name in GAMES},
            cafes=[cafe for cafe in cafes if account is not None and account.runs(cafe) and cafe],
            is_chain=account is not None and account.role == "chain",
            runs=own,
        )

    @bp.post("/begin")
    def begin() -> ResponseReturnValue:
        cafe, kind, size = (request.form.get(key, "") for key in ("cafe", "game", "size"))
        web.need_cafe(cafe)
        if kind not in GAMES or size not in map(str, rules_of(kind).seats):
            raise Refused(422, "malformed_request", back="/night")
        for on in nights.nights_on(web.database):
            if on.cafe == cafe:
                tell(on.night, over)
        number = nights.begin(web.database, cafe, kind, int(size), web.now_s())
        return redirect(f"/night/{number}")

    @bp.get("/<int:number>")
    def one(number: int) -> ResponseReturnValue:
        on, account = asked(number), web.account()
        tables = web.tables(on.cafe or None)
        stands = stand(on, tables)
        joined = {table.table for table in stands.tables}
        return render_template(
            "hub/night.html",
            night=on,
            stands=stands,
            called={table.name: table for table in tables},
            here=name_here(stands, request.args.get("here", "")),
            others=[table for table in tables if table.name not in joined],
            runs=account is not None and account.runs(on.cafe) and on.ended_s is None,
        )

    @bp.post("/<int:number>/end")
    def end(number: int) -> ResponseReturnValue:
        tell(number, over)
        nights.end(web.database, number, web.now_s())
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/come")
    def come(number: int) -> ResponseReturnValue:
        name = request.form.get("name", "").strip()
        if not is_name(name):
            run(number)
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME}, back=f"/night/{number}")

        if name_here(stand(run(number), ()), name):
            return redirect(f"/night/{number}?{urlencode({'here': name})}")

        def came(on: HubNight) -> Sequence[ChainEvent]:
            stands = stand(on, ())
            if name_here(stands, name):
                return ()
            if len(stands.standings) >= GUESTS_MOST:
                raise Refused(409, "night_full", values={"most": GUESTS_MOST}, back=f"/night/{number}")
            return (Came(name),)

        return tell(number, came)

    @bp.post("/<int:number>/go")
    def go(number: int) -> ResponseReturnValue:
        """Note that a guest leaves, or was called and did not come. An open call of theirs is cancelled as a whole."""
        name = request.form.get("name", "")
        went = Went(name, missing="missing" in request.form)

        def gone(on: HubNight) -> Sequence[ChainEvent]:
            called = (one for one in stand(on, ()).tables if one.state == "called" and one.call is not None)
            waits = next((one.call for one in called if name_key(name) in set(map(name_key, one.guests))), None)
            return (went,) if waits is None else (went, CalledOff(waits))

        return tell(number, gone)

    @bp.post("/<int:number>/table")
    def table(number: int) -> ResponseReturnValue:
        """Let a table join or leave. When it leaves, an open call to it is cancelled."""
        name = request.form.get("table", "")

        def joined_or_left(on: HubNight) -> Sequence[ChainEvent]:
            if "leave" in request.form:
                stands = (one for one in stand(on, ()).tables if one.table == name and one.state == "called")
                return (TableLeft(name), *(CalledOff(one.call) for one in stands if one.call is not None))
            if name not in {table.name for table in web.tables(on.cafe or None)}:
                raise Refused(404, "not_found", back=f"/night/{number}")
            return (TableJoined(name),)

        return tell(number, joined_or_left)

    @bp.post("/<int:number>/call")
    def call(number: int) -> ResponseReturnValue:
        """Call guests to every free table, or to the named one. Do nothing if another browser was faster."""
        on, named = run(number), request.form.get("table")
        tables = web.tables(on.cafe or None)
        if request.form.get("after", -1, type=int) != len(on.events):
            return redirect(f"/night/{number}")
        known = {table.name: table.newest for table in tables}
        pairings = [one for one in stand(on, tables).next if named in (None, one.table)]
        if not pairings:
            raise Refused(409, "too_few_here", back=f"/night/{number}")
        calls = [Called(one.table, one.guests, known.get(one.table, 0)) for one in pairings]
        nights.happened(web.database, number, calls, on.events)
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/off")
    def off(number: int) -> ResponseReturnValue:
        """Cancel a call. Its guests wait again."""
        called = request.form.get("call", -1, type=int)

        def taken_back(on: HubNight) -> Sequence[ChainEvent]:
            waiting = {table.call for table in stand(on, ()).tables if table.state == "called"}
            return (CalledOff(called),) if called in waiting else ()

        return tell(number, taken_back)

    return bp
