"""Says which pictures of one calibration have another size than most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

_MOST_NAMES = 3


def different_sizes(pictures: Iterable[tuple[str, tuple[int, int]]]) -> str | None:
    """Return the sizes, the most frequent first, each other one with the names of its pictures; None if all are alike.

    :param pictures: name, and width and height in pixels.
    """
    names = defaultdict[tuple[int, int], list[str]](list)
    for name, size_px in pictures:
        names[size_px].append(name)
    if len(names) <= 1:
        return None
    usual, *others = sorted(names, key=lambda size_px: -len(names[size_px]))
    return "; ".join([_said(usual), *(f"{_said(size_px)}: {_listed(names[size_px])}" for size_px in others)])


def _said(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]}×{size_px[1]}"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + ("…" if len(names) > _MOST_NAMES else "")
