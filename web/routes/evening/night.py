"""A league night at this table. Everybody sees it; the touchscreen controls it."""

from __future__ import annotations

import time
from collections.abc import Callable

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.catalogue import GAMES, the_game
from appliance.games.league.night import Came, NightEvent, NightState, Seated, Went
from appliance.games.league.result import name_key
from appliance.games.protocol import Setup
from appliance.journal.safekeeping.evening import Night
from web.context import Web
from web.errors import Refused, must_save, or_refuse
from web.evening import tonight
from web.evening.guests import guests_of, players_of, refused_options, setups_of
from web.pages.game_pages import is_played

GUESTS_MOST = 40


class _Night:
    """The league night at this table: what the routes ask of it and add to it."""

    def __init__(self, web: Web) -> None:
        self._web, self._kept = web, web.evening

    def on(self) -> Night:
        """Return the night that is on.

        :raises Refused: `no_night`.
        """
        if (on := self._kept.kept.night) is None:
            raise Refused(409, "no_night", back=url_for("night.page"))
        return on

    def stand(self, on: Night) -> NightState:
        """Return its state."""
        return or_refuse(tonight.stand(on, self._web.played_here, self._web.table.snapshot().game_id))

    def arrive(self, on: Night, name: str) -> None:
        """Enter a guest.

        :raises Refused: `not_a_name`, `night_full`.
        """
        if not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
        if len(self.stand(on).standings) >= GUESTS_MOST:
            raise Refused(409, "night_full", values={"most": GUESTS_MOST})
        self.happened(on, Came(name))

    def happened(self, on: Night, event: NightEvent) -> None:
        """Add the event, or nothing if another touchscreen was faster. The page then shows the current state."""
        self.stored(lambda: self._kept.happened(event, len(on.events)))

    def stored(self, store: Callable[[], object]) -> None:
        """Store a change, read who plays next, and refresh every screen."""
        with must_save():
            store()
        self._web.called_up.read(self._web.table.snapshot().journal_seq)
        self._web.live.refresh()

    def shown(self, refused: Refused | None = None, typed: str = "") -> str:
        """Return the page. `refused`: why the guest with the name `typed` was not entered."""
        on, is_kiosk = self._kept.kept.night, self._web.access().is_kiosk
        setups = setups_of(self._web.table, self._kept) if is_kiosk else ()
        known = guests_of(setups, on.game if on is not None else next(iter(GAMES)))["known_names"]
        stands = None if on is None else self.stand(on)
        present = frozenset() if stands is None else _present(stands)
        here = request.args.get("here", "")
        return render_template(
            "night.html",
            night=on,
            here=here if name_key(here) in present else "",
            stands=stands,
            is_kiosk=is_kiosk,
            playing=is_played(self._web.table.snapshot()),
            known_names=[name for name in known if name_key(name) not in present],
            seats={name: the_game(name).rules.seats for name in GAMES},
            house_rules={name: list(self._kept.house_rules(name)) for name in GAMES},
            refused=refused,
            typed=typed,
        )


def _present(stands: NightState) -> frozenset[str]:
    """Return the keys of the names of the guests who are here."""
    return frozenset(map(name_key, stands.waiting))


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("night", __name__, url_prefix="/night")
    kept, night = web.evening, _Night(web)

    @bp.before_request
    def kiosk_only() -> None:
        if request.method != "GET":
            web.access().need_kiosk()

    @bp.get("")
    def page() -> str:
        return night.shown()

    @bp.post("/begin")
    def begin() -> ResponseReturnValue:
        """Begin a night. While one is on, only a page that does not know it yet asks for this: it is shown that one."""
        game, size = request.form.get("game", ""), request.form.get("size", 0, type=int)
        if game not in GAMES or size not in the_game(game).rules.seats:
            raise Refused(422, "malformed_request")
        saved = kept.house_rules(game).get(request.form.get("rules", ""))
        options = guests_of(setups_of(web.table, kept), game)["last_options"] if saved is None else saved
        if refused_options(game, options, (size,)) is not None:
            raise Refused(409, "night_rules", values={"n": size}, back=url_for("kiosk.setup", name=game))
        night.stored(lambda: kept.begin_night(Night(game=game, size=size, options=options, started_s=time.time())))
        return redirect(url_for("night.page"))

    @bp.post("/come")
    def come() -> ResponseReturnValue:
        on, name = night.on(), request.form.get("name", "").strip()
        if name_key(name) in _present(night.stand(on)):
            return redirect(url_for("night.page", here=name))
        try:
            night.arrive(on, name)
        except Refused as refused:
            return night.shown(refused, name), refused.status
        return redirect(url_for("night.page"))

    @bp.post("/go")
    def go() -> ResponseReturnValue:
        on, name = night.on(), request.form.get("name", "")
        if name_key(name) in _present(night.stand(on)):
            night.happened(on, Went(name, missing="missing" in request.form))
        return redirect(url_for("night.page"))

    @bp.post("/play")
    def play() -> ResponseReturnValue:
        """Open the next game. Its request id is derived from the night and its number of events, so neither a second
        tap nor a power cut before the event is stored opens a second game. After a refusal it can be tried again."""
        on = night.on()
        if request.form.get("after", -1, type=int) != len(on.events):
            return redirect(url_for("night.page"))
        guests = night.stand(on).next
        if not guests:
            raise Refused(409, "too_few_here", back=url_for("night.page"))
        if web.seat_control is not None:
            web.seat_control.keep_lobby()
        setup = Setup(format=1, game=on.game, players=players_of(on.game, guests), options=dict(on.options))
        answer = web.table.open_game(setup, f"night-{int(on.started_s * 1000)}-{len(on.events)}", again=True)
        opened = or_refuse(answer, game=on.game, back=url_for("night.page"))
        night.stored(lambda: kept.seated(Seated(guests, opened.seq)))
        return redirect("/kiosk")

    @bp.post("/end")
    def end() -> ResponseReturnValue:
        """End the night of the page that was tapped, not one that has begun since."""
        night.stored(lambda: kept.end_night(request.form.get("started", 0.0, type=float)))
        return redirect(url_for("night.page"))

    return bp
