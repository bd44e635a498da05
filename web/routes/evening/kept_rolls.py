"""Rolls that a party keeps. Each seat has to agree, and may withdraw its consent."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from web.context import Web
from web.doors.seats import seating_of
from web.doors.security import own_path
from web.errors import Refused
from web.routes.bodies import DoneBody, KeepBody
from web.routes.operations import ApiBlueprint


def blueprint(web: Web) -> Blueprint:
    """Return the page. Only the touchscreen and the players see it."""
    bp = Blueprint("kept_rolls", __name__)

    @bp.get("/kept")
    def page() -> str:
        access = web.access()
        if not access.is_host:
            access.need_player()
        mine = [seat for seat in access.seats if access.holds(seat)]
        home = "/kiosk" if access.is_kiosk or not mine else f"/seat/{mine[0]}"
        return render_template(
            "kept.html", mine=mine, back=own_path(request.args.get("back", home), "/"), **web.kept_rolls.told()
        )

    return bp


def api_blueprint(web: Web) -> ApiBlueprint:
    """Return the API routes that the buttons use."""
    api = ApiBlueprint("keeping", __name__, description="Rolls that are kept once everybody agreed.")

    @api.operation("PUT /replays/<int:number>/kept")
    def keep(body: KeepBody, number: int) -> DoneBody:
        """Agree to keep a roll, or say no: a phone for its own seat, the touchscreen for those that no phone plays.

        Without a seat the touchscreen asks for it. A no from anybody, also from a phone that had the seat before, ends
        it, also of what is kept already.
        """
        access, seat = web.access(), body.seat
        if seat is None:
            access.need_kiosk()
        elif seat not in access.seats:
            raise Refused(404, "not_found")
        elif body.yes or not access.held_before(seat):
            acts_for_the_table = access.acting_for(seat) is None
            if acts_for_the_table and body.yes and seat in web.phones.playing(_seating(web)):
                raise Refused(403, "agrees_by_phone")
        refused = web.kept_rolls.agree(number, seat) if body.yes else web.kept_rolls.refuse(number)
        if refused is not None:
            raise Refused.because(refused, 404 if refused.code == "replay_gone" else 409)
        web.live.refresh()
        return DoneBody()

    return api


def _seating(web: Web) -> str:
    return seating_of(web.table.snapshot())
