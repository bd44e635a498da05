"""A league night over several tables. Everybody sees it; accounts of the café or the chain control it here."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES, the_game
from appliance.hub.people import nights
from web.hub.context import HubWeb
from web.hub.night_desk import NightDesk, name_here


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("night", __name__, url_prefix="/night")
    desk = NightDesk(web)

    @bp.get("")
    def page() -> ResponseReturnValue:
        on, account = nights.nights_on(web.database), web.account()
        if len(on) == 1 and (account is None or "begin" not in request.args):
            return redirect(f"/night/{on[0].night}")
        cafes = sorted({table.cafe for table in web.tables()}) if account is not None else []
        return render_template(
            "hub/nights.html",
            nights=on,
            games={name: the_game(name).rules.seats for name in GAMES},
            cafes=[cafe for cafe in cafes if account is not None and account.runs(cafe) and cafe],
            is_chain=account is not None and account.role == "chain",
            runs=account is not None,
        )

    @bp.get("/<int:number>")
    def one(number: int) -> ResponseReturnValue:
        on, account = desk.asked(number), web.account()
        tables, kept = desk.tables(on), desk.kept_by_others(on)
        stands = desk.stand(on, tables, kept)
        joined = {table.table for table in stands.tables}
        return render_template(
            "hub/night.html",
            night=on,
            stands=stands,
            called={table.name: table for table in tables},
            kept=kept,
            here=name_here(stands, request.args.get("here", "")),
            others=[table for table in tables if table.name not in joined],
            runs=account is not None and account.runs(on.cafe) and on.ended_s is None,
        )

    @bp.post("/begin")
    def begin() -> ResponseReturnValue:
        cafe, kind, size = (request.form.get(key, "") for key in ("cafe", "game", "size"))
        begun = desk.begin(cafe, kind, size, request.form.get("ends", type=int))
        if isinstance(begun, int):
            return redirect(f"/night/{begun}")
        return render_template("hub/night_ends.html", on=begun, kind=kind, size=size), 409

    @bp.post("/<int:number>/end")
    def end(number: int) -> ResponseReturnValue:
        desk.end(number)
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/come")
    def come(number: int) -> ResponseReturnValue:
        here = desk.come(number, request.form.get("name", "").strip())
        return redirect(f"/night/{number}{'?' + urlencode({'here': here}) if here else ''}")

    @bp.post("/<int:number>/go")
    def go(number: int) -> ResponseReturnValue:
        desk.go(number, request.form.get("name", ""), missing="missing" in request.form)
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/table")
    def table(number: int) -> ResponseReturnValue:
        """Let a table join or leave."""
        (desk.leave if "leave" in request.form else desk.join)(number, request.form.get("table", ""))
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/call")
    def call(number: int) -> ResponseReturnValue:
        desk.call(number, request.form.get("after", -1, type=int), request.form.get("table"))
        return redirect(f"/night/{number}")

    @bp.post("/<int:number>/off")
    def off(number: int) -> ResponseReturnValue:
        desk.call_off(number, request.form.get("call", -1, type=int))
        return redirect(f"/night/{number}")

    return bp
