"""How a table says it is: its status for everybody, the release that runs, its clock."""

from __future__ import annotations

import msgspec

from appliance.service.outside.table_status import TableStatus


class StatusMessage(msgspec.Struct, frozen=True, kw_only=True):
    """`release` is the version of the package; `wall_s` the table's clock when it was sent, seconds since 1970."""

    release: str
    wall_s: float
    status: TableStatus


def told_by(data: bytes | None) -> StatusMessage | None:
    """Return the message; None where there is none, or none that this release can read."""
    try:
        return None if data is None else msgspec.json.decode(data, type=StatusMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
