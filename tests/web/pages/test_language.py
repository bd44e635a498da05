"""Which language a page speaks: the viewer's own choice, else the table's, else what the browser asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.journal.safekeeping.choices import mend_choices
from tests.web.stand import PIN, Stand
from web.app import create_app
from web.site import HostChoices, HostStore

ORIGIN = {"Origin": "http://localhost"}
ENGLISH, GERMAN = "Nobody is smuggling", "Gerade schmuggelt niemand"


@pytest.mark.parametrize(
    ("setting", "asks", "says"),
    [("auto", "de-AT,de;q=0.9", GERMAN), ("auto", "fr", ENGLISH), ("de", "en-GB", GERMAN), ("en", "de", ENGLISH)],
)
def test_the_tables_setting_holds_unless_it_is_auto(tmp_path: Path, setting: str, asks: str, says: str) -> None:
    stand = Stand(tmp_path)
    site = msgspec.structs.replace(stand.site, language=setting)
    app = create_app(stand.table, settings=site, clock=stand.clock)
    client = app.test_client()
    assert says in client.get("/", headers={"Accept-Language": asks}).text
    other = "de" if says == ENGLISH else "en"
    client.get(f"/language/{other}")
    assert says not in client.get("/", headers={"Accept-Language": asks}).text
    stand.close()


def test_what_the_host_chose_outlives_the_setting(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    HostStore(file, "de").change(HostChoices(language="en"))
    assert HostStore(file, "de").choices.language == "en"
    for damaged in (file, tmp_path / "copy" / "host.json"):
        damaged.write_text("not json")
    mend_choices(tmp_path)
    assert HostStore(file, "de").choices.language == "de"


@pytest.mark.parametrize("changed", [{"language": "de"}, {"dim_after_s": 60}, {"quiet_until_h": 8}])
@pytest.mark.parametrize("path", ["/wall", "/widget", "/seats", "/kiosk"])
def test_open_pages_load_again_when_the_host_changes_what_they_were_told(
    stand: Stand, path: str, changed: dict[str, Any]
) -> None:
    stand.open(2)
    kiosk = stand.kiosk()
    page = kiosk.get(path).text
    live = kiosk.get(f"/live?kind={'kiosk' if path == '/kiosk' else 'wall'}")
    assert page_of(next(live.iter_encoded())) in page
    assert change(kiosk, **changed) == 302
    told = next(live.iter_encoded())
    assert b'"regions":{}' in told, "the page loads again, in the language and with the hours of now"
    assert page_of(told) not in page
    assert page_of(told) in kiosk.get(path).text
    live.close()


def test_open_pages_stay_when_the_host_changes_what_streams_tell_them(stand: Stand) -> None:
    kiosk = stand.kiosk()
    live = kiosk.get("/live?kind=wall")
    before = page_of(next(live.iter_encoded()))
    assert change(kiosk, dark_until_h=8) == 302
    told = next(live.iter_encoded())
    assert page_of(told) == before
    assert b'data-dark-until-h=\\"8\\"' in told
    live.close()


def page_of(event: bytes) -> str:
    told = next(line for line in event.decode().splitlines() if line.startswith("data: "))
    return f'data-page-of="{json.loads(told.removeprefix("data: "))["page_of"]}"'


def change(kiosk: Any, **choices: Any) -> int:
    """Send the host's form with `choices`, and return the status."""
    form = {"language": "auto", "dim_after_s": 180, "join_codes_on_wall": 1, "live_picture": 1} | {
        f"{hours}_{end}_h": 0 for hours in ("quiet", "dark") for end in ("from", "until")
    }
    kiosk.post("/host/unlock", data={"pin": PIN}, headers=ORIGIN)
    return int(kiosk.post("/host", data=form | choices, headers=ORIGIN).status_code)


@pytest.mark.parametrize(
    ("field", "bad"), [("language", "de\n"), ("dim_after_s", 1), ("quiet_from_h", "x"), ("of_a_newer_release", 1)]
)
def test_one_bad_choice_in_the_file_leaves_the_private_ones_alone(tmp_path: Path, field: str, bad: object) -> None:
    file = tmp_path / "host.json"
    private = {"live_picture": False, "join_codes_on_wall": False, "dark_from_h": 22}
    file.write_bytes(msgspec.json.encode({field: bad, **private}))
    choices = HostStore(file, "de").choices
    assert (choices.live_picture, choices.join_codes_on_wall, choices.dark_from_h) == (False, False, 22)
    assert choices.problem() is None


def test_a_switch_in_the_file_that_is_none_is_off(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text('{"live_picture":"no","hub_updates":1}')
    choices = HostStore(file).choices
    assert (choices.live_picture, choices.hub_updates) == (False, False)


def test_choices_that_cannot_be_kept_are_refused_in_a_sentence_and_change_nothing(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    (tmp_path / "no-folder").write_text("")
    site = msgspec.structs.replace(stand.site, host_file=tmp_path / "no-folder" / "host.json", pin="")
    client = create_app(stand.table, settings=site, clock=stand.clock).test_client()
    form = {"language": "de", "dim_after_s": "60"}
    answer = client.post("/host", data=form, headers={"Origin": "http://localhost"})
    assert answer.status_code == 507
    assert "Nothing was changed." in answer.text
    assert ENGLISH in client.get("/").text
    stand.close()
