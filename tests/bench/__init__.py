"""Measurements, side by side with peers or floors in the same run. `python -m tests.bench` runs all of them."""

import os

# As the appliance sets it, and before numpy is loaded: BLAS's waiting threads spin, which doubled a sphere's cost here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
