"""Checks of every request (Host, Origin, size), and the security headers of every answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request

from appliance.service.sender import host_name, is_own, is_passed_on, may_be_asked_as, own_names
from web.errors import Refused
from web.site import Site

BODY_MOST_BYTES = 64 * 1024
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS: Mapping[str, str | None] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


EMBEDDABLE = frozenset({"/widget", "/overlay"})
"""The pages that other sites may show in a frame if the host allows it. They have nothing to tap."""


def framed_by(origins: Sequence[str]) -> dict[str, str | None]:
    """Return the headers of a page that `origins` may show in a frame. None: the header is left out."""
    policy = str(_HEADERS["Content-Security-Policy"]).replace(
        "frame-ancestors 'none'", f"frame-ancestors 'self' {' '.join(origins)}"
    )
    # Browsers that support frame-ancestors ignore X-Frame-Options, which cannot list sites.
    return {"Content-Security-Policy": policy, "X-Frame-Options": None}


def protect(app: Flask, site: Site) -> None:
    """Refuse DNS rebinding and forged origins before any page runs, and add the headers to every answer."""
    app.config["MAX_CONTENT_LENGTH"] = BODY_MOST_BYTES
    known = own_names((site.address, *site.host_names))

    @app.before_request
    def check_host_and_origin() -> None:
        if not may_be_asked_as(host_name(request.host), known):
            raise Refused(400, "unknown_host")
        if request.method not in _SAFE_METHODS and not _origin_passes(request):
            raise Refused(403, "foreign_origin")

    @app.after_request
    def add_headers(response: Response) -> Response:
        framed = framed_by(site.embed_origins) if site.embed_origins and request.path in EMBEDDABLE else {}
        headers = {**_HEADERS, **framed}
        if not request.path.startswith(("/static/", "/games/")):
            headers["Cache-Control"] = "no-store"
        # `setdefault` of werkzeug would look through all headers three times for each.
        own = frozenset(response.headers.keys(lower=True))
        for name, value in headers.items():
            if value is not None and name.lower() not in own:
                response.headers.add(name, value)
        return response


def own_path(path: str, otherwise: str) -> str:
    """Return `path` if it is a path on this server, else `otherwise`. This prevents open redirects.

    Browsers remove tabs and line breaks before they parse an address, so a path that contains them is refused.
    """
    return path if path.isprintable() and path.startswith("/") and not path.startswith(("//", "/\\")) else otherwise


def came_from(request: Request) -> str | None:
    """Return path and query of the referring page; None if it is not one of this server's pages."""
    try:
        page = urlsplit(request.referrer or "")
    except ValueError:
        return None
    if page.netloc != request.host or not page.path.startswith("/"):
        return None
    return page.path + (f"?{page.query}" if page.query else "")


def from_this_machine(request: Request) -> bool:
    """Return whether the request comes from the appliance itself, by its address and its Host.

    What a proxy on the appliance passes on does not: it names its sender in a header.
    """
    if not is_own(request.remote_addr or ""):
        return False
    if is_passed_on(request.headers.keys(lower=True)):
        return False
    host = host_name(request.host)
    return host == "localhost" or is_own(host)


def is_of_another_site(request: Request) -> bool:
    """Return whether the browser says that a page of another site makes the request."""
    return request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none")


def _origin_passes(request: Request) -> bool:
    if (origin := request.headers.get("Origin")) is not None:
        return origin == f"{request.scheme}://{request.host}"
    if is_of_another_site(request):
        return False
    # Without an Origin only JSON is accepted: forms of other sites cannot send it without a CORS preflight.
    return request.mimetype == "application/json"
