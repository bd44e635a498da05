"""Measurements, side by side with peers or floors in the same run. `python -m tests.bench` runs all of them."""

import os

# Figures are of one thread; OpenBLAS reads this when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
