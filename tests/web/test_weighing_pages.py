"""What the pages offer while spheres are to be weighed, with a scale that works and without one."""

from __future__ import annotations

import pytest

from hardware.readings import DeviceHealth
from tests.web.rounds import opening
from tests.web.stand import Stand

PASSED = [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3))]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("status", ["ok", "absent"])
def test_every_page_shows_the_weighing(stand: Stand, status: str, language: str) -> None:
    stand.table.sense(DeviceHealth(t_s=0.0, device="scale", status=status, code=f"scale_{status}"))
    stand.open(3)
    stand.play(*PASSED)
    phone, kiosk = stand.phone(1), stand.kiosk()
    for client, path in ((kiosk, "/"), (kiosk, "/kiosk"), (phone, "/seat/1")):
        client.set_cookie("language", language)
        answer = client.get(path)
        assert answer.status_code == 200
        assert " g<" not in answer.text
    assert ("rank." in kiosk.get("/kiosk").text) == (status == "absent")
