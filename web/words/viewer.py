"""The viewer of a page: the wall, the kiosk or the phone of one seat, in one language."""

from __future__ import annotations

from typing import Literal

import msgspec
from flask import Request

from appliance.words import LANGUAGES, negotiate

Kind = Literal["wall", "kiosk", "seat"]
LANGUAGE_COOKIE = "language"


class Viewer(msgspec.Struct, frozen=True):
    """One kind of page. Equal viewers get equal pages, so each page is rendered once for all of them."""

    kind: Kind
    seat: int | None
    language: str


def language_of(request: Request, default: str) -> str:
    """Return the viewer's language: the chosen one, else `default`; if that is "auto", the one the browser requests."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return str(chosen)
    if default in LANGUAGES:
        return default
    return negotiate([tag for tag, _ in request.accept_languages])
