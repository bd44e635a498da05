"""The code with which a table joins a hub: one URL that contains everything the table needs."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import parse_qs, urlsplit

import msgspec
from cryptography.x509 import load_der_x509_certificate

from appliance.hub.link import nkeys
from appliance.service.machine.web_address import in_url

SCHEME = "nats+tls"
PORT = 4222
NAME = "[a-z0-9][a-z0-9-]{0,30}"
"""Pattern of a table's name at its hub. It is part of addresses and shown on pages."""
GIVEN_MOST = 26
"""Longest name that people may give a table. This leaves room for the number of a later invitation (`cellar-2`)."""


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A table's name at the hub, the broker's host and port, the table's secret seed, and the hub's certificate (DER).

    `again`: the hub has this table's games so far under a former name.
    """

    table: str
    host: str
    port: int
    seed: str
    authority: bytes
    again: bool = False

    @property
    def code(self) -> str:
        """The invitation as one line of text. It contains the seed, with which anybody can publish as this table."""
        authority = base64.urlsafe_b64encode(self.authority).decode().rstrip("=")
        again = "&again=1" if self.again else ""
        return f"{SCHEME}://{self.table}:{self.seed}@{in_url(self.host)}:{self.port}?ca={authority}{again}"


def read_code(code: str) -> Invitation | None:
    """Return the invitation of a code; None if it is invalid or incomplete."""
    try:
        parts = urlsplit(code.strip())
        asked = parse_qs(parts.query, strict_parsing=True)
        authority = asked["ca"][0]
        invitation = Invitation(
            table=str(parts.username),
            host=str(parts.hostname or ""),
            port=parts.port or PORT,
            seed=str(parts.password),
            authority=base64.b64decode(authority + "=" * (-len(authority) % 4), altchars=b"-_", validate=True),
            again=asked.get("again") == ["1"],
        )
        nkeys.public_key(invitation.seed)
        load_der_x509_certificate(invitation.authority)
    except (ValueError, KeyError, binascii.Error):
        return None
    whole = parts.scheme == SCHEME and bool(invitation.host) and re.fullmatch(NAME, invitation.table)
    return invitation if whole else None
