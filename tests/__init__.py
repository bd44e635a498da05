"""Tests, and the measurements that `make bench` takes."""

import ctypes
import os

# As `appliance.service.resource_limits` does: OpenBLAS reads this when numpy is first imported. Threads that
# spin beside the suite's own processes make small matrices many times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Large pictures come and go by the thousand. Mapped anew each time, their pages cost a third of the processor time.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
_KEPT_BYTES = 1 << 30
if allocate := getattr(ctypes.CDLL(None), "mallopt", None):
    allocate(_M_MMAP_THRESHOLD, _KEPT_BYTES)
    allocate(_M_TRIM_THRESHOLD, _KEPT_BYTES)
