"""The address that phones get, in real networks of a machine's own."""

from __future__ import annotations

import pytest

from tests.own_network import needs_own_network, printed

pytestmark = needs_own_network
PROGRAM = "from appliance.service.machine.lan_address import reached_at; print(reached_at({!r}))"
IPV4, IPV6, PUBLIC, MADE_UP = "10.42.0.1/24", "fd00::5/64", "2001:db8:1::7/64", "169.254.3.3/16"


@pytest.mark.parametrize(
    ("addresses", "shown"),
    [
        ([IPV4], "10.42.0.1"),
        ([IPV6], "fd00::5"),
        ([PUBLIC], "2001:db8:1::7"),
        ([PUBLIC, IPV6], "fd00::5"),
        ([IPV6, IPV4], "10.42.0.1"),
        ([MADE_UP], "169.254.3.3"),
        ([MADE_UP, IPV6], "fd00::5"),
        ([], "127.0.0.1"),
    ],
)
def test_a_table_whose_network_leads_nowhere_gives_phones_the_address_that_they_reach(
    addresses: list[str], shown: str
) -> None:
    """As with a Wi-Fi of its own. Each link has a link-local IPv6 address, which a link on a phone cannot lead to."""
    assert printed(PROGRAM.format("::"), *addresses) == shown


def test_a_table_that_listens_on_ipv4_alone_gives_no_ipv6_address() -> None:
    assert printed(PROGRAM.format("0.0.0.0"), IPV6) == "127.0.0.1"


def test_an_address_that_the_network_replaces_is_given_no_more() -> None:
    outdated = "import subprocess\nfor one in OLD: subprocess.run("
    outdated += "['ip', 'address', 'change', one, 'dev', 'wlan9', 'preferred_lft', '0'], check=True)\n"
    old = ["fd00::4/64", "fd00::6/64", "fd00::7/64"]
    program = f"OLD = {old}\n{outdated}{PROGRAM.format('::')}"
    assert printed(program, *old[:1], IPV6, *old[1:]) == "fd00::5"
