"""No page is a dead end: an error says what to do and offers a way on, and old pages lead to what is so now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.refused_writes import refused_writes
from tests.web.stand import PIN, Stand


def test_set_up_leads_to_the_game_while_one_is_played(stand: Stand) -> None:
    kiosk = stand.kiosk()
    assert kiosk.get("/kiosk/setup/smugglers").status_code == 200
    stand.open(2)
    answer = kiosk.get("/kiosk/setup/smugglers")
    assert (answer.status_code, answer.location) == (302, "/kiosk")


def test_the_next_game_can_be_set_up_while_the_finished_one_still_shows(stand: Stand) -> None:
    stand.open(2)
    stand.do(do="leave", seat=1)
    kiosk = stand.kiosk()
    assert 'href="/kiosk/setup/smugglers"' in kiosk.get("/kiosk").text
    assert kiosk.get("/kiosk/setup/smugglers").status_code == 200


@pytest.mark.parametrize("path", ["/nowhere", "/kiosk/corrections/99", "/join/rubbish", "/seat/1", "/games/none/x.css"])
def test_every_error_page_offers_a_way_on(stand: Stand, path: str) -> None:
    here, elsewhere = stand.kiosk().get(path), stand.stranger().get(path, follow_redirects=True)
    for answer in (here, elsewhere):
        assert 'href="/"' in answer.text
    if here.status_code != 403:
        assert 'href="/kiosk">Open the table' in here.text
    assert 'href="/kiosk">Open the table' not in elsewhere.text


def test_after_too_many_wrong_pins_the_page_of_the_pin_is_a_tap_away(stand: Stand) -> None:
    guest = stand.stranger()
    answers = [
        guest.post("/host/unlock", data={"pin": "0000", "back": "/host"}, headers={"Origin": "http://192.0.2.7"})
        for _ in range(7)
    ]
    assert answers[-1].status_code == 429
    assert "wait a minute" in answers[-1].text
    assert 'href="/host/unlock?back=/host">Enter the PIN' in answers[-1].text
    assert PIN not in answers[-1].text


@pytest.mark.parametrize(("page", "form"), [("/first/language", {"language": "de"}), ("/first/pin", {"pin": "4829"})])
def test_what_found_no_room_on_the_disk_is_a_tap_away(tmp_path: Path, page: str, form: dict[str, str]) -> None:
    stand = Stand(tmp_path, pin="", owner_file=tmp_path / "owner.json")
    here = {"Origin": "http://localhost", "Referer": f"http://localhost{page}"}
    with refused_writes(0):
        answer = stand.kiosk().post(page, data=form, headers=here)
    assert answer.status_code == 507
    assert f'href="{page}">Try again' in answer.text
    stand.close()


def test_the_way_back_from_a_full_disk_does_not_say_that_the_settings_were_saved(stand: Stand) -> None:
    kiosk, page = stand.kiosk(), "/host?saved=1"
    here = {"Origin": "http://localhost", "Referer": f"http://localhost{page}"}
    kiosk.post("/host/unlock", data={"pin": PIN}, headers=here)
    assert "Saved." in kiosk.get(page).text
    with refused_writes(0):
        answer = kiosk.post("/host", data={"language": "de", "dim_after_s": "600"}, headers=here)
    assert answer.status_code == 507
    again = re.search(r'href="([^"]+)">Try again', answer.text)
    assert again is not None
    assert "Saved." not in kiosk.get(again[1]).text


def test_what_was_judged_is_marked_among_what_could_have_been(stand: Stand) -> None:
    stand.open(2)
    stand.play(
        {"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"}, {"do": "attempt", "seat": 0, "outcome": "stuck"}
    )
    seq = stand.table.snapshot().correctable[0].seq
    page = stand.kiosk().get(f"/kiosk/corrections/{seq}").text
    assert page.count(' now"') == 1
    assert page.split(' now"')[1].split("</a>")[0].endswith(">Stuck")


@pytest.mark.parametrize("path", ["/", "/kiosk"])
def test_a_game_that_nobody_won_is_headed_as_its_end(stand: Stand, path: str) -> None:
    stand.open(2)
    stand.do(do="leave", seat=1)
    page = stand.kiosk().get(path).text
    assert "<h1>The end</h1>" in page
    assert "wins!" not in page


@pytest.mark.parametrize("template", sorted(ROOT.glob("web/**/*.html")) + sorted(ROOT.glob("appliance/**/*.html")))
def test_a_form_that_a_script_sends_never_leads_away_before_that_script_is_there(template: Path) -> None:
    for form in re.findall(r"<form\b[^>]{0,40}", template.read_text()):
        assert 'method="dialog"' in form or 'method="post"' in form, form
