"""A process that may have no more threads."""

from __future__ import annotations

from typing import NoReturn


def refused(*_: object) -> NoReturn:
    """Raise what Python raises in the place of a new thread when the kernel's limit is reached (EAGAIN, `clone(2)`)."""
    raise RuntimeError("can't start new thread")
