"""Registers the API, and the document that describes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import msgspec
from flask import Flask, Response, request
from flask_smorest import Api, Blueprint

from hardware.files.regular_file import UNDECODABLE
from web.context import Web
from web.errors import Refused
from web.routes.answers import describe, routed
from web.routes.api import corrections, games, play, public, seats
from web.routes.bodies import ErrorBody
from web.routes.evening import kept_rolls

_PREFIX = "/api/v1"


class _Api(Api):  # type: ignore[misc]  # smorest has no types
    ERROR_SCHEMA = ErrorBody


def register(app: Flask, web: Web) -> None:
    """Add the API and its document to `app`."""
    parts = (_blueprint(web), public.blueprint(web), kept_rolls.api_blueprint(web))
    for routes in parts:
        routes.before_request(_read_json)
        app.register_blueprint(routes, url_prefix=_PREFIX)

    @cache
    def document() -> bytes:
        return _document(parts)

    @app.get(f"{_PREFIX}/openapi.json")
    def openapi() -> Response:
        return Response(document(), mimetype="application/json")


def _document(parts: Sequence[Blueprint]) -> bytes:
    """Return the OpenAPI document of the blueprints, as JSON.

    It is made when somebody asks for it: that takes as long as building the rest of the application. smorest makes it
    while it registers blueprints, so they are registered once more, in an application that answers nothing.
    """
    described = Flask(__name__)
    described.config.update(API_TITLE="Smugglers' Table", API_VERSION="v1", OPENAPI_VERSION="3.1.0")
    api = _Api(described)
    describe(api.spec)
    for routes in parts:
        api.register_blueprint(routes, url_prefix=_PREFIX)
    return msgspec.json.encode(api.spec.to_dict())


def _read_json() -> None:
    """Refuse JSON that Python's parser, which the framework uses, accepts or fails on: NaN, 5,000 digits."""
    if request.is_json:
        try:
            msgspec.json.decode(request.get_data(cache=True))
        except UNDECODABLE:
            raise Refused(400, "malformed_request") from None


def _blueprint(web: Web) -> Blueprint:
    bp = Blueprint("api", __name__, description="What the pages themselves use.")
    for part in (play, corrections, games, seats):
        part.add(partial(routed, bp), web)
    return bp
