"""What the specification of Haulers asks to be shown."""

from __future__ import annotations

SCENARIOS = """
    T-01 T-02 T-04 T-05 T-07 T-08 T-10 T-11 T-13 T-14 T-16 T-17 T-22 T-23 T-25 T-26 T-28 T-29
""".split()  # noqa: SIM905  # a list of strings reads worse
"""Scenarios that recordings show. T-19 and T-20 are in test_ending.py: twenty deliveries would hide what is shown."""
