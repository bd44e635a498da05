"""docs/transcripts.md says of Prohis what the program does."""

from __future__ import annotations

import re

import msgspec

from appliance.games.prohis.rules.cards import CARDS
from appliance.games.prohis.rules.options import RANGES, RULE_IDS, Options
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.view import ConvoyView, PlayerView, View
from tests.places import DOCS

TEXT = (DOCS / "transcripts.md").read_text(encoding="utf-8")
SECTION = re.split(r"^## ", TEXT.split("\n## Prohis\n")[1], flags=re.MULTILINE)[0]


def table(heading: str) -> dict[str, list[str]]:
    section = SECTION.split(f"### {heading}\n")[1].split("\n### ")[0]
    rows = [
        line.strip("|").split(" | ")
        for line in section.splitlines()
        if line.startswith("| `") and not line.startswith("| `do`")
    ]
    return {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}


def test_every_action_and_its_keys() -> None:
    kinds = {kind.__struct_config__.tag: kind for kind in RULES.action_type.__args__}
    described = table("Actions of Prohis")
    assert list(described) == list(dict.fromkeys(described))
    assert set(described) == set(kinds)
    for tag, kind in kinds.items():
        assert re.findall(r"`(\w+)`", described[tag][0]) == list(kind.__struct_fields__), tag


def test_every_option_with_its_range_and_default() -> None:
    described = table("Options of Prohis")
    assert set(described) == set(Options.__struct_fields__) == set(RULE_IDS)
    defaults = msgspec.to_builtins(Options())
    for name, (values, left_out, rule) in described.items():
        assert msgspec.json.decode(left_out.strip("`")) == defaults[name]
        assert rule == RULE_IDS[name]
        if name in RANGES:
            assert values.startswith("{}–{}".format(*RANGES[name]))


def test_every_key_of_the_view_and_every_card() -> None:
    for key in (*View.__struct_fields__, *PlayerView.__struct_fields__, *ConvoyView.__struct_fields__, *CARDS):
        assert f"`{key}`" in SECTION, key
