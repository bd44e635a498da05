"""Makes calls that may never return on a separate thread, so that the caller can limit its wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def begun(call: Callable[[], T], name: str) -> Future[T]:
    """Start a call on a new daemon thread; return a future for its result or exception. It may never complete."""
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
