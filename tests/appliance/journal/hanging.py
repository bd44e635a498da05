"""A medium that hangs, made by the kernel."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import GIVEN_UP_S

_libc = ctypes.CDLL(None, use_errno=True)
_DETACHED = 2
"""`MNT_DETACH` of umount2(2)."""


class Hanging:
    """A mount whose medium answers nothing: FUSE (fuse(4)) without a program that reads its requests."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.fsencode(folder)
        self._requests: int | None = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self._mounted = True
        told = f"fd={self._requests},rootmode=40000,user_id=0,group_id=0".encode()
        if _libc.mount(b"hanging", self._folder, b"fuse", 0, told):
            os.close(self._requests)
            raise OSError(ctypes.get_errno(), "mount")

    def fails(self) -> None:
        """Let whoever waits for the medium get an error, and whoever asks it from now on."""
        if self._requests is None:
            return
        os.close(self._requests)
        self._requests = None  # by then the number may be another file's

    def ends(self) -> None:
        """Pull the medium out, once or again. What lay below it is seen again."""
        self.fails()
        if self._mounted:
            _libc.umount2(self._folder, _DETACHED)
            self._mounted = False


def waited_out() -> None:
    """Return once no thread waits for the medium."""
    for thread in threading.enumerate():
        if thread.name == "medium":
            thread.join(GIVEN_UP_S)
            assert not thread.is_alive()


ANSWERS_S = "appliance.journal.media.medium.ANSWERS_S"


def answers_again(medium: Hanging, monkeypatch: pytest.MonkeyPatch) -> None:
    """End a medium that hangs. Whoever asks from then on waits for what was below it, however busy the machine is.

    Whoever asked before gets an error, also if their thread only begins now.
    """
    medium.fails()
    waited_out()
    medium.ends()
    monkeypatch.setattr(ANSWERS_S, GIVEN_UP_S)


@contextmanager
def hanging_at(folder: Path) -> Iterator[Hanging]:
    """Let what is at `folder` be a medium that hangs; skip the test where nothing can be mounted."""
    try:
        medium = Hanging(folder)
    except OSError as error:
        pytest.skip(f"no mount of FUSE here: {error}")
    try:
        yield medium
    finally:
        medium.ends()
        waited_out()
