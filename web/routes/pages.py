"""The public pages (wall, phones, rules), joining, live updates and the live picture."""

from __future__ import annotations

from functools import partial
from typing import cast
from urllib.parse import urlsplit

from flask import Blueprint, Response, redirect, render_template, request, send_from_directory, url_for
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES, language_names
from web.context import Web
from web.doors.seats import seating_of
from web.doors.security import came_from, own_path
from web.doors.shares import stream_of
from web.errors import Refused, or_refuse
from web.live.streams import BEGIN, PUSH, Begin, Push, no_begin, no_push
from web.pages.game_pages import has_hands, has_phone_script, pages_of, template_of
from web.pages.render import shape_of
from web.words.viewer import Kind, choose_language


def live_page(web: Web, kind: Kind, seat: int | None, narrow: str = "", embed: str = "") -> str:
    """Render a whole live page. Its script keeps it up to date.

    :param narrow: the address to which a narrow screen is redirected.
    :param embed: "widget" or "overlay": only the part of the wall for other sites, or for laying over a picture.
    """
    viewer = web.viewer(kind, seat)
    snapshot = web.table.snapshot()
    page_of = web.renderer.page_of(snapshot, viewer)
    regions = web.renderer.regions(snapshot, viewer)
    style = {} if snapshot.game is None else {"game_name": snapshot.game}
    return render_template(
        "embed.html" if embed else "live.html",
        **style,
        embed=embed,
        narrow=narrow,
        viewer=viewer,
        shape=shape_of(snapshot),
        regions=regions,
        snapshot=snapshot,
        seat=seat,
        hands=snapshot.game is not None and has_hands(snapshot.game),
        phone_script=snapshot.game is not None and has_phone_script(snapshot.game),
        dim_after_s=web.host.choices.dim_after_s,
        time_zone=web.time_zone,
        on_phones=web.phones.playing(seating_of(snapshot)),
        page_of=page_of,
        replays="again" in regions,
    )


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("pages", __name__)
    _add_screens(bp, web)
    _add_seats(bp, web)
    _add_texts(bp, web)
    return bp


def _add_screens(bp: Blueprint, web: Web) -> None:
    """Add the screens of the game: the wall, what other sites show of it, and what keeps them live."""

    @bp.get("/")
    def table() -> str:
        return live_page(web, "wall", None, narrow=url_for("pages.seats"))

    @bp.get("/wall")
    def wall() -> str:
        return live_page(web, "wall", None)

    @bp.get("/widget")
    def widget() -> str:
        """Show the scoreboard alone, for a frame on another page."""
        return live_page(web, "wall", None, embed="widget")

    @bp.get("/overlay")
    def overlay() -> str:
        """Show score and moments on a transparent ground, to lay over a picture."""
        return live_page(web, "wall", None, embed="overlay")

    @bp.get("/live")
    def live() -> ResponseReturnValue:
        kind = cast(Kind, request.args.get("kind", "wall"))
        seat = request.args.get("seat", type=int)
        if kind not in ("wall", "kiosk", "seat") or (kind == "seat") != (seat is not None):
            raise Refused(400, "malformed_request")
        viewer = web.viewer(kind, seat)
        # Before the check: a seat that is taken back after it has another id.
        page_of = web.renderer.page_of(web.table.snapshot(), viewer)
        if kind == "kiosk":
            web.access().need_kiosk()
        web.access().need_view_of(seat)
        who = stream_of(request.remote_addr or "", kind, seat)
        if not web.live.reserve(who):
            raise Refused(503, "too_many_watchers")
        push: Push = request.environ.get(PUSH, no_push)
        begin: Begin = request.environ.get(BEGIN, no_begin)
        stream = web.live.stream(viewer, request.headers.get("Last-Event-ID"), push, begin, page_of)
        response = Response(stream, mimetype="text/event-stream")
        # Not in the generator: a generator that never starts would keep its stream reserved.
        response.call_on_close(partial(web.live.release, who))
        return response

    @bp.get("/live/picture.jpg")
    def picture() -> ResponseReturnValue:
        jpeg = web.live_picture() if web.live_picture and web.host.choices.live_picture else None
        if jpeg is None:
            return Response(status=204)
        return Response(jpeg, mimetype="image/jpeg")


