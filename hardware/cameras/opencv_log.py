"""Limits OpenCV's own log to errors. A missing camera or clip is reported by a code instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2

_ERROR = 2  # LOG_LEVEL_ERROR


@contextmanager
def errors_only() -> Iterator[None]:
    """Let OpenCV log only errors inside the context."""
    log: Any = getattr(getattr(cv2, "utils", None), "logging", cv2)  # before OpenCV 4.12, setLogLevel was in cv2 itself
    before = log.setLogLevel(_ERROR)
    try:
        yield
    finally:
        log.setLogLevel(before)
