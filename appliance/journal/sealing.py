"""Sealing: secret fields are encrypted on disk. The key is in a file of its own outside the database.

AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce for every seal. The plaintext is padded to a power of two of
at least 128 bytes, so that its length reveals little. The entry's place is bound as associated data: a seal that was
moved to another entry does not open.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from appliance.journal.codes import SealProblem

KEY_BYTES = 32
KEY_ID_BYTES = 8
NONCE_BYTES = 12
LEAST_PADDED_BYTES = 128


class SealError(Exception):
    """A seal cannot be opened. Who knows of which journal it is names the file."""

    def __init__(self, code: SealProblem) -> None:
        super().__init__(code)
        self.code = code


def _key_id(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=KEY_ID_BYTES, person=b"smugglers-key").digest()


def _padded(plain: bytes) -> bytes:
    room = LEAST_PADDED_BYTES
    while room < len(plain) + 4:
        room *= 2
    return (len(plain).to_bytes(4, "big") + plain).ljust(room, b"\0")


class Sealer:
    """Seals with the first of its keys and opens with any.

    :param keys: one or more keys of 32 bytes; several after a lost key file was found again and joined to the new one.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise ValueError(f"keys have {KEY_BYTES} bytes")
        self._ciphers = {_key_id(key): AESGCM(key) for key in keys}
        self._first = _key_id(keys[0])

    def seal(self, plain: bytes, bound_to: bytes) -> bytes:
        """Return key id, nonce and ciphertext as one blob that opens only together with the same `bound_to`."""
        nonce = os.urandom(NONCE_BYTES)
        return self._first + nonce + self._ciphers[self._first].encrypt(nonce, _padded(plain), bound_to)

    def has_key_of(self, blob: bytes) -> bool:
        """Return whether one of the keys made a seal."""
        return blob[:KEY_ID_BYTES] in self._ciphers

    def open(self, blob: bytes, bound_to: bytes) -> bytes:
        """Return what was sealed.

        :raises SealError: `key_missing` when none of the keys made it, `seal_broken` when it was altered or moved.
        """
        key_id, rest = blob[:KEY_ID_BYTES], blob[KEY_ID_BYTES:]
        nonce, sealed = rest[:NONCE_BYTES], rest[NONCE_BYTES:]
        if not self.has_key_of(blob):
            raise SealError("key_missing")
        try:
            padded = self._ciphers[key_id].decrypt(nonce, sealed, bound_to)
        except (InvalidTag, ValueError):
            raise SealError("seal_broken") from None
        return padded[4:][: int.from_bytes(padded[:4], "big")]


def keys_of(text: bytes) -> tuple[bytes, ...] | None:
    """Return the keys in the text of a key file, one a line as 64 hex digits; None: it is not one."""
    try:
        keys = tuple(bytes.fromhex(line) for line in text.decode("ascii").split())
    except ValueError:
        return None
    return keys if keys and all(len(key) == KEY_BYTES for key in keys) else None
