"""A small machine's memory and cores: what the C library and the linear algebra take unless they are told otherwise."""

from __future__ import annotations

import ctypes
import os

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # glibc's malloc.h
_PICTURE_BYTES = 512 * 1024
_ARENAS = 2


def limit_resources() -> None:
    """Take less memory and fewer cores. Call it before numpy is imported; without glibc half of it is left out.

    Pictures go back to the system when they are freed instead of staying in the heap; the web's hundreds of threads
    share two arenas of memory; and small matrices are multiplied by one thread, because others that spin while they
    wait take the cores that the scale and the camera need.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    allocate = getattr(ctypes.CDLL(None), "mallopt", None)
    if allocate is not None:
        allocate(_M_ARENA_MAX, _ARENAS)
        allocate(_M_MMAP_THRESHOLD, _PICTURE_BYTES)
