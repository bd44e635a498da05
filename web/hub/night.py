"""A league night over several tables: everybody sees it, whoever runs the café or the chain runs it from here."""

from __future__ import annotations

from collections.abc import Sequence

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
from appliance.hub.chain.tables_now import TableNow, games_at, tables_now
from appliance.hub.people import nights
from appliance.hub.people.nights import HubNight
from web.errors import Refused
from web.game_pages import rules_of
from web.hub.context import HubWeb

GUESTS_MOST = 400


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("night", __name__, url_prefix="/night")

    def asked(number: int) -> HubNight:
        on = nights.night_of(web.database, number)
        if on is None:
            raise Refused(404, "not_found", back="/night")
        return on

    def run(number: int) -> HubNight:
        """Return a night that is on and that whoever asks runs."""
        on = asked(number)
        web.need_cafe(on.cafe)
        if on.ended_s is not None:
            raise Refused(409, "no_night", back="/night")
        return on

    def stand(on: HubNight, tables: Sequence[TableNow]) -> ChainNight:
        joined = {event.table for event in on.events if isinstance(event, TableJoined)}
        calls = [event.after for event in on.events if isinstance(event, Called)]
        games = games_at(web.database, on.kind, sorted(joined), min(calls, default=0)) if calls else ()
        least = rules_of(on.kind).seats[0]
        called = chain_night(on.events, games, size=on.size, least=least)
        own = {(table.table, table.game) for table in called.tables}
        # Nobody is called to a table that the hub does not hear: what they play would come late.
        occupied = {
            one.name
            for one in tables
            if one.state == "silent" or (one.state == "playing" and (one.name, one.number) not in own)
        }
        return chain_night(on.events, games, size=on.size, least=least, occupied=occupied) if occupied else called

    def tell(on: HubNight, *events: ChainEvent) -> ResponseReturnValue:
        """Note it, or nothing where another browser was faster: the page shows what holds."""
        nights.happened(web.database, on.night, events, len(on.events))
        return redirect(f"/night/{on.night}")

    @bp.get("")
    def page() -> ResponseReturnValue:
        on, account = nights.nights_on(web.database), web.account()
        if len(on) == 1 and (account is None or "begin" not in request.args):
            return redirect(f"/night/{on[0].night}")
        own = account is not None
        cafes = sorted({table.cafe for table in tables_now(web.database, web.now_s())}) if own else []
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
        if kind not in GAMES or not size.isdigit() or int(size) not in rules_of(kind).seats:
            raise Refused(422, "malformed_request", back="/night")
        number = nights.begin(web.database, cafe, kind, int(size), web.now_s())
        return redirect(f"/night/{number}")

    @bp.get("/<int:number>")
    def one(number: int) -> ResponseReturnValue:
        on, account = asked(number), web.account()
        tables = tables_now(web.database, web.now_s(), on.cafe or None)
        stands = stand(on, tables)
        joined = {table.table for table in stands.tables}
        return render_template(
            "hub/night.html",
            night=on,
            stands=stands,
            called={table.name: table for table in tables},
            others=[table for table in tables if table.name not in joined],
            runs=account is not None and account.runs(on.cafe) and on.ended_s is None,
        )

    @bp.post("/<int:number>/end")
    def end(number: int) -> ResponseReturnValue:
        nights.end(web.database, run(number).night, web.now_s())
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/come")
    def come(number: int) -> ResponseReturnValue:
        on, name = run(number), request.form.get("name", "").strip()
        if not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME}, back=f"/night/{number}")
        stands = stand(on, ())
        here = {name_key(one.name) for one in stands.standings if one.here}
        if name_key(name) in here:
            return redirect(f"/night/{number}")
        if len(stands.standings) >= GUESTS_MOST:
            raise Refused(409, "night_full", values={"most": GUESTS_MOST}, back=f"/night/{number}")
        return tell(on, Came(name))

    @bp.post("/<int:number>/go")
    def go(number: int) -> ResponseReturnValue:
        """Somebody leaves, or was called and did not come: then their call is off and the others are called anew."""
        on, name = run(number), request.form.get("name", "")
        went = Went(name, missing="missing" in request.form)
        waits = next(
            (
                table
                for table in stand(on, ()).tables
                if table.state == "called" and name_key(name) in set(map(name_key, table.guests))
            ),
            None,
        )
        return tell(on, went) if waits is None or waits.call is None else tell(on, went, CalledOff(waits.call))

    @bp.post("/<int:number>/table")
    def table(number: int) -> ResponseReturnValue:
        """A table joins, or leaves: then whoever was called there is called anew."""
        on, name = run(number), request.form.get("table", "")
        known = {table.name for table in tables_now(web.database, web.now_s(), on.cafe or None)}
        if "leave" in request.form:
            stands = (one for one in stand(on, ()).tables if one.table == name and one.state == "called")
            off = [CalledOff(one.call) for one in stands if one.call is not None]
            return tell(on, TableLeft(name), *off)
        if name not in known:
            raise Refused(404, "not_found", back=f"/night/{number}")
        return tell(on, TableJoined(name))

    @bp.post("/<int:number>/call")
    def call(number: int) -> ResponseReturnValue:
        """Call guests to every free table, or to the one that is named."""
        on, named = run(number), request.form.get("table")
        tables = tables_now(web.database, web.now_s(), on.cafe or None)
        if request.form.get("after", -1, type=int) != len(on.events):
            return redirect(f"/night/{number}")
        known = {table.name: table.newest for table in tables}
        pairings = [one for one in stand(on, tables).next if named in (None, one.table)]
        if not pairings:
            raise Refused(409, "too_few_here", back=f"/night/{number}")
        return tell(on, *(Called(one.table, one.guests, known.get(one.table, 0)) for one in pairings))

    @bp.post("/<int:number>/off")
    def off(number: int) -> ResponseReturnValue:
        """Take a call back: its guests wait again."""
        on, number_called = run(number), request.form.get("call", -1, type=int)
        waiting = {table.call for table in stand(on, ()).tables if table.state == "called"}
        return tell(on, CalledOff(number_called)) if number_called in waiting else redirect(f"/night/{number}")

    return bp
