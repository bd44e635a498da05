"""The program of the scale's child process, which `ScaleProcess` starts: `python -m hardware.scale.process PIPE_FD`."""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from hardware.scale.process.child import read_scale


def main(pipe_fd: int) -> None:
    """Read the cell that the parent names until the parent is gone."""
    pipe = Connection(pipe_fd)
    try:
        open_cell, clock = pipe.recv()
    except (EOFError, ConnectionResetError):
        return
    read_scale(pipe, open_cell, clock)


if __name__ == "__main__":
    main(int(sys.argv[1]))
