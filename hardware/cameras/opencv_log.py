"""OpenCV's own log: what it prints of a camera or a clip that is missing is told once, by a code, and not printed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2

_ERROR = 2  # LOG_LEVEL_ERROR


@contextmanager
def errors_only() -> Iterator[None]:
    """Let OpenCV print errors only inside the context."""
    log: Any = getattr(getattr(cv2, "utils", None), "logging", cv2)  # before OpenCV 4.12 it was in cv2 itself
    before = log.setLogLevel(_ERROR)
    try:
        yield
    finally:
        log.setLogLevel(before)
