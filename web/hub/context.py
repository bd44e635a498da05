"""What the hub's routes share: the database, and the sender's account, language and rights."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping

import msgspec
from flask import Request, g, request
from itsdangerous import BadSignature, TimestampSigner
from werkzeug.wrappers import Response

from appliance.games.catalogue import GAMES
from appliance.hub.chain.tables_now import TableNow, tables_now
from appliance.hub.people.accounts import Account, Accounts, signing_key
from appliance.hub.store.database import Database
from appliance.hub.store.failures import AWAY, failure_name
from hardware.clock import MonotonicClock
from web.doors.pin_tries import PinTries
from web.doors.shares import whose
from web.errors import Refused
from web.site import AUTO
from web.words.speech import Speech
from web.words.viewer import language_of

_log = logging.getLogger(__name__)
_COOKIE = "hub"
_SIGNED_FOR_S = 30 * 86400
_ENTRIES_OF_ADDRESS = ((60.0, 30), (3600.0, 300))
"""Limits of wrong entries per address, for all accounts together. A chain's staff may share their office's address."""


class HubSite(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration of the hub's pages.

    `host_names` are the allowed values of the Host header. `metrics_token` lets a client from elsewhere read the
    figures for monitoring ("": none may). `first_code` is needed to create the first account; "" if there is one.
    `is_proxied`: a reverse proxy terminates TLS and forwards the client's address.
    """

    host_names: tuple[str, ...] = ()
    language: str = AUTO
    metrics_token: str = ""
    first_code: str = ""
    is_proxied: bool = False


class HubWeb:
    """The routes' shared objects.

    :param now_s: the hub's clock, seconds since 1970.
    :param without_key: returns the names of tables that no key has any more (`tables_now`).
    """

    def __init__(
        self,
        database: Database,
        site: HubSite,
        now_s: Callable[[], float] = time.time,
        without_key: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.database, self.site, self.now_s, self._without_key = database.for_taps(), site, now_s, without_key
        self.accounts = Accounts(self.database)
        self.key = signing_key(database)
        self._signer = TimestampSigner(self.key, salt="hub account")
        self._tries = PinTries(MonotonicClock(), of_all=())
        self._of_address = PinTries(MonotonicClock(), _ENTRIES_OF_ADDRESS, of_all=())

    def entered(self, what: str, is_right: Callable[[], bool]) -> bool:
        """Return whether the typed password or code is right. Entries are rate-limited by address (`PinTries`).

        A hub may be on the public internet: entries from another address, or for another `what`, lock nobody out.

        :param what: what the entry opens, such as an account.
        :raises Refused: `too_often`.
        """
        who = whose(request.remote_addr or "")
        for_it = f"{who} {what}"
        # In this order: entries for one locked account use up nothing of what the address may enter for others.
        if not (self._tries.take(for_it) and self._of_address.take(who)):
            raise Refused(429, "too_often")
        if right := is_right():
            self._tries.forgive(for_it)
            self._of_address.forgive(who)
        return right

    def sign_in(self, response: Response, account: Account) -> None:
        """Sign in the browser that gets `response`."""
        said = f"{account.mark} {secrets.token_hex(8)} {account.name}"
        signed = self._signer.sign(said.encode()).decode()
        response.set_cookie(
            _COOKIE, signed, max_age=_SIGNED_FOR_S, httponly=True, samesite="Lax", secure=request.is_secure
        )

    def sign_out(self, response: Response) -> None:
        """Sign the browser out. All copies of its cookie become invalid.

        While the database cannot be written, its own cookie goes all the same: somebody else may use the browser next.
        """
        try:
            if self.account() is not None and (said := self._said(request)) is not None:
                self.accounts.sign_out(said[1])
        except AWAY as error:
            _log.warning("a sign-out is not noted, copies of its cookie stay valid: %s", failure_name(error))
        response.delete_cookie(_COOKIE)

    def tables(self, cafe: str | None = None) -> tuple[TableNow, ...]:
        """Return the present state of every table that was not retired, or of those of a café (`tables_now`)."""
        return tables_now(self.database, self.now_s(), cafe, self._without_key())

    def account(self) -> Account | None:
        """Return the account that sent the current request; None for a guest."""
        if "account" not in g:
            g.account = self._signed(request)
        found: Account | None = g.account
        return found

    def _said(self, request: Request) -> list[str] | None:
        """Return the cookie's parts: the account's mark, the random id of this sign-in, the account's name."""
        try:
            said = self._signer.unsign(request.cookies.get(_COOKIE, ""), max_age=_SIGNED_FOR_S).decode()
        except (BadSignature, UnicodeDecodeError):
            return None
        parts = said.split(" ", 2)
        return parts if len(parts) == 3 else None

    def _signed(self, request: Request) -> Account | None:
        said = self._said(request)
        if said is None:
            return None
        mark, signing_in, name = said
        account = self.accounts.named(name)
        if account is None or account.mark != mark or self.accounts.is_signed_out(signing_in):
            return None
        return account

    def need_chain(self) -> Account:
        """Return the sender's account, which must be one of the chain.

        :raises Refused: it is not.
        """
        account = self.need_account()
        if account.role != "chain":
            raise Refused(403, "chain_only", back="/")
        return account

    def need_account(self) -> Account:
        """Return the sender's account.

        :raises Refused: the sender is a guest.
        """
        account = self.account()
        if account is None:
            raise Refused(401, "login_needed", back="/login")
        return account

    def need_cafe(self, cafe: str) -> Account:
        """Return the sender's account, which must run `cafe` ("": the whole chain).

        :raises Refused: it does not.
        """
        account = self.need_account()
        if not account.runs(cafe):
            raise Refused(403, "other_cafe", back="/")
        return account

    def speech(self, game: str | None = None, names: tuple[str, ...] = ()) -> Speech:
        """Return the words for the sender of the request, including those of `game`."""
        return Speech(language_of(request, self.site.language), game if game in GAMES else None, names)
