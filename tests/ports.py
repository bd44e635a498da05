"""Ports that a test may give to a server it starts, or look at after it has closed them."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import socket
from pathlib import Path

FROM = 20_000
"""Below are the ports of known services."""


def _own_ports() -> range:
    """Return the ports of this worker. They are below those that the kernel gives to connections (`ip(7)`).

    A port that the kernel chose belongs, once it is closed, to whoever connects next. A test that opens it again then
    finds it taken.
    """
    below = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = (below - FROM) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    assert share > 100, "the kernel leaves no ports for tests: see net.ipv4.ip_local_port_range"
    return range(FROM + number * share, FROM + (number + 1) * share)


def _in_turn() -> itertools.cycle[int]:
    """Return this worker's ports, beginning anywhere, because another suite may run on this machine."""
    ports = list(_own_ports())
    start = random.randrange(len(ports))
    return itertools.cycle(ports[start:] + ports[:start])


_ports = _in_turn()


def free_port() -> int:
    """Return a port that nobody listens on, and that neither the kernel nor another worker gives to anybody."""
    while True:
        port = next(_ports)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("0.0.0.0", port))
            return port
