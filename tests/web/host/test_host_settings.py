"""The host's settings: their names, and two tabs, of which each saves what was changed in it, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from appliance.words.catalogues import LANGUAGES
from tests.web.machine_asked import HERE, host
from tests.web.stand import Stand
from web.site import HostChoices


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.close()


class Form(HTMLParser):
    """What a browser sends of the page's form if nothing is touched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name")
        if tag == "input" and name and ("checked" in given or given.get("type") == "hidden"):
            self.fields[name] = given.get("value") or "on"


def tab(stand: Stand) -> dict[str, str]:
    return Form(host(stand).get("/host").text).fields


def save(stand: Stand, form: dict[str, str]) -> int:
    answered: int = host(stand).post("/host", data=form, headers=HERE).status_code
    return answered


def choices(stand: Stand) -> HostChoices:
    found: HostChoices = stand.app.extensions["smugglers"].host.choices
    return found


@pytest.mark.parametrize(("zone", "told"), [("Europe/Berlin", True), ("", False)])
def test_the_page_says_in_whose_time_zone_the_hours_are(zone: str, told: bool, tmp_path: Path) -> None:
    stand = Stand(tmp_path, time_zone=lambda: zone)
    assert ("in the table’s time zone, Europe/Berlin." in host(stand).get("/host").text) is told
    stand.close()


def test_two_tabs_do_not_undo_each_other(stand: Stand) -> None:
    one, other = tab(stand), tab(stand)
    assert save(stand, one | {"language": "de", "quiet_from_h": "22", "quiet_until_h": "7"}) == 302
    del other["live_picture"]
    assert save(stand, other | {"dim_after_s": "600"}) == 302
    assert choices(stand) == HostChoices(
        language="de", quiet_from_h=22, quiet_until_h=7, live_picture=False, dim_after_s=600
    )


def test_hours_are_changed_in_pairs(stand: Stand) -> None:
    save(stand, tab(stand) | {"dark_from_h": "23", "dark_until_h": "8"})
    one, other = tab(stand), tab(stand)
    save(stand, one | {"dark_from_h": "24"})
    save(stand, other | {"dark_until_h": "9"})
    assert (choices(stand).dark_from_h, choices(stand).dark_until_h) == (23, 9)


def test_a_page_that_shows_something_else_is_refused(stand: Stand) -> None:
    for shown in ("", "[]", '{"dim_after_s": "long"}', "\ud800"):
        assert save(stand, tab(stand) | {"language": "de", "shown": shown.encode(errors="replace").decode()}) == 400
    assert choices(stand) == HostChoices()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_choice_has_a_name_of_its_own(stand: Stand, language: str) -> None:
    page = host(stand).get("/host", headers={"Accept-Language": language}).text
    names = Counter(re.findall("<legend>(.*?)</legend>", page))
    assert names
    assert set(names.values()) == {1}, names
