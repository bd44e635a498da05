"""Seeds of random games: some in every run of the suite, the others in the soak."""

from __future__ import annotations

from typing import Any

import pytest


def seeds(few: int, many: int) -> list[Any]:
    """Return `many` seeds as parameters; those after the first `few` are left to `make soak`."""
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(few, many))]
