"""The Flask application of a hub: one factory, no global state."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.hub.store.failures import AWAY, failure_name, is_busy, is_full
from appliance.words.catalogues import LANGUAGES
from web.doors.security import came_from, own_path, protect
from web.errors import Refused, WebRejection, answer_errors
from web.hub import accounts, at_a_glance, guests, league, login, monitoring, night, offers, wall
from web.hub.context import HubWeb
from web.live.compression import compress
from web.pages.quick_templates import QuickFlask
from web.site import Site
from web.words.viewer import choose_language

_log = logging.getLogger(__name__)
_FOLDER = Path(__file__).resolve().parents[1]
_AGAIN_S = 20
"""After how long a browser loads a page again that the database kept from it: nobody touches a wall."""


def create_hub_app(web: HubWeb) -> Flask:
    """Build the application around `web`."""
    app = QuickFlask(__name__, template_folder=str(_FOLDER / "templates"), static_folder=str(_FOLDER / "static"))
    app.config["SECRET_KEY"] = web.key
    compress(app)
    app.after_request(_known_again)
    protect(app, Site(secret_key=web.key, pin="", host_names=web.site.host_names))
    app.before_request(_refuse_nul)
    _answer_errors(app, web)
    for routes in (at_a_glance, league, login, accounts, guests, wall, night, monitoring, offers):
        app.register_blueprint(routes.blueprint(web))

    @app.context_processor
    def add_words() -> dict[str, Any]:
        return {"say": web.speech(), "account": None if "broken" in g else web.account()}

    @app.get("/language/<language>")
    def language(language: str) -> ResponseReturnValue:
        if language not in LANGUAGES:
            raise Refused(404, "unknown_language")
        response = redirect(own_path(request.args.get("back", "/"), "/"))
        choose_language(response, language)
        return response

    return app


def _refuse_nul() -> None:
    """Refuse NUL characters: no page sends them, and PostgreSQL accepts none in text."""
    if any("\0" in text for _, texts in request.values.lists() for text in texts):
        raise Refused(400, "malformed_request")


def _known_again(response: Response) -> Response:
    """Add an ETag to pages, so that a page that is polled is sent only when it has changed."""
    if request.method == "GET" and response.status_code == 200 and response.mimetype == "text/html":
        response.headers["Cache-Control"] = "private, no-cache"
        response.add_etag()
        response.make_conditional(request)
    return response


def _answer_errors(app: Flask, web: HubWeb) -> None:
    def answer(refused: Refused) -> tuple[str, int]:
        say, why = web.speech(), refused.rejection
        own = f"hub.refused.{why.code}"  # where a table's sentence speaks of the table: its pages, its game, its host
        message = say(own) if own in say.words else say.rejected(why)
        # The address of a form shows nothing: its page does.
        back = refused.back or (came_from(request) if request.method == "POST" else None)
        page = render_template("hub/error.html", message=message, back=own_path(back or "/", "/"))
        return page, refused.status

    def bug() -> None:
        g.broken = True

    answer_errors(app, answer, bug)

    def away(error: Exception) -> ResponseReturnValue:
        # The sender's account cannot be looked up either.
        g.broken = True
        _log.error("the database did not answer %s: %s", request.path, failure_name(error))
        is_page = request.method == "GET"
        back = request.full_path.removesuffix("?") if is_page else None
        why: WebRejection = "database_full" if is_full(error) else "database_away"
        if is_busy(error) and not is_page:
            why = "database_busy"
        told, status = answer(Refused(503, why, back=back))
        return told, status, {"Refresh": str(_AGAIN_S)} if is_page else {}

    for kind in AWAY:
        app.register_error_handler(kind, away)
