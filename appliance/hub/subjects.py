"""The broker's subjects and headers for messages of tables and of the hub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

JOURNALS, STORED = "JOURNALS", "STORED"
"""The broker's streams: tables' envelopes until the hub has taken them, and the newest `stored` of each table. A status
is in no stream, because the next one comes within a minute."""
_STREAMS = {"journal": JOURNALS, "stored": STORED}
_ENTRY, _WRITTEN = "Smugglers-Entry", "Smugglers-Written"
_OURS = re.compile(rb"\r\n((?:%s|%s): [\x21-\x7e]{1,40})(?=\r\n)" % (_ENTRY.encode(), _WRITTEN.encode()))
What = Literal["journal", "status", "stored", "wanted"]


def subject(table: str, what: What) -> str:
    """Return the subject of a table's messages: `journal` and `status` to the hub, `stored` and `wanted` from the hub.

    The payload of `stored` is the decimal number of the entry up to which the hub's database has committed everything.
    Its headers are those of `written`: they show a table whether that entry is its own. There is no request for
    `stored`: a table that receives none sends again.

    A message to `journal` is one envelope. Its headers are those of `numbered(seq)`. It has no `Nats-Msg-Id`: JetStream
    compares those over a whole stream, so a table could make another table's entries look like duplicates.
    """
    return f"smugglers.{table}.{what}"


def every(what: What) -> str:
    """Return the subject that matches the messages of all tables."""
    return subject("*", what)


def table_of(subject: str) -> str:
    """Return the table that a subject names. The broker allows no other table to publish there."""
    return subject.split(".")[1]


def numbered(seq: int) -> dict[str, str]:
    """Return the headers with the number of a message's entry in its table's journal."""
    return {_ENTRY: str(seq)}


def seq_of(headers: Mapping[str, str] | None) -> int | None:
    """Return the entry number in some headers; None if there is none."""
    number = (headers or {}).get(_ENTRY, "")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 15 else None


def written(wall_s: float | None) -> dict[str, str] | None:
    """Return the headers with the time when the entry was written, by its table's clock; None if it is unknown."""
    return None if wall_s is None else {_WRITTEN: repr(wall_s)}


def written_of(headers: Mapping[str, str] | None) -> float | None:
    """Return the time in some headers at which the entry was written; None if there is none."""
    try:
        return float((headers or {})[_WRITTEN])
    except (KeyError, ValueError):
        return None


def ours(subject: bytes, headers: bytes) -> bytes:
    """Return the header block of a message without what only a broker may say; empty if nothing is left.

    A table can put any bytes there, such as the `Status` by which a broker says that it has no more messages. In a
    message to or from a table only the headers of `numbered` and `written` are left. Other subjects are the broker's.
    """
    if not headers or not subject.startswith(b"smugglers."):
        return headers
    lines = _OURS.findall(headers)
    return b"\r\n".join((b"NATS/1.0", *lines, b"", b"")) if lines else b""


def last_of(table: str, what: Literal["journal", "stored"]) -> str:
    """Return the subject for requesting the newest message that the broker holds (JetStream's direct get, ADR-31)."""
    return f"$JS.API.DIRECT.GET.{_STREAMS[what]}.{subject(table, what)}"


def inbox(table: str) -> str:
    """Return the prefix of a table's inbox for replies. No other table may subscribe to it."""
    return f"_INBOX_{table}"
