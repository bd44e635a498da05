"""What the hub's pages share: the database, who asks, in which language, and where they may go."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from flask import Request, g, request
from itsdangerous import BadSignature, TimestampSigner
from werkzeug.wrappers import Response

from appliance.games.catalogue import GAMES
from appliance.hub.people.accounts import Account, Accounts, signing_key
from appliance.hub.store.database import Database
from hardware.clock import MonotonicClock
from web.errors import Refused
from web.pin_tries import PinTries
from web.shares import whose
from web.site import AUTO
from web.speech import Speech
from web.viewer import language_of

_COOKIE = "hub"
_SIGNED_FOR_S = 30 * 86400
_ENTRIES_OF_ADDRESS = ((60.0, 30), (3600.0, 300))
"""Wrong entries of one address for all accounts together: a chain's people may share the address of their office."""


class HubSite(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration of the hub's pages.

    `host_names` are names that a request may ask for. `metrics_token` reads the figures for monitoring
    from elsewhere ("": nobody). `first_code` lets the first account be made; "" where there is one. `is_proxied`: a
    server in front speaks TLS and says who asks.
    """

    host_names: tuple[str, ...] = ()
    language: str = AUTO
    metrics_token: str = ""
    first_code: str = ""
    is_proxied: bool = False


class HubWeb:
    """The routes' shared objects.

    :param now_s: the hub's clock, seconds since 1970.
    """

    def __init__(self, database: Database, site: HubSite, now_s: Callable[[], float] = time.time) -> None:
        self.database, self.site, self.now_s = database, site, now_s
        self.accounts = Accounts(database)
        self.key = signing_key(database)
        self._signer = TimestampSigner(self.key, salt="hub account")
        self._tries = PinTries(MonotonicClock(), of_all=())
        self._of_address = PinTries(MonotonicClock(), _ENTRIES_OF_ADDRESS, of_all=())

    def entered(self, what: str, is_right: Callable[[], bool]) -> bool:
        """Say whether what somebody typed is right; guessing is slowed (`PinTries`), by address.

        A hub may be open to everybody: what strangers enter from elsewhere, or for something else, locks nobody out.

        :param what: what it opens, such as an account.
        :raises Refused: `too_often`.
        """
        who = whose(request.remote_addr or "")
        for_it = f"{who} {what}"
        if not self._of_address.take(who):
            raise Refused(429, "too_often")
        if not self._tries.take(for_it):
            raise Refused(429, "too_often")
        if right := is_right():
            self._tries.forgive(for_it)
            self._of_address.forgive(who)
        return right

    def sign_in(self, response: Response, account: Account) -> None:
        """Let the browser that gets `response` be signed in."""
        signed = self._signer.sign(f"{account.mark} {account.name}".encode()).decode()
        response.set_cookie(
            _COOKIE, signed, max_age=_SIGNED_FOR_S, httponly=True, samesite="Lax", secure=request.is_secure
        )

    def sign_out(self, response: Response) -> None:
        """Let the browser be a guest's."""
        response.delete_cookie(_COOKIE)

    def account(self) -> Account | None:
        """Return whose browser the current request is of; None: a guest's."""
        if "account" not in g:
            g.account = self._signed(request)
        found: Account | None = g.account
        return found

    def _signed(self, request: Request) -> Account | None:
        try:
            said = self._signer.unsign(request.cookies.get(_COOKIE, ""), max_age=_SIGNED_FOR_S).decode()
        except (BadSignature, UnicodeDecodeError):
            return None
        mark, _, name = said.partition(" ")
        account = self.accounts.named(name)
        return account if account is not None and account.mark == mark else None

    def need_chain(self) -> Account:
        """Return the chain's account that asks.

        :raises Refused: it is nobody who runs the chain.
        """
        account = self.need_account()
        if account.role != "chain":
            raise Refused(403, "chain_only", back="/")
        return account

    def need_account(self) -> Account:
        """Return the account that asks.

        :raises Refused: it is a guest.
        """
        account = self.account()
        if account is None:
            raise Refused(401, "login_needed", back="/login")
        return account

    def need_cafe(self, cafe: str) -> Account:
        """Return the account that asks, if it runs `cafe` ("": the whole chain).

        :raises Refused: it does not.
        """
        account = self.need_account()
        if not account.runs(cafe):
            raise Refused(403, "other_cafe", back="/")
        return account

    def speech(self, game: str | None = None, names: tuple[str, ...] = ()) -> Speech:
        """Return the words for the sender of the request, with those of a game."""
        return Speech(language_of(request, self.site.language), game if game in GAMES else None, names)
