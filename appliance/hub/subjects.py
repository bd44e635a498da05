"""Where the messages of tables and of the hub go at the broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

JOURNALS, STORED = "JOURNALS", "STORED"
"""The broker's streams: what tables send until the hub has taken it, and the newest `stored` of each table. A status
is in none: the next one comes within a minute."""
_STREAMS = {"journal": JOURNALS, "stored": STORED}
_ENTRY, _WRITTEN = "Smugglers-Entry", "Smugglers-Written"
What = Literal["journal", "status", "stored", "wanted"]


def subject(table: str, what: What) -> str:
    """Return where a table's messages go: `journal` and `status` to the hub, `stored` and `wanted` from the hub.

    The payload of `stored` is the decimal number of the newest entry up to which the hub's database has committed
    all. Its headers are those of `written`: by them a table knows whether that entry is its own. A request to `stored`
    is not needed: a table that hears none sends again.

    A message to `journal` is one envelope. Its headers are those of `numbered(seq)`. It has no `Nats-Msg-Id`: JetStream
    compares those over a whole stream, and any table could let another's entries be taken for repetitions.
    """
    return f"smugglers.{table}.{what}"


def every(what: What) -> str:
    """Return the subject that matches the messages of all tables."""
    return subject("*", what)


def table_of(subject: str) -> str:
    """Return the table that a subject names: the broker lets nobody else write there."""
    return subject.split(".")[1]


def numbered(seq: int) -> dict[str, str]:
    """Return the headers that say which entry of its table's journal a message is."""
    return {_ENTRY: str(seq)}


def seq_of(headers: Mapping[str, str] | None) -> int | None:
    """Return the entry that headers say; None where they say none."""
    number = (headers or {}).get(_ENTRY, "")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 15 else None


def written(wall_s: float | None) -> dict[str, str] | None:
    """Return the headers that say when the entry was written, by its table's clock; None where nobody can read it."""
    return None if wall_s is None else {_WRITTEN: repr(wall_s)}


def written_of(headers: Mapping[str, str] | None) -> float | None:
    """Return when headers say that the entry was written; None where they say nothing."""
    try:
        return float((headers or {})[_WRITTEN])
    except (KeyError, ValueError):
        return None


def last_of(table: str, what: Literal["journal", "stored"]) -> str:
    """Return where to ask for the newest message that the broker holds (JetStream's direct get, ADR-31)."""
    return f"$JS.API.DIRECT.GET.{_STREAMS[what]}.{subject(table, what)}"


def inbox(table: str) -> str:
    """Return the prefix of the inbox in which a table hears answers: nobody else may listen there."""
    return f"_INBOX_{table}"
