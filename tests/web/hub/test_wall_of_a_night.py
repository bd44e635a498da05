"""A café's wall during a league night: for whom a table is kept."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.web.hub.conftest import StandingHub
from tests.web.hub.night import GUESTS, PATH, TABLES, Night

BOARD = re.compile(
    r'<li class="(\w+)"><h2>(\w+)</h2><p class="kind">(.*?)</p>(.*?)(?=<li class="\w+"><h2>|</ul>\n)', re.DOTALL
)


def on_the_wall(hub: StandingHub, language: str = "en") -> dict[str, tuple[str, list[str]]]:
    """What a café's wall says of each table, and the names there."""
    page = hub.client().get("/wall", headers={"Accept-Language": language}).text
    return {name: (unescape(said), re.findall(r"<li>(\w+)", part)) for _, name, said, part in BOARD.findall(page)}


def test_the_wall_says_for_whom_a_table_is_kept(hub: StandingHub) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    free: tuple[str, list[str]] = ("Free: sit down", [])
    assert on_the_wall(hub) == dict.fromkeys(TABLES, free)
    ((table, guests),) = night.call().items()
    others = dict.fromkeys(set(TABLES) - {table}, free)
    assert on_the_wall(hub) == {**others, table: ("Kept for:", guests)}
    assert on_the_wall(hub, "de")[table] == ("Freigehalten für:", guests)
    hub.tables[table].open(guests, "haulers")
    hub.hears()
    assert on_the_wall(hub)[table] == ("Haulers", guests), "they play"


@pytest.mark.parametrize("way", ["off", "end"])
def test_a_table_is_kept_no_more_once_its_call_is_off(hub: StandingHub, way: str) -> None:
    night = Night(hub)
    for name in GUESTS[:4]:
        night.tap(f"{PATH}/come", name=name)
    ((table, _),) = night.call().items()
    (call,) = re.findall(r'name="call" value="(\d+)"', night.page)
    night.tap(f"{PATH}/{way}", **({"call": call} if way == "off" else {}))
    assert on_the_wall(hub)[table] == ("Free: sit down", [])
