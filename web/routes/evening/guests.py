"""The host's page of guests, which erases names."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.games.league.night import guests_in
from appliance.games.league.result import name_key
from web.context import Web
from web.errors import Refused, must_save, or_refuse


def blueprint(web: Web) -> Blueprint:
    """Return the routes. All need the host's rights."""
    bp = Blueprint("guests", __name__, url_prefix="/host/guests")

    @bp.before_request
    def host_only() -> ResponseReturnValue | None:
        return web.need_host(url_for("guests.page"))

    def names() -> list[str]:
        """Return the names of all guests who were not erased, sorted by `name_key`."""
        past = or_refuse(web.played_here.closed())
        shown = web.table.snapshot().setup
        setups = [web.evening.without_erased(one.setup, one.game, "") for one in past]
        players = (player for setup in (setups if shown is None else [*setups, shown]) for player in setup.players)
        known = {name_key(player.name): player.name for player in players if player.name}
        # Guests who came to the league night and have not played yet.
        night = web.evening.kept.night
        for event in night.events if night is not None else ():
            known |= {name_key(name): name for name in guests_in(event)}
        return [known[key] for key in sorted(known)]

    @bp.get("")
    def page() -> str:
        sure = request.args.get("sure")
        return render_template("guests.html", names=names(), sure=sure, erased="erased" in request.args)

    @bp.post("")
    def erase() -> ResponseReturnValue:
        name, snapshot = request.form.get("name", ""), web.table.snapshot()
        back = url_for("guests.page")
        if name_key(name) not in map(name_key, names()):
            raise Refused(404, "no_such_guest", back=back)
        here = snapshot.setup.players if snapshot.setup is not None else ()
        if name_key(name) in (name_key(player.name) for player in here):
            raise Refused(409, "guest_plays", back=back)
        with must_save():
            web.evening.erase(name, snapshot.journal_seq)
        web.feed.forget()
        web.called_up.read(snapshot.journal_seq)
        web.live.refresh()
        return redirect(url_for("guests.page", erased=1))

    return bp
