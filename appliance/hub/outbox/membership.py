"""A table's membership in a hub, and the cursor of its journal at the hub: two small files in the data folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from appliance.hub.link.invitation import Invitation, read_code
from appliance.words.errors import TableError, unwritable
from hardware.files.regular_file import MOST_TEXT_BYTES, UNDECODABLE, read_ordinary, write_private

MEMBERSHIP, CURSOR = "hub.json", "hub-cursor.json"


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """The code with which the table joined. Games opened at entry `counts_from` or before count for no league."""

    code: str
    counts_from: int = 0

    @property
    def invitation(self) -> Invitation:
        """The invitation of the code.

        :raises TableError: `hub_code`.
        """
        read = read_code(self.code)
        if read is None:
            raise TableError("hub_code")
        return read


def join(folder: Path, code: str, newest: int) -> Membership:
    """Let the table of a data folder join a hub. The same code again changes nothing.

    :param newest: the journal's newest entry.
    :raises TableError: `hub_code` (not a valid invitation), `folder_unusable`, `file_unusable`, `disk_full`.
    """
    invitation = read_code(code)
    if invitation is None:
        raise TableError("hub_code")
    before = membership(folder)
    if before is not None and before.code == invitation.code:
        return before
    now = Membership(code=invitation.code, counts_from=newest if invitation.again else 0)
    try:
        write_private(folder / MEMBERSHIP, msgspec.json.encode(now))
    except OSError as error:
        raise unwritable(folder / MEMBERSHIP, error) from None
    return now


def membership(folder: Path) -> Membership | None:
    """Return the table's membership; None if it joined no hub.

    :raises TableError: `file_unusable`.
    """
    path = folder / MEMBERSHIP
    try:
        return msgspec.json.decode(read_ordinary(path, MOST_TEXT_BYTES), type=Membership)
    except FileNotFoundError:
        return None
    except (OSError, *UNDECODABLE) as error:
        reason = getattr(error, "strerror", None) or "it is damaged; join the hub again"
        raise TableError("file_unusable", path=str(path), reason=reason) from None


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """The entry up to which the hub's database has everything of `table`, and its digest in the journal."""

    table: str
    seq: int = 0
    digest: bytes = b""


def read_cursor(folder: Path, table: str) -> Cursor:
    """Return the cursor. If it is lost or another table's, return one at the start: everything is sent again."""
    try:
        cursor = msgspec.json.decode(read_ordinary(folder / CURSOR, MOST_TEXT_BYTES), type=Cursor)
    except (OSError, *UNDECODABLE):
        return Cursor(table=table)
    return cursor if cursor.table == table and cursor.seq >= 0 else Cursor(table=table)


def write_cursor(folder: Path, cursor: Cursor) -> None:
    """Store the cursor.

    :raises OSError: it cannot be written. No entry is lost by that.
    """
    write_private(folder / CURSOR, msgspec.json.encode(cursor))
