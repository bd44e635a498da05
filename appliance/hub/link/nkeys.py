"""NKeys: Ed25519 keys in the text form of NATS (docs.nats.io, "NKeys"; github.com/nats-io/nkeys).

It is base32 without padding over prefix, key and CRC-16/XMODEM, low byte first.
"""

from __future__ import annotations

import base64
import binascii
import os
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SEED_BYTES = 32
_SEED, _USER = 18 << 3, 20 << 3
"""The prefix bytes that make the text of a seed begin with S, and that of a user's public key with U."""


def new_seed() -> str:
    """Return a new secret seed of a user: `SU…`."""
    return _seed_text(os.urandom(SEED_BYTES))


def public_key(seed: str) -> str:
    """Return the public key of a seed: `U…`.

    :raises ValueError: `seed` is invalid.
    """
    raw = _key(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return _text(bytes([_USER]) + raw)


def sign(seed: str, nonce: str) -> bytes:
    """Return the signature of a broker's nonce, in base64.

    :raises ValueError: `seed` is invalid.
    """
    return base64.b64encode(_key(seed).sign(nonce.encode()))


def _seed_text(raw: bytes) -> str:
    # The user's prefix follows the seed's five prefix bits, so it is spread over both bytes.
    return _text(bytes([_SEED | (_USER >> 5), (_USER & 31) << 3]) + raw)


def _key(seed: str) -> Ed25519PrivateKey:
    try:
        plain = base64.b32decode(seed + "=" * (-len(seed) % 8))
    except binascii.Error:
        raise ValueError("no seed") from None
    if len(plain) != 2 + SEED_BYTES + 2 or _seed_text(plain[2:-2]) != seed:
        raise ValueError("no seed")
    return Ed25519PrivateKey.from_private_bytes(plain[2:-2])


def _text(raw: bytes) -> str:
    checked = raw + struct.pack("<H", binascii.crc_hqx(raw, 0))
    return base64.b32encode(checked).decode().rstrip("=")
