"""After a game: its statistics, a picture to share, and, once everybody agreed, what was secret."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from appliance.games.catalogue import the_game
from appliance.games.protocol import Happening, Outcome, Rejection, Setup
from appliance.snapshot import Snapshot
from web.context import Web
from web.doors.seats import code_svg, seating_of
from web.doors.security import own_path
from web.errors import Refused, or_refuse
from web.evening.afterwards import Consents, happenings_of, statistics
from web.pages.game_pages import template_of
from web.words.speech import Speech, speech_of


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("afterwards", __name__, url_prefix="/after")
    consents = Consents()
    heard = _Newest()
    drawn = _Newest()

    def finished() -> tuple[Snapshot, Setup, Outcome]:
        snapshot = web.table.snapshot()
        if snapshot.game is None or snapshot.setup is None:
            raise Refused(404, "no_game_open", back="/")
        outcome = the_game(snapshot.game).rules.outcome(snapshot.state)
        if outcome is None:
            raise Refused(409, "game_goes_on", back="/")
        return snapshot, snapshot.setup, outcome

    def figures(snapshot: Snapshot, say: Speech) -> dict[str, tuple[int, ...]]:
        """Return the statistics of the finished game, which is folded only once."""

        def fold() -> tuple[Happening, ...]:
            history = or_refuse(web.table.history(snapshot.game_id))
            if history is None:
                raise Refused(404, "no_game_open", back="/")
            return happenings_of(*history)

        return statistics(heard.of(snapshot, "", fold), len(say.names), say.words)

    def robots(seats: Iterable[int]) -> frozenset[int]:
        control = web.seat_control
        return frozenset(seat for seat in seats if control is not None and control.read(seat) == "robot")

    @bp.get("")
    def page() -> str:
        snapshot, setup, outcome = finished()
        say = speech_of(setup, web.language())
        access, game = web.access(), the_game(setup.game)
        seats = access.seats
        on_phones = web.phones.playing(seating_of(snapshot))
        agreed = consents.given(snapshot.game_id, snapshot.journal_seq) | robots(set(seats) - set(on_phones))
        mine = [seat for seat in seats if access.holds(seat)]
        at_the_table = access.is_kiosk or bool(mine)
        secrets = None
        if game.post_mortem is not None and at_the_table and agreed.issuperset(seats):
            history = web.table.history(snapshot.game_id)
            if history is not None and not isinstance(history, Rejection):
                secrets = game.post_mortem()(*history)
                # A correction may have arrived since the snapshot. Then no secrets are shown.
                secrets = secrets if web.table.snapshot().journal_seq == snapshot.journal_seq else None
        asked = [seat for seat in seats if seat not in agreed and (seat in mine or seat not in on_phones)]
        address = f"{web.site.phone_base()}{url_for('afterwards.page')}"
        return render_template(
            "after.html",
            say=say,
            game_name=setup.game,
            outcome=outcome,
            figures=figures(snapshot, say),
            has_secrets=game.post_mortem is not None,
            at_the_table=at_the_table,
            secrets=secrets,
            secrets_page=template_of(setup.game, "post_mortem.html"),
            asked=[seat for seat in asked if access.is_kiosk or seat in mine],
            waiting=[seat for seat in seats if seat not in agreed],
            mine=mine,
            **(web.kept_rolls.told() if at_the_table else {"has_rolls": False}),
            agreeing=f"{snapshot.game_id}.{snapshot.journal_seq}",
            code=Markup(code_svg(address)) if access.is_own_screen else None,  # noqa: S704  # our own drawing
            back=own_path(request.args.get("back", _home(access.is_kiosk, mine)), "/"),
        )

    @bp.post("/agree")
    def agree() -> ResponseReturnValue:
        """Agree to show what was secret: a phone for its own seat, the touchscreen for those that no phone plays."""
        snapshot, _, _ = finished()
        seat, access = request.form.get("seat", -1, type=int), web.access()
        if seat not in access.seats:
            raise Refused(404, "not_found")
        if access.acting_for(seat) is None and seat in web.phones.playing(seating_of(snapshot)):
            raise Refused(403, "agrees_by_phone", back=url_for("afterwards.page"))
        if request.form.get("game") != f"{snapshot.game_id}.{snapshot.journal_seq}":
            raise Refused(409, "game_corrected", back=url_for("afterwards.page"))
        consents.agree(snapshot.game_id, snapshot.journal_seq, {seat})
        return redirect(url_for("afterwards.page"))

    @bp.get("/picture.png")
    def picture() -> Response:
        from web.evening.souvenir import souvenir  # slow to import, because it loads Pillow

        snapshot, setup, outcome = finished()
        say = speech_of(setup, web.language())

        def draw() -> bytes:
            lines = []
            for code, counts in figures(snapshot, say).items():
                most = max(counts)
                names = ", ".join(name for name, count in zip(say.names, counts, strict=True) if count == most)
                lines.append(f"{say(code)}: {names} ({most})")
            won = say("games.won", winner=outcome.winners) if outcome.winners else say("games.nobody_won")
            title, names = say.game(setup.game), ", ".join(say.names)
            return souvenir(say("brand"), title, names, won, lines)

        return Response(drawn.of(snapshot, say.language, draw), mimetype="image/png")

    return bp


class _Newest:
    """A cache for the newest state of the finished game. A new journal entry clears it. Thread-safe."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._game: tuple[int | None, int] = (None, 0)
        self._made: dict[str, Any] = {}

    def of(self, snapshot: Snapshot, key: str, make: Callable[[], Any]) -> Any:
        """Return the cached result of `make` for `key`."""
        with self._turn:
            game = (snapshot.game_id, snapshot.journal_seq)
            if self._game != game:
                self._game, self._made = game, {}
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]


def _home(is_kiosk: bool, mine: list[int]) -> str:
    return "/kiosk" if is_kiosk else f"/seat/{mine[0]}" if mine else "/"
