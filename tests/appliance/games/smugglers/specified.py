"""What the specification of Smugglers asks to be shown."""

from __future__ import annotations

SCENARIOS = """
    S-01 S-02 S-04 S-05 S-07 S-08 S-10 S-11 S-13 S-14 S-16 S-17 S-19 S-20 S-22 S-23 S-25 S-26 S-28 S-29 S-31 S-32
    S-34 S-35 S-37 S-38 S-40 S-41 S-43 S-44 S-47 S-49 S-50
""".split()  # noqa: SIM905  # a list of strings reads worse
"""Scenarios that recordings show. S-46 is a property: see test_secrets.py."""
