"""The kiosk's pages: the game with its buttons, set-up, corrections, and the table's menu."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Rejection
from appliance.games.table_data_files import own_files
from hardware.files.regular_file import UNDECODABLE
from web.context import Web
from web.errors import Refused, or_refuse
from web.evening.guests import guests_of, setups_of
from web.pages import general_setup
from web.pages.game_pages import has_hands, is_played, pages_of, template_of
from web.routes.api.sent import meant_by
from web.routes.pages import live_page
from web.words.asks import asks_of

OFFERED = 3
"""Number of corrections that the touchscreen offers first. The list below them has the others."""


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("kiosk", __name__, url_prefix="/kiosk")

    @bp.before_request
    def kiosk_only() -> ResponseReturnValue | None:
        if web.access().is_kiosk:
            return None
        return redirect(url_for("host.unlock", back=request.path))

    @bp.get("")
    def kiosk() -> ResponseReturnValue:
        installed = web.site.machine is not None
        if installed and not web.owner.done and web.access().is_own_screen and web.table.snapshot().game is None:
            return redirect(url_for("first_start.begin"))
        return live_page(web, "kiosk", None)

    @bp.get("/setup/<name>")
    def setup(name: str) -> ResponseReturnValue:
        if name not in GAMES:
            raise Refused(404, "not_found")
        if is_played(web.table.snapshot()):
            # Reached by the browser's back button, or because a second touchscreen was faster.
            return redirect(url_for("kiosk.kiosk"))
        if web.seat_control is not None:
            web.seat_control.keep_lobby()
        own = own_files(web.site.files_folder, name, web.language())
        options = general_setup.option_fields(the_game(name).rules.options_type)
        here = {"pages": pages_of(name), "own": own, "options": options, "seats": the_game(name).rules.seats}
        here |= guests_of(setups_of(web.table, web.evening), name)
        saved = web.evening.house_rules(name)
        return render_template(template_of(name, "setup.html"), game_name=name, house_rules=saved, **here)

    @bp.get("/hand/<int:seat>")
    def hand(seat: int) -> str:
        """Show one seat's hand behind a curtain that its player opens (hot seat)."""
        snapshot = web.table.snapshot()
        if seat not in web.access().seats or snapshot.game is None or not has_hands(snapshot.game):
            raise Refused(404, "not_found")
        if (reason := web.hand_hidden(snapshot, seat)) is not None:
            raise Refused(403, reason)
        values = web.page_values.of(snapshot, web.viewer("seat", seat))
        return render_template("curtain.html", touchscreen=True, **values)

    @bp.get("/corrections")
    def corrections() -> str:
        offers = web.table.offers()
        likely = () if isinstance(offers, Rejection) else offers[:OFFERED]
        return render_template("corrections.html", offers=likely, **_values(web))

    @bp.get("/corrections/<int:seq>")
    def correct(seq: int) -> str:
        found = or_refuse(web.table.alternatives(seq), 404)
        asks = asks_of(found.prompts)
        return render_template(
            "correct.html",
            deed=found.deed,
            alternatives=asks,
            preview=_preview(web, seq),
            **_values(web),
        )

    @bp.get("/table")
    def table() -> str:
        control = web.seat_control
        seats = web.access().seats
        return render_template(
            "table.html", played_by=[control.read(seat) for seat in seats] if control else None, **_values(web)
        )

    return bp


def _values(web: Web) -> dict[str, Any]:
    return {**web.page_values.of(web.table.snapshot(), web.viewer("kiosk")), "went_on": "went_on" in request.args}


def _preview(web: Web, seq: int) -> dict[str, Any] | None:
    """Return the preview of the action in the query; "null" previews undoing the deed."""
    wanted = request.args.get("action")
    if wanted is None:
        return None
    try:
        given = msgspec.json.decode(wanted, type=dict[str, Any] | None)
    except UNDECODABLE as error:
        raise Refused(422, "malformed_action") from error
    return {"meant": given, "preview": or_refuse(web.table.preview_amendment(seq, meant_by(web, given)))}
