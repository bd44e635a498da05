"""What the specification of Customs asks to be shown."""

from __future__ import annotations

SCENARIOS = """
    C-01 C-02 C-04 C-05 C-07 C-08 C-10 C-11 C-13 C-14 C-16 C-17 C-19 C-20 C-22 C-23 C-25 A-04
""".split()  # noqa: SIM905  # a list of strings reads worse
"""Scenarios that recordings show. C-26 is a property: see test_properties.py."""
