"""What a hub offers a table: a release, and settings of the house. The table takes them where its owner agreed.

An offer is said again every minute while it stands. One that is not said any more is over.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from appliance.words import LANGUAGES

MOST_BYTES = 4096
"""A longer offer is none."""
SAID_EVERY_S = 60.0
HOLDS_S = 3 * SAID_EVERY_S
"""So long an offer that was said stands."""
Consent = Literal["updates", "settings"]
OfferState = Literal["waits", "running", "installed", "failed", "went_back", "gone", "refused"]
_RELEASE = re.compile(r"[0-9][A-Za-z0-9.+~:-]{0,59}")
"""Debian policy, 5.6.12."""
Hour = Annotated[int, Meta(ge=0, le=23)]


class HouseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub may set at a table: nothing that is secret, and nothing that changes a game.

    Hours are hours of the table's day; equal ones mean never. `language`: of the table's pages, or `auto`.
    """

    language: Annotated[str, Meta(pattern=rf"\A(auto|{'|'.join(LANGUAGES)})\Z")] = "auto"
    quiet_from_h: Hour = 0
    quiet_until_h: Hour = 0
    dark_from_h: Hour = 0
    dark_until_h: Hour = 0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The payload of a `wanted` message: the release that the table should run, and its settings; none: "" and null."""

    format: Literal[1] = 1
    release: str = ""
    settings: HouseSettings | None = None


class Offered(msgspec.Struct, frozen=True):
    """What came of the offer of `release`, as a table reports it.

    `waits`: a game is played. `running`: it is being installed. `went_back`: it did not serve, and the former release
    runs. `gone`: no source of packages at the table has it. `refused`: the machine did not begin.
    """

    release: str
    state: OfferState


def is_release(text: str) -> bool:
    """Return whether `text` can be the version of a package."""
    return bool(_RELEASE.fullmatch(text))


def encoded(wanted: Wanted) -> bytes:
    """Return the bytes of an offer: JSON."""
    return msgspec.json.encode(wanted)


def decoded(said: bytes) -> Wanted | None:
    """Return the offer of a message's bytes; None: this release cannot read it, or it is no sensible one."""
    if len(said) > MOST_BYTES:
        return None
    try:
        wanted = msgspec.json.decode(said, type=Wanted)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return wanted if not wanted.release or is_release(wanted.release) else None
