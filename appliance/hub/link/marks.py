"""Marks: hashes that replace erased names, at a table and at its hub. A name can be recognised, but not read."""

from __future__ import annotations

import re
from hashlib import blake2b

from appliance.games.league.result import name_key

_MARK = re.compile(r"[0-9a-f]{32}")


def mark_of(name: str) -> str:
    """Return the mark of a name. It is the same for all spellings with the same `name_key`."""
    return mark_of_guest(name_key(name))


def mark_of_guest(guest: str) -> str:
    """Return the mark of the guest whose key (`name_key`) this is."""
    return blake2b(guest.encode(), digest_size=16, person=b"erased guest").hexdigest()


def is_mark(text: str) -> bool:
    """Return whether `text` has the form of a mark."""
    return bool(_MARK.fullmatch(text))
