"""A hub's offer to a table: a release, and house settings. The table accepts them if its owner agreed.

The hub repeats an offer every minute while it is valid. An offer that is no longer repeated expires.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from appliance.words.catalogues import LANGUAGES
from hardware.files.regular_file import UNDECODABLE

MOST_BYTES = 4096
"""A longer offer is ignored."""
SAID_EVERY_S = 60.0
HOLDS_S = 3 * SAID_EVERY_S
"""How long an offer is valid after it was received."""
Consent = Literal["updates", "settings"]
OfferState = Literal["waits", "running", "installed", "failed", "went_back", "gone", "refused"]
_RELEASE = re.compile(r"[0-9][A-Za-z0-9.+~:-]{0,59}")
"""A package version (Debian policy, 5.6.12)."""
Hour = Annotated[int, Meta(ge=0, le=23)]


class HouseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that a hub may change at a table: none is secret, and none changes a game.

    Hours are hours of the day at the table; equal hours mean never. `language`: of the table's pages, or `auto`.
    """

    language: Annotated[str, Meta(pattern=rf"\A(auto|{'|'.join(LANGUAGES)})\Z")] = "auto"
    quiet_from_h: Hour = 0
    quiet_until_h: Hour = 0
    dark_from_h: Hour = 0
    dark_until_h: Hour = 0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The payload of a `wanted` message: the release that the table should run ("": none), and its settings or null."""

    format: Literal[1] = 1
    release: str = ""
    settings: HouseSettings | None = None


class Offered(msgspec.Struct, frozen=True):
    """The state of the offer of `release`, as a table reports it.

    `waits`: a game is being played. `running`: it is being installed. `went_back`: it did not work, and the table was
    rolled back. `gone`: no package source of the table has it. `refused`: the machine did not begin.
    """

    release: str
    state: OfferState


def is_release(text: str) -> bool:
    """Return whether `text` is a valid package version."""
    return bool(_RELEASE.fullmatch(text))


def encoded(wanted: Wanted) -> bytes:
    """Return the bytes of an offer: JSON."""
    return msgspec.json.encode(wanted)


def decoded(said: bytes) -> Wanted | None:
    """Return the offer of a message's bytes; None if this release cannot read it or it is not valid."""
    if len(said) > MOST_BYTES:
        return None
    try:
        wanted = msgspec.json.decode(said, type=Wanted)
    except UNDECODABLE:
        return None
    return wanted if not wanted.release or is_release(wanted.release) else None
