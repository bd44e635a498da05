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
