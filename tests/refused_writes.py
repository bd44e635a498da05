"""A disk that refuses writes: the kernel refuses them, so no code under test is replaced."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def refused_writes(beyond_bytes: int) -> Iterator[None]:
    """Let the kernel refuse every write beyond these bytes of a file (setrlimit(2), RLIMIT_FSIZE)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beyond_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
