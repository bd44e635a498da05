"""Which language a page speaks: the viewer's own choice, else the table's, else what the browser asks for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.web.stand import Stand
from web.app import create_app
from web.site import HostChoices, HostStore

ENGLISH, GERMAN = "Nobody is smuggling", "Gerade schmuggelt niemand"


@pytest.mark.parametrize(
    ("setting", "asks", "says"),
    [("auto", "de-AT,de;q=0.9", GERMAN), ("auto", "fr", ENGLISH), ("de", "en-GB", GERMAN), ("en", "de", ENGLISH)],
)
def test_the_tables_setting_holds_unless_it_is_auto(tmp_path: Path, setting: str, asks: str, says: str) -> None:
    stand = Stand(tmp_path)
    site = msgspec.structs.replace(stand.site, language=setting)
    app = create_app(stand.table, settings=site, clock=stand.clock, hardware_name="twin")
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
    file.write_text("not json")
    assert HostStore(file, "de").choices.language == "de"


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
    client = create_app(stand.table, settings=site, clock=stand.clock, hardware_name="twin").test_client()
    form = {"language": "de", "dim_after_s": "60"}
    answer = client.post("/host", data=form, headers={"Origin": "http://localhost"})
    assert answer.status_code == 507
    assert "Nothing was changed." in answer.text
    assert ENGLISH in client.get("/").text
    stand.close()
