"""Joining: a signed link in a QR code gives a phone its seat, for one game and its rematches, and a cookie keeps it."""

from __future__ import annotations

import msgspec
from flask import Request
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.wrappers import Response

from appliance.snapshot import Snapshot
from web.owner import Owner
from web.site import Site

KIOSK_COOKIE = "kiosk"
OWNER_COOKIE = "owner"


class Seat(msgspec.Struct, frozen=True):
    """A seat of one seating: the same players in a game and its rematches. Links of other seatings are invalid."""

    seating: str
    seat: int


class SeatKeys:
    """Signs and reads join tokens, seat cookies, the kiosk's cookie and that of the owner's first start."""

    def __init__(self, site: Site, owner: Owner) -> None:
        self._site, self._owner = site, owner
        self._tokens = URLSafeSerializer(site.secret_key, salt="join")
        self._cookies = URLSafeSerializer(site.secret_key, salt="seat-cookie")
        self._drawn: dict[Seat, str] = {}

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
        return f"{self._site.phone_base()}/join/{self._tokens.dumps([seat.seating, seat.seat])}"

    def join_code_svg(self, seat: Seat) -> str:
        """Return the QR code of `join_url`."""
        if seat not in self._drawn:
            self._drawn = {known: svg for known, svg in self._drawn.items() if known.seating == seat.seating}
            self._drawn[seat] = code_svg(self.join_url(seat))
        return self._drawn[seat]

    def read_token(self, token: str) -> Seat | None:
        """Return the seat of a join token, or None when it is not ours."""
        return _read(self._tokens, token)

    def hand_over(self, response: Response, seat: Seat) -> None:
        """Give the phone that gets `response` its seat."""
        value = self._cookies.dumps([seat.seating, seat.seat])
        response.set_cookie(cookie_name(seat.seat), str(value), httponly=True, samesite="Lax", max_age=86400)

    def holds(self, request: Request, seat: Seat) -> bool:
        """Return whether the phone that sent `request` was given `seat`."""
        cookie = request.cookies.get(cookie_name(seat.seat))
        return cookie is not None and _read(self._cookies, cookie) == seat

    def open_kiosk(self, response: Response) -> None:
        """Make the browser that gets `response` a kiosk."""
        value = str(self._kiosks.dumps("kiosk"))
        response.set_cookie(KIOSK_COOKIE, value, httponly=True, samesite="Strict", max_age=30 * 86400)

    def open_first_start(self, response: Response) -> None:
        """Give the browser that gets `response` the owner's rights until there is a PIN."""
        value = str(self._first_starts.dumps("owner"))
        response.set_cookie(OWNER_COOKIE, value, httponly=True, samesite="Strict", max_age=86400)

    def is_owner(self, request: Request) -> bool:
        """Return whether the browser that sent `request` named the code of the first start, and it still holds."""
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
    import segno  # it takes long to load, and the first page shows no code

    code = segno.make(address, error="m", micro=False)
    return str(code.svg_inline(border=0, dark="#1a1208", svgclass="qr", lineclass=None, omitsize=True))


def seating_of(snapshot: Snapshot) -> str:
    """Return the id of this seating."""
    return str(snapshot.seating)


def cookie_name(seat: int) -> str:
    """Return the name of the cookie that holds `seat`: one phone may play for several people."""
    return f"seat-{seat}"


def _read(serializer: URLSafeSerializer, text: str) -> Seat | None:
    try:
        seating, seat = serializer.loads(text)
        return msgspec.convert([seating, seat], tuple[str, int]) and Seat(str(seating), int(seat))
    except (BadSignature, TypeError, ValueError):
        return None