def _add_seats(bp: Blueprint, web: Web) -> None:
    """Add the pages of phones: taking a seat, playing it, asking for one that another phone plays."""

    @bp.get("/seats")
    def seats() -> str:
        """Show the seats to a phone. A free seat can be joined by a tap while the wall shows its code."""
        snapshot, access = web.table.snapshot(), web.access()
        viewer = web.viewer("wall")
        values, page_of = web.page_values.of(snapshot, viewer), web.renderer.page_of(snapshot, viewer)
        places = [
            {
                "seat": seat,
                "mine": access.holds(seat),
                "taken": seat in web.phones.playing(seating_of(snapshot)),
                "join": urlsplit(web.keys.join_url(web.seat_here(seat))).path if seat in shown else None,
            }
            for shown in [web.renderer.codes_on_wall(snapshot, viewer.language)]
            for seat in access.seats
        ]
        if any(place["join"] for place in places):
            lead = "seats.lead"
        else:
            lead = "seats.all_on_phones" if all(place["taken"] for place in places) else "seats.scan"
        return render_template("seats.html", **values, places=places, lead=lead, page_of=page_of)

    @bp.get("/seat/<int:seat>")
    def phone(seat: int) -> ResponseReturnValue:
        if not web.access().holds(seat):
            over, let_go = web.table.snapshot().game is None, web.access().held_before(seat)
            return render_template("not_joined.html", over=over, let_go=let_go), 403
        return live_page(web, "seat", seat)

    @bp.get("/seat/<int:seat>/object")
    def object_to(seat: int) -> str:
        """Show a player the corrections that they may ask for."""
        web.access().need_view_of(seat)
        offers = or_refuse(web.table.offers())
        values = web.page_values.of(web.table.snapshot(), web.viewer("seat", seat))
        return render_template("object.html", offers=offers, **values)

    @bp.get("/join/<token>")
    def join(token: str) -> ResponseReturnValue:
        read = web.keys.read_token(token)
        snapshot = web.table.snapshot()
        if read is None or snapshot.setup is None or read[0].seating != seating_of(snapshot):
            raise Refused(410, "join_link_expired")
        seat, code = read
        response = redirect(url_for("pages.phone", seat=seat.seat))
        if web.access().holds(seat.seat):
            web.sit_down(seat.seat)
            return response
        if seat.seat in web.phones.playing(seat.seating):
            raise Refused(409, "seat_on_another_phone", back=url_for("pages.seats"))
        web.join(response, seat, code=code)
        return response

    @bp.post("/seats/<int:seat>/ask")
    def ask(seat: int) -> ResponseReturnValue:
        """Ask for a seat that another phone plays."""
        here, response = web.seat_here(seat), redirect(url_for("pages.asked", seat=seat))
        if seat not in web.phones.playing(here.seating):
            raise Refused(404, "not_found")
        if not (asker := web.phones.ask(here)):
            raise Refused(429, "seat_asked_for", back=url_for("pages.seats"))
        web.keys.send_to_wait(response, here, asker)
        web.live.refresh()
        return response

    @bp.get("/seats/<int:seat>/asked")
    def asked(seat: int) -> ResponseReturnValue:
        """Show that a second phone waits for approval. The page reloads by itself."""
        here = web.seat_here(seat)
        asker = web.keys.asker(request, here)
        answer = web.phones.answer_of(here, asker)
        if answer:
            response = redirect(url_for("pages.phone", seat=seat))
            web.join(response, here, asker=asker)
            return response
        return render_template("asked.html", waiting=answer is None)


def _add_texts(bp: Blueprint, web: Web) -> None:
    """Add what can be read beside the game, in which language, and the games' own files."""

    @bp.get("/rules")
    def rules() -> ResponseReturnValue:
        # Links to a single rule have no `back`. Browsers keep the #fragment through this redirect.
        if (opened_on := _opened_on()) is not None:
            return redirect(url_for("pages.rules", game=request.args.get("game"), back=opened_on))
        snapshot = web.table.snapshot()
        name = request.args.get("game") or snapshot.game or next(iter(GAMES))
        if name not in GAMES:
            raise Refused(404, "not_found")
        speech = web.speech()
        codes = [code for code in speech.words.codes() if code.startswith("rule.")]
        chapters = [code for code in speech.words.codes() if f"{code}.title" in speech.words]
        return render_template(
            template_of(name, "rules.html"), rules=codes, chapters=chapters, game_name=name, back=_back()
        )

    @bp.get("/privacy")
    def privacy() -> ResponseReturnValue:
        if (opened_on := _opened_on()) is not None:
            return redirect(url_for("pages.privacy", back=opened_on))
        camera = web.table.snapshot().health.get("camera")
        looking = camera is not None and camera.status == "ok"
        to = {"told": web.site.tells_programs, "hub": web.site.tells_hub}
        return render_template("privacy.html", looking=looking, back=_back(), **to)

    @bp.get("/language")
    def languages() -> str:
        back = own_path(came_from(request) or _back(), "/")
        return render_template("language.html", languages=language_names(), back=back)

    @bp.get("/language/<language>")
    def language(language: str) -> ResponseReturnValue:
        if language not in LANGUAGES:
            raise Refused(404, "not_found")
        # A choice on the page of all languages leads back to the page from which that was opened.
        opened_on = came_from(request) or ""
        listed = opened_on.partition("?")[0] == url_for("pages.languages")
        response = redirect(_back() if listed or not opened_on else own_path(opened_on, "/"))
        choose_language(response, language)
        return response

    @bp.get("/games/<name>/<path:file>")
    def game_file(name: str, file: str) -> ResponseReturnValue:
        pages = pages_of(name) if name in GAMES else None
        if pages is None:
            raise Refused(404, "not_found")
        return send_from_directory(pages.FOLDER / "static", file)


def _opened_on() -> str | None:
    """Return the page that the sender comes from; None if the address names one to go back to, or it is not ours."""
    return None if "back" in request.args else came_from(request)


def _back() -> str:
    """Return the page to go back to that the address names; the wall for one that is not ours."""
    return own_path(request.args.get("back", "/"), "/")
