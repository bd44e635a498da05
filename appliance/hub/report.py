"""How a table says that it stands: the payload of its `status` messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from appliance.hub.link.wanted import Consent, Offered
from appliance.service.outside.table_status import TableStatus

Trouble = Literal["hub_knows_more", "journal_unreadable"]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a table stands, said every minute and when it changes.

    `wall_s` is the table's clock when it was said, seconds since 1970. `release` is what runs there. `newest` is the
    newest entry of its journal, `stored` the newest of which the hub has said that it is stored. `trouble` is why
    the journal is not sent: `hub_knows_more` (an older journal was put back there: it needs an invitation anew),
    `journal_unreadable`. Names of unknown players in `status` are empty. `takes` is what the table's owner lets the hub
    do there; `offered` what came of the last release that the hub offered. `erased`: marks of the names that were
    erased there, each with the newest entry of the journal then; `counts_from`: that of the moment when it was invited
    anew, 0 before.
    """

    format: Literal[1] = 1
    table: str
    wall_s: float
    release: str
    newest: int
    stored: int
    trouble: Trouble | None = None
    takes: tuple[Consent, ...] = ()
    offered: Offered | None = None
    erased: Mapping[str, int] = {}
    counts_from: int = 0
    status: TableStatus | None


_encode = msgspec.json.Encoder(order="deterministic").encode
_decoder = msgspec.json.Decoder(Report)


def encoded(report: Report) -> bytes:
    """Return the bytes of a report: JSON."""
    return _encode(report)


def decoded(said: bytes) -> Report:
    """Return the report of a message's bytes.

    :raises msgspec.MsgspecError: this release does not read them.
    :raises UnicodeDecodeError: likewise.
    """
    return _decoder.decode(said)


def report_of(said: bytes | None) -> Report | None:
    """Return the report of some bytes; None where there are none, or none that this release can read."""
    try:
        return None if said is None else decoded(said)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def stored_of(said: bytes) -> int:
    """Return up to which entry a table was told that the hub has all; 0 where this release cannot read it."""
    report = report_of(said)
    return 0 if report is None else report.stored


def without_names(said: bytes) -> bytes:
    """Return the bytes of a report without the names of those who play: a hub has them from the journal alone.

    Of bytes that this release cannot read nothing is left.
    """
    report = report_of(said)
    if report is None:
        return b""
    if report.status is None or report.status.game is None:
        return said
    seats = tuple(replace(seat, name="") for seat in report.status.game.seats)
    return encoded(replace(report, status=replace(report.status, game=replace(report.status.game, seats=seats))))
