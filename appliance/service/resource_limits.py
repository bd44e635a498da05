"""Limits memory and threads of glibc and BLAS. Call before importing numpy."""

from __future__ import annotations

import ctypes
import os

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # glibc's malloc.h
_PICTURE_BYTES = 512 * 1024
_ARENAS = 2


def limit_resources() -> None:
    """Limit memory and threads. Call before importing numpy. Without glibc only the threads are limited.

    - Freed pictures go back to the system instead of staying in the heap.
    - The web's hundreds of threads share two malloc arenas.
    - BLAS uses one thread: its waiting threads spin and take cores that the scale and the camera need.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    allocate = getattr(ctypes.CDLL(None), "mallopt", None)
    if allocate is not None:
        allocate(_M_ARENA_MAX, _ARENAS)
        allocate(_M_MMAP_THRESHOLD, _PICTURE_BYTES)
