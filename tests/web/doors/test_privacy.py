"""What the table sees and keeps is told to everybody, from every screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hardware.readings import DeviceHealth
from tests.web.stand import Stand

LINK = 'href="/privacy"'


@pytest.mark.slow
@pytest.mark.parametrize("page", ["/", "/kiosk", "/seats", "/rules"])
def test_every_screen_leads_to_it(stand: Stand, page: str) -> None:
    assert LINK in stand.kiosk().get(page).text
    stand.open(2)
    for path, client in (("/kiosk/table", stand.kiosk()), ("/rules", stand.phone(1)), ("/seats", stand.stranger())):
        assert LINK in client.get(path).text


def test_it_says_whether_the_camera_looks_now_in_either_language(stand: Stand) -> None:
    stranger = stand.stranger()
    assert "No camera is looking now." in stranger.get("/privacy").text
    stand.table.sense(DeviceHealth(t_s=1.0, device="camera", status="ok", code="working"))
    stand.table.step()
    assert "The camera is looking now." in stranger.get("/privacy").text
    stand.table.sense(DeviceHealth(t_s=2.0, device="camera", status="faulty", code="camera_gone"))
    stand.table.step()
    said = stranger.get("/privacy", headers={"Accept-Language": "de"}).text
    assert "Gerade sieht keine Kamera zu." in said
    assert "kein Verlag" in said


def test_a_lamp_burns_on_every_screen_while_the_camera_sees(stand: Stand) -> None:
    def seen() -> list[bool]:
        pages = [stand.stranger().get("/wall").text, stand.kiosk().get("/kiosk").text]
        if stand.table.snapshot().game is not None:
            pages.append(stand.phone(1).get("/seat/1").text)
        return [
            'class="lamp" viewBox="0 0 34 20" role="img" aria-label="The camera is looking now."' in p for p in pages
        ]

    def tell(status: Any, code: str) -> None:
        stand.table.sense(DeviceHealth(t_s=1.0, device="camera", status=status, code=code))
        stand.table.step()

    assert seen() == [False, False]
    tell("ok", "working")
    assert seen() == [True, True]
    stand.open(2)
    assert seen() == [True, True, True]
    tell("failed", "camera_gone")
    assert seen() == [False, False, False]


def test_it_leads_back_to_where_it_was_opened(stand: Stand) -> None:
    here = stand.kiosk().get("/privacy", headers={"Referer": "http://localhost/kiosk/table"}, follow_redirects=True)
    assert 'href="/kiosk/table">← Back' in here.text


def test_a_table_of_a_hub_says_what_it_sends_there(tmp_path: Path) -> None:
    for is_sent in (True, False):
        stand = Stand(tmp_path, tells_hub=is_sent)
        assert ("belongs to a hub" in stand.stranger().get("/privacy").text) is is_sent
        stand.close()
