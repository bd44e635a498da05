"""The documents on Haulers: every word in them exists, and every word that exists is in them."""

from __future__ import annotations

import re
import tomllib
from typing import get_args, get_type_hints

import msgspec

from appliance.games.haulers.rules.map.board import Board
from appliance.games.haulers.rules.map.edition import City, Delivery, Junction, Line, Mission, Supplies, Transit
from appliance.games.haulers.rules.options import RULE_IDS, Options
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.view import CardView, LoadView, Own, PlayerView, SeatView
from tests.places import ROOT

TEXT = re.split(r"^## Haulers$", (ROOT / "docs" / "transcripts.md").read_text("utf-8"), flags=re.MULTILINE)[1]
TEXT = re.split(r"^## ", TEXT, flags=re.MULTILINE)[0]
GUIDE = (ROOT / "docs" / "games" / "haulers.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, list[str]]:
    section = TEXT.split(f"### {heading}\n")[1].split("\n#", 1)[0].split("|---|", 1)[1]
    cells = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): [cell.strip(" |") for cell in row[1:]] for row in cells}


def test_every_action_and_its_keys() -> None:
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(RULES.action_type)}
    described = rows("Actions of Haulers")
    assert set(described) == set(kinds)
    for tag, kind in kinds.items():
        assert re.findall(r"`(\w+)`", described[tag][0]) == list(kind.__struct_fields__), tag


def test_every_option_with_its_values_and_default() -> None:
    described = rows("Options of Haulers")
    assert set(described) == set(Options.__struct_fields__) == set(RULE_IDS)
    defaults = msgspec.to_builtins(Options())
    for name, (values, left_out, rule) in described.items():
        assert msgspec.json.decode(left_out.strip("`")) == defaults[name]
        assert RULE_IDS[name] == rule
        allowed = get_args(get_type_hints(Options)[name])
        if name != "edition" and allowed:
            assert [msgspec.json.decode(value.strip(" `")) for value in values.split(",")] == list(allowed)


def test_every_key_of_the_view() -> None:
    section = TEXT.split("### The public view of Haulers")[1]
    structs = (SeatView, PlayerView, LoadView, CardView, Own, Board)
    words = {field for struct in structs for field in struct.__struct_fields__}
    assert sorted(word for word in words if f"`{word}`" not in section) == []


def test_the_pieces_of_the_guide_are_what_an_edition_takes() -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n)+", GUIDE, flags=re.MULTILINE)
    text = "\n".join(line[4:] for block in blocks for line in block.splitlines() if "python -m" not in line)
    given = tomllib.loads(text)
    kinds = {
        "cities": City,
        "crossings": Junction,
        "buoys": Junction,
        "roads": Line,
        "sea": Line,
        "deliveries": Delivery,
        "transit": Transit,
        "missions": Mission,
    }
    for name, kind in kinds.items():
        assert [msgspec.convert(one, kind) for one in given[name]]
    msgspec.convert(given["supplies"], Supplies)


def test_every_effect_and_count_is_told() -> None:
    for kind, field in ((Transit, "effect"), (Mission, "counts")):
        for word in get_args(get_type_hints(kind)[field]):
            assert f"`{word}`" in GUIDE
