"""What the specification of Prohis asks to be shown."""

from __future__ import annotations

SCENARIOS = """
    P-01 P-02 P-04 P-05 P-07 P-08 P-10 P-11 P-13 P-14 P-16 P-17 P-19 P-20 P-22 P-23 P-25
""".split()  # noqa: SIM905  # a list of strings reads worse
"""Scenarios that recordings show."""
