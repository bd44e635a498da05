"""The overview of the chain or of a café: which tables play, rest or have problems, and the evening's figures."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.hub.chain.evening import HOURS, PARTS_AN_HOUR, evening_of
from appliance.hub.chain.table_marks import place_table, retire_table, see_table
from web.errors import Refused
from web.hub.context import HubWeb

_PLOT_HEIGHT = 100


def bars(values: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the bars of a plot as (index from 0, top, height). The plot is 100 units high, as is the highest bar."""
    most = max(*values, 1)
    heights = [round(_PLOT_HEIGHT * value / most) for value in values]
    return [(place, _PLOT_HEIGHT - height, height) for place, height in enumerate(heights)]


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("at_a_glance", __name__)

    @bp.get("/")
    def page() -> ResponseReturnValue:
        account = web.account()
        if account is None:
            return redirect("/login" if not web.accounts.any() else "/league")
        cafe = None if account.role == "chain" else account.cafe
        tables = web.tables(cafe)
        evening = evening_of(web.database, web.now_s(), cafe)
        ill = [table for table in tables if table.problems]
        return render_template(
            "hub/glance.html",
            cafe=cafe,
            tables=tables,
            ill=sorted(ill, key=lambda table: (table.state != "silent", table.cafe, table.called)),
            counts={state: sum(table.state == state for table in tables) for state in ("playing", "resting", "silent")},
            cafes=sorted({table.cafe for table in tables}),
            evening=evening,
            clocks=sum(any(problem.code == "clock" for problem in table.problems) for table in tables),
            bars=bars(evening.at_once),
            hours=HOURS,
            parts=PARTS_AN_HOUR,
        )

    @bp.get("/tables")
    def tables() -> ResponseReturnValue:
        web.need_chain()
        return render_template("hub/tables.html", tables=web.tables(), saved=request.args.get("saved"))

    @bp.post("/tables")
    def place() -> ResponseReturnValue:
        web.need_chain()
        label, cafe = _changed("label"), _changed("cafe")
        if any(text and not is_name(text) for text in (label, cafe)):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME}, back="/tables")
        table = request.form.get("table", "")
        if not place_table(web.database, table, label, cafe):
            raise Refused(404, "not_found", back="/tables")
        return redirect(f"/tables?saved={quote(table, safe='')}{_place_of(table)}")

    @bp.post("/tables/retire")
    def retire() -> ResponseReturnValue:
        web.need_chain()
        table = request.form.get("table", "")
        before = [one.name for one in web.tables()]
        if not retire_table(web.database, table):
            raise Refused(404, "not_found", back="/tables")
        return redirect(f"/tables{_place_of(_beside(table, before))}")

    @bp.post("/tables/seen")
    def seen() -> ResponseReturnValue:
        web.need_chain()
        table = request.form.get("table", "")
        if not see_table(web.database, table):
            raise Refused(404, "not_found", back="/tables")
        return redirect(f"/tables{_place_of(table)}")

    return bp


def _changed(field: str) -> str | None:
    """Return what was typed into a field; None if it is what the page showed: another browser may have changed it."""
    typed = request.form.get(field, "").strip()
    return None if typed == request.form.get(f"was_{field}") else typed


def _place_of(table: str | None) -> str:
    """Return the part of an address at which the page shows a table: the reader stays there. None: its top."""
    return "" if table is None else f"#table-{quote(table, safe='')}"


def _beside(table: str, names: Sequence[str]) -> str | None:
    """Return the table that takes the place of one that goes: the next of `names`, or the one before the last."""
    place = names.index(table) if table in names else len(names)
    others = [name for name in names if name != table]
    return others[min(place, len(others) - 1)] if others else None
