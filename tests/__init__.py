"""Tests, and the measurements that `make bench` takes."""

import os

# As `appliance.service.resource_limits` does: OpenBLAS reads this when numpy is first imported. Threads that
# spin beside the suite's own processes make small matrices many times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
