"""Keeps what is made of a source file beside Python's own bytecode, and makes it anew when something has changed.

Templates and catalogues of words are compiled at each start without it, which takes longer than the start itself.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType
from typing import TypeVar, cast

from hardware.files.regular_file import prepared

Made = TypeVar("Made", CodeType, dict[str, str])
_SEAL_BYTES = 16


def compiled(source: Path, made_from: bytes, make: Callable[[], Made]) -> Made:
    """Return what `make` returns, from the kept copy if that was made from the same.

    It follows Python's rules for bytecode: the folder is `__pycache__` or in `sys.pycache_prefix`, nothing is kept if
    `sys.dont_write_bytecode`, and a folder that cannot be written is no error. A copy that a power cut left damaged
    is not used.

    :param made_from: all that decides what is made: the text of `source`, and the version of what makes it.
    """
    file = Path(cache_from_source(f"{source}.py")).with_suffix(".bin")
    with suppress(OSError):
        kept = file.read_bytes()
        if kept[:_SEAL_BYTES] == _seal(made_from, kept[_SEAL_BYTES:]):
            return cast(Made, marshal.loads(kept[_SEAL_BYTES:]))  # noqa: S302  # the seal says that `make` made it
    made = make()
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            data = marshal.dumps(made)
            with prepared(file, _seal(made_from, data) + data, 0o644) as draft:
                draft.replace(file)
    return made


def _seal(made_from: bytes, made: bytes) -> bytes:
    """Return a digest of what a copy was made from, and of itself: `marshal` must not read a damaged one."""
    digest = hashlib.blake2b(MAGIC_NUMBER, digest_size=_SEAL_BYTES)
    for part in (made_from, made):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
