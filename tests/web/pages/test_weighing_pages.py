"""What the pages offer while spheres are to be weighed, with a scale that works and without one."""

from __future__ import annotations

import re

import pytest

from hardware.readings import DeviceHealth, Status
from tests.web.rounds import opening
from tests.web.stand import Stand

PASSED = [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3))]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("status", ["ok", "absent"])
def test_every_page_shows_the_weighing(stand: Stand, status: Status, language: str) -> None:
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


@pytest.mark.parametrize("path", ["/", "/kiosk"])
def test_of_all_who_are_to_be_weighed_the_one_who_is_asked_is_marked(stand: Stand, path: str) -> None:
    stand.table.sense(DeviceHealth(t_s=0.0, device="scale", status="ok", code="scale_ok"))
    stand.open(3)
    stand.play(*PASSED)
    page = stand.kiosk().get(path).text
    marked = re.findall(r'<article class="screen ([^"]*)" id="player-(\d)"', page)
    assert [seat for classes, seat in marked if "active" in classes.split()] == ["0"]
    assert "To the scale: Ann<" in re.sub(r"\s+<", "<", page)
    assert "Ann: put your sphere on the pan." in page


def test_only_the_phone_of_the_one_who_is_asked_says_your_turn(stand: Stand) -> None:
    stand.table.sense(DeviceHealth(t_s=0.0, device="scale", status="ok", code="scale_ok"))
    stand.open(3)
    stand.play(*PASSED)
    asked, other = stand.phone(0).get("/seat/0").text, stand.phone(1).get("/seat/1").text
    assert "Your turn" in asked
    assert "Now put your sphere on the pan" in asked
    assert "Your turn" not in other
    assert "Now put your sphere" not in other
    assert "Your sphere goes on the scale" in asked
    assert "Your sphere goes on the scale" not in other
    assert "To the scale: Ann<" in re.sub(r"\s+<", "<", other)
    assert "Ann: put your sphere on the pan" in other, "whom the table waits for"


def test_without_a_scale_all_are_compared_and_nobody_is_asked_alone(stand: Stand) -> None:
    stand.table.sense(DeviceHealth(t_s=0.0, device="scale", status="absent", code="scale_absent"))
    stand.open(3)
    stand.play(*PASSED)
    page = stand.kiosk().get("/kiosk").text
    assert "On the balance: Ann, Ben, Cleo<" in re.sub(r"\s+<", "<", page)
    marked = re.findall(r'<article class="screen ([^"]*)" id="player-(\d)"', page)
    assert [seat for classes, seat in marked if "active" in classes.split()] == ["0", "1", "2"]
