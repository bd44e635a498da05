"""A table's status report: the payload of its `status` messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from appliance.hub.link.wanted import Consent, Offered
from appliance.service.outside.table_status import TableStatus
from hardware.files.regular_file import UNDECODABLE

Trouble = Literal["hub_knows_more", "journal_unreadable"]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A table's status report, sent every minute and when it changes.

    `wall_s` is the table's clock when the report was made, seconds since 1970. `release` is the release that runs
    there. `newest` is the newest entry of its journal, `stored` the newest one that the hub has confirmed as stored.
    `trouble` is why the journal is not sent: `hub_knows_more` (an older journal was restored there; it needs a new
    invitation), `journal_unreadable`. Names of unknown players in `status` are empty. `takes` is what the table's owner
    allows the hub to do there; `offered` is the result of the last release that the hub offered. `erased`: marks of the
    names that were erased there, each with the newest journal entry at that time. `counts_from`: the newest journal
    entry when the table was invited again, 0 if it was not.
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

    :raises Exception: one of `UNDECODABLE`: this release cannot read them.
    """
    return _decoder.decode(said)


def report_of(said: bytes | None) -> Report | None:
    """Return the report of some bytes; None if there are none, or this release cannot read them."""
    try:
        return None if said is None else decoded(said)
    except UNDECODABLE:
        return None


def stored_of(said: bytes) -> int:
    """Return the report's `stored`: the newest entry confirmed to the table; 0 if this release cannot read it."""
    report = report_of(said)
    return 0 if report is None else report.stored


def without_names(said: bytes) -> bytes:
    """Return the bytes of a report without players' names: a hub takes names from the journal alone.

    Bytes that this release cannot read become b"".
    """
    report = report_of(said)
    if report is None:
        return b""
    if report.status is None or report.status.game is None:
        return said
    seats = tuple(replace(seat, name="") for seat in report.status.game.seats)
    return encoded(replace(report, status=replace(report.status, game=replace(report.status.game, seats=seats))))
