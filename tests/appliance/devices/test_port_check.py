"""What the self-test says of the address and the port on which the scoreboard is to listen."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from appliance.devices.self_test import Finding, check_ground
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from tests.ports import free_port


def found(folder: Path, host: str, port: int) -> Finding:
    findings = check_ground(Settings(data_dir=str(folder), host=host, port=port), words_for("en"))
    return next(finding for finding in findings if finding.what == "port")


@pytest.mark.parametrize(
    ("host", "family"),
    [
        ("0.0.0.0", socket.AF_INET),
        ("127.0.0.1", socket.AF_INET),
        ("localhost", socket.AF_INET),
        ("::", socket.AF_INET6),
        ("::", socket.AF_INET),
        ("::1", socket.AF_INET6),
    ],
)
def test_a_port_is_free_until_another_program_holds_it(tmp_path: Path, host: str, family: socket.AddressFamily) -> None:
    port = free_port()
    with socket.socket(family, socket.SOCK_STREAM) as other:
        try:
            other.bind(("127.0.0.1" if family == socket.AF_INET else "::1", port))
        except OSError:
            pytest.skip("this machine has no IPv6")
        other.listen()
        assert found(tmp_path, host, port).code == "port_taken"
    assert (found(tmp_path, host, port).verdict, found(tmp_path, host, port).code) == ("good", "ok")


def test_on_a_kernel_without_ipv6_all_addresses_are_those_of_ipv4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ipv4Alone(socket.socket):
        def __init__(self, family: int = -1, *more: Any, **named: Any) -> None:
            if family == socket.AF_INET6:
                raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
            super().__init__(family, *more, **named)

    monkeypatch.setattr(socket, "socket", Ipv4Alone)
    assert found(tmp_path, "::", 0).code == "ok"


@pytest.mark.parametrize("host", ["a..b", "192.0.2.7"])
def test_a_host_that_is_not_of_this_machine_is_not_told_as_a_port_that_is_taken(tmp_path: Path, host: str) -> None:
    finding = found(tmp_path, host, 8080)
    assert (finding.verdict, finding.code) == ("bad", "host_unknown")
    assert "SMUGGLERS_HOST" in finding.sentence
