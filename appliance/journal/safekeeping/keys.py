"""Key files through a damaged disk: an emptied, lost or garbled one comes back from its spare."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from appliance.journal.sealing import KEY_BYTES, Sealer, SealError, keys_of
from hardware.regular_file import write_private

Mended = Literal["", "key_restored", "key_renewed", "key_was_readable"]
"""What had to be done: nothing; put back from its spare; made anew, because none was left; closed to other users."""
SEAL_KEY, WEB_KEY = "seal.key", "web.key"
SPARES = "copy"
"""The folder of the copies, within the data folder."""
WEB_KEY_BYTES = 32


def seal_key(folder: Path) -> tuple[Sealer, Mended]:
    """Return what seals the secrets of the journal in a data folder. With no key left, what is sealed stays closed.

    The spare is on the same disk: it guards nothing that the key does not.

    :raises SealError: `key_unreadable`: the folder cannot be read or written.
    """
    path, fresh = folder / SEAL_KEY, (secrets.token_hex(KEY_BYTES) + "\n").encode()
    try:
        text, mended = _kept(path, fresh, lambda raw: keys_of(raw) is not None)
    except OSError as error:
        raise SealError("key_unreadable", f"{path}: {error.strerror}; the table must read and write there") from None
    spare = folder / SPARES / SEAL_KEY
    # Where one of the two was altered, nothing tells which: both open what they sealed.
    keys = dict.fromkeys([*(keys_of(text) or ()), *(keys_of(spare.read_bytes()) or ())])
    return Sealer(tuple(keys)), mended


def web_key(folder: Path) -> tuple[bytes, Mended]:
    """Return the key that signs cookies and join links. When it is renewed, phones have to scan their codes again.

    :raises OSError: the folder cannot be read or written.
    """
    return _kept(
        folder / WEB_KEY, secrets.token_bytes(WEB_KEY_BYTES), lambda raw: len(raw) == WEB_KEY_BYTES and any(raw)
    )


def _kept(path: Path, fresh: bytes, valid: Callable[[bytes], bool]) -> tuple[bytes, Mended]:
    spare = path.parent / SPARES / path.name
    found, second = _read(path), _read(spare)
    mended: Mended = ""
    if found is not None and valid(found):
        key = found
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
            mended = "key_was_readable"
    else:
        if found is not None:
            path.replace(path.with_name(path.name + ".damaged"))
        usable = second is not None and valid(second)
        key = second if usable and second is not None else fresh
        mended = "key_restored" if usable else "" if found is None else "key_renewed"
        write_private(path, key)
    if second is None or not valid(second):
        write_private(spare, key)
    return key, mended


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
