"""Joining: a signed link in a QR code gives one phone its seat, for a game and its rematches; a cookie keeps it."""

from __future__ import annotations

from functools import lru_cache, partial

import msgspec
from flask import Request
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.wrappers import Response

from appliance.snapshot import Snapshot
from web.doors.owner import Owner
from web.doors.phones import Phones, Seat
from web.site import Site

ASKER_COOKIE = "asker"
KIOSK_COOKIE = "kiosk"
OWNER_COOKIE = "owner"
COOKIES_KNOWN = 64
"""Seat cookies whose signature is not checked again: phones send theirs with every request."""


class SeatKeys:
    """Signs and reads join tokens, seat cookies, the kiosk's cookie and that of the owner's first start."""

    def __init__(self, site: Site, owner: Owner, phones: Phones) -> None:
        self._site, self._owner, self._phones = site, owner, phones
        self._tokens = URLSafeSerializer(site.secret_key, salt="join")
        self._cookies = URLSafeSerializer(site.secret_key, salt="seat-cookie")
        self._read_cookie = lru_cache(COOKIES_KNOWN)(partial(_read, self._cookies))
        self._askers = URLSafeSerializer(site.secret_key, salt="asker-cookie")
        self._drawn: dict[Seat, tuple[str, str]] = {}

    @property
    def _kiosks(self) -> URLSafeSerializer:
        # The PIN is part of the signed text: a new PIN invalidates all kiosk cookies.
        return URLSafeSerializer(self._site.secret_key, salt=f"kiosk-{self._owner.pin_mark}")

    @property
    def has_pin(self) -> bool:
        """Whether a PIN was set."""
        return self._owner.has_pin

    def join_url(self, seat: Seat) -> str:
        """Return the address that a phone opens to take `seat`."""
        token = self._tokens.dumps([seat.seating, seat.seat, self._phones.code(seat)])
        return f"{self._site.phone_base()}/join/{token}"

    def join_code_svg(self, seat: Seat) -> str:
        """Return the QR code of `join_url`."""
        url = self.join_url(seat)
        known, svg = self._drawn.get(seat, ("", ""))
        if known != url:
            self._drawn = {one: drawn for one, drawn in self._drawn.items() if one.seating == seat.seating}
            svg = code_svg(url)
            self._drawn[seat] = url, svg
        return svg

    def read_token(self, token: str) -> tuple[Seat, str] | None:
        """Return the seat and the code of a join token, or None if the token is invalid."""
        return _read(self._tokens, token)

    def hand_over(self, response: Response, seat: Seat, grant: str) -> None:
        """Set the cookie that gives `seat` to the phone that gets `response`."""
        value = self._cookies.dumps([seat.seating, seat.seat, grant])
        response.set_cookie(cookie_name(seat.seat), str(value), httponly=True, samesite="Lax", max_age=86400)

    def grant(self, request: Request, seat: Seat) -> str:
        """Return the grant for `seat` from the cookie of `request`; "" if there is none."""
        cookie = request.cookies.get(cookie_name(seat.seat))
        read = None if cookie is None else self._read_cookie(cookie)
        return read[1] if read is not None and read[0] == seat else ""

    def send_to_wait(self, response: Response, seat: Seat, asker: str) -> None:
        """Set the cookie with which the phone that gets `response` waits for approval as `asker`."""
        value = self._askers.dumps([seat.seating, seat.seat, asker])
        response.set_cookie(ASKER_COOKIE, str(value), httponly=True, samesite="Lax", max_age=600)

    def asker(self, request: Request, seat: Seat) -> str:
        """Return the asker id with which the sender of `request` waits for `seat`; "" if it does not wait."""
        read = _read(self._askers, request.cookies.get(ASKER_COOKIE, ""))
        return read[1] if read is not None and read[0] == seat else ""

    def open_kiosk(self, response: Response) -> None:
        """Make the browser that gets `response` a kiosk."""
        value = str(self._kiosks.dumps("kiosk"))
        response.set_cookie(KIOSK_COOKIE, value, httponly=True, samesite="Strict", max_age=30 * 86400)

    def open_first_start(self, response: Response) -> None:
        """Give the browser that gets `response` the owner's rights until there is a PIN."""
        value = str(self._first_starts.dumps("owner"))
        response.set_cookie(OWNER_COOKIE, value, httponly=True, samesite="Strict", max_age=86400)

    def is_owner(self, request: Request) -> bool:
        """Return whether the browser that sent `request` has entered the first-start code and it is still valid."""
        try:
            return bool(self._owner.code and self._first_starts.loads(request.cookies.get(OWNER_COOKIE, "")) == "owner")
        except BadSignature:
            return False

    @property
    def _first_starts(self) -> URLSafeSerializer:
        return URLSafeSerializer(self._site.secret_key, salt=f"first-start-{self._owner.code}")

    def is_kiosk(self, request: Request) -> bool:
        """Return whether the browser that sent `request` entered the PIN before."""
        try:
            return self.has_pin and bool(self._kiosks.loads(request.cookies.get(KIOSK_COOKIE, "")) == "kiosk")
        except BadSignature:
            return False


def code_svg(address: str) -> str:
    """Return the QR code of an address as an inline SVG without size, dark on transparent."""
    import segno  # slow to import, and the first page shows no code

    code = segno.make(address, error="m", micro=False)
    return str(code.svg_inline(border=0, dark="#1a1208", svgclass="qr", lineclass=None, omitsize=True))


def seating_of(snapshot: Snapshot) -> str:
    """Return the id of this seating."""
    return str(snapshot.seating)


def cookie_name(seat: int) -> str:
    """Return the name of the cookie for `seat`. One phone may play several seats."""
    return f"seat-{seat}"


def _read(serializer: URLSafeSerializer, text: str) -> tuple[Seat, str] | None:
    try:
        seating, seat, said = msgspec.convert(serializer.loads(text), tuple[str, int, str])
    except (BadSignature, TypeError, ValueError):
        return None
    return Seat(seating, seat), said
