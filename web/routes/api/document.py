"""Registers the API and its document."""

from __future__ import annotations

from functools import partial

import msgspec
from flask import Flask, request
from flask_smorest import Api, Blueprint

from web.context import Web
from web.errors import Refused
from web.routes.answers import describe, routed
from web.routes.api import corrections, games, play, public, seats
from web.routes.bodies import ErrorBody
from web.routes.evening import kept_rolls


class _Api(Api):  # type: ignore[misc]  # smorest has no types
    ERROR_SCHEMA = ErrorBody


def register(app: Flask, web: Web) -> None:
    """Add the API and its document to `app`."""
    app.config.update(
        API_TITLE="Smugglers' Table",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/api/v1",
        OPENAPI_JSON_PATH="openapi.json",
    )
    api = _Api(app)
    describe(api.spec)
    for routes in (_blueprint(web), public.blueprint(web), kept_rolls.api_blueprint(web)):
        routes.before_request(_read_json)
        api.register_blueprint(routes, url_prefix="/api/v1")


def _read_json() -> None:
    """Refuse JSON that Python's parser, which the framework uses, accepts or fails on: NaN, 5,000 digits."""
    if request.is_json:
        try:
            msgspec.json.decode(request.get_data(cache=True))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise Refused(400, "malformed_request") from None


def _blueprint(web: Web) -> Blueprint:
    bp = Blueprint("api", __name__, description="What the pages themselves use.")
    for part in (play, corrections, games, seats):
        part.add(partial(routed, bp), web)
    return bp
