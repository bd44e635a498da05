"""Web addresses of the table, as people type them and scan them."""

from __future__ import annotations

import pytest

from appliance.composition.table import _addresses
from appliance.service.machine.web_address import web_address
from appliance.settings import Settings


@pytest.mark.parametrize(
    ("host", "port", "address"),
    [
        ("fd00::5", 8080, "http://[fd00::5]:8080"),
        ("::1", 80, "http://[::1]"),
        ("192.168.1.7", 8080, "http://192.168.1.7:8080"),
        ("table.local", 80, "http://table.local"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(host: str, port: int, address: str) -> None:
    assert web_address(host, port) == address
    assert _addresses(Settings(host=host, port=port))[1] == address
