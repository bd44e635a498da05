"""What a chain, a café and a guest see on a hub's pages, and who may do what."""

from __future__ import annotations

from tests.web.hub.conftest import StandingHub


def test_a_guest_sees_the_league(hub: StandingHub) -> None:
    hub.table("anchor").played(("Ann", "Bob"), 0)
    hub.hears()
    assert "Ann" in hub.client().get("/league").text
