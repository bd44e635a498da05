"""Key files with spares: an empty, lost or damaged key file is restored from its spare."""

from __future__ import annotations

import hashlib
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from appliance.journal.sealing import KEY_BYTES, Sealer, keys_of
from appliance.words.errors import NO_ROOM, TableError
from hardware.files.regular_file import open_ordinary, write_private

Mended = Literal["", "key_restored", "key_renewed", "key_was_readable"]
"""The repair: none; restored from the spare; created again, because none was left; closed to other users."""
SEAL_KEY, WEB_KEY = "seal.key", "web.key"
SPARES = "copy"
"""The folder of the copies, within the data folder."""
WEB_KEY_BYTES = 32
DIGEST_BYTES = 16
_MOST_BYTES = 64 * 1024
"""How much is read of a file that should be a key. Each is far smaller."""


def seal_key(folder: Path) -> tuple[Sealer, Mended]:
    """Return the sealer of the journal in a data folder. If no key is left, existing seals cannot be opened.

    The first key of a new folder is `key_renewed`, too. The spare is on the same disk, and opens nothing that the key
    does not open.

    :raises TableError: `key_unreadable`: the folder cannot be read or written.
    :raises OSError: the disk is full.
    """
    path, spare = folder / SEAL_KEY, folder / SPARES / SEAL_KEY
    try:
        second = _read(spare)
        usable = second if second is not None and keys_of(second) is not None else None
        fresh = (secrets.token_hex(KEY_BYTES) + "\n").encode()
        text, mended = _kept(path, usable, fresh, lambda raw: keys_of(raw) is not None)
        if usable is None:
            write_private(spare, text)
        return Sealer(stored_seal_keys(folder)), mended
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise TableError("key_unreadable", path=str(error.filename or path)) from None


def stored_seal_keys(folder: Path) -> tuple[bytes, ...]:
    """Return the keys in a data folder's key file and in its spare; empty where neither is a key. It only reads.

    :raises OSError: one of them is there and cannot be read.
    """
    # If key and spare differ, it is unknown which one was altered. Each opens what it sealed.
    files = (_read(folder / SEAL_KEY), _read(folder / SPARES / SEAL_KEY))
    return tuple(dict.fromkeys(key for text in files if text is not None for key in keys_of(text) or ()))


def web_key(folder: Path) -> tuple[bytes, Mended]:
    """Return the key that signs cookies and join links. When it is renewed, phones have to scan their codes again.

    The first key of a new folder is `key_renewed`, too. Its spare ends with a digest. A key that differs from a spare
    with a right digest was altered.

    :raises OSError: the folder cannot be read or written.
    """
    path, spare = folder / WEB_KEY, folder / SPARES / WEB_KEY
    second = _read(spare) or b""
    whole = _whole(second)
    usable = whole or (second if _is_web_key(second) else None)
    key, mended = _kept(
        path, usable, secrets.token_bytes(WEB_KEY_BYTES), lambda raw: _is_web_key(raw) and whole in (None, raw)
    )
    if whole != key:
        write_private(spare, key + _digest(key))
    return key, mended


def _is_web_key(raw: bytes) -> bool:
    return len(raw) == WEB_KEY_BYTES and any(raw)


def _digest(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=DIGEST_BYTES, person=b"smugglers-spare").digest()


def _whole(spare: bytes) -> bytes | None:
    """Return the key in a spare whose digest is right."""
    key, digest = spare[:WEB_KEY_BYTES], spare[WEB_KEY_BYTES:]
    return key if _is_web_key(key) and digest == _digest(key) else None


def _kept(path: Path, spare: bytes | None, fresh: bytes, valid: Callable[[bytes], bool]) -> tuple[bytes, Mended]:
    """Return the key in a file, or else its spare, or else a fresh one, which is stored in the file."""
    found = _read(path)
    if found is not None and valid(found):
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
            return found, "key_was_readable"
        return found, ""
    if found is not None:
        path.replace(path.with_name(path.name + ".damaged"))
    key = fresh if spare is None else spare
    write_private(path, key)
    return key, "key_restored" if spare is not None else "key_renewed"


def _read(path: Path) -> bytes | None:
    try:
        with open_ordinary(path) as file:
            return file.read(_MOST_BYTES)
    except FileNotFoundError:
        return None
