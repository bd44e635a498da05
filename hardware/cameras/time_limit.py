"""Calls that may never return, made on a thread of their own and waited for only so long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def begun(call: Callable[[], T], name: str) -> Future[T]:
    """Begin a call on a daemon thread; what becomes of it is in the future, if anything ever does."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            result = call()
        except BaseException as error:
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome
