"""The viewer of a page: the wall, the kiosk or the phone of one seat, in one language."""

from __future__ import annotations

from typing import Literal

import msgspec
from flask import Request
from werkzeug.wrappers import Response

from appliance.words.catalogues import LANGUAGES, negotiate

Kind = Literal["wall", "kiosk", "seat"]
_COOKIE = "language"
_KEPT_S = 365 * 86400


class Viewer(msgspec.Struct, frozen=True):
    """One kind of page. Equal viewers get equal pages, so each page is rendered once for all of them."""

    kind: Kind
    seat: int | None
    language: str


def language_of(request: Request, default: str) -> str:
    """Return the viewer's language: the chosen one, else `default`; if that is "auto", the one the browser requests."""
    chosen = request.cookies.get(_COOKIE)
    if chosen in LANGUAGES:
        return str(chosen)
    if default in LANGUAGES:
        return default
    return negotiate([tag for tag, _ in request.accept_languages])


def choose_language(response: Response, language: str) -> None:
    """Set the cookie by which `language_of` returns `language` for the browser that gets `response`."""
    response.set_cookie(_COOKIE, language, max_age=_KEPT_S, samesite="Lax", httponly=True)
