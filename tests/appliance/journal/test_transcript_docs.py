"""docs/transcripts.md says what the program does: every word in it exists, and every word that exists is in it."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path
from typing import get_args

import msgspec

import appliance.journal.transcript as module
from appliance.games.protocol import Player, Setup
from appliance.games.smugglers.rules.actions import ATTEMPT_OUTCOMES, FOUND, PIECES
from appliance.games.smugglers.rules.options import LEAST_TIE_BAND_G, RANGES, RULE_IDS, Options
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.view import PlayerView, View
from appliance.journal.transcript import Transcript, read_transcript
from tests.appliance.games.smugglers.play import a_setup, started
from tests.places import ROOT

TEXT = (ROOT / "docs" / "transcripts.md").read_text(encoding="utf-8")


def table(heading: str, level: str = "###") -> dict[str, list[str]]:
    """Return the rows of the table below a heading: first cell without marks → the other cells."""
    section = re.split(rf"^{level} {heading}$", TEXT, flags=re.MULTILINE)[1].split("\n#", 1)[0].split("|---|", 1)[1]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}


def test_every_action_and_its_keys() -> None:
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(RULES.action_type)}
    described = table("Actions")
    assert set(described) == set(kinds)
    for tag, kind in kinds.items():
        named = re.findall(r"`(\w+)`", described[tag][0])
        assert named == list(kind.__struct_fields__), tag
    for word in (*ATTEMPT_OUTCOMES, *PIECES, *FOUND):
        assert f"`{word}`" in TEXT


def test_every_option_with_its_range_and_default() -> None:
    described = table("Options")
    assert set(described) == set(Options.__struct_fields__) == set(RULE_IDS)
    for name, (least, most) in RANGES.items():
        values = described[name][0]
        if name == "boss_lane":
            assert values == "1 to `lanes`"
        elif name == "tie_band_g":
            assert values == f"0, or {LEAST_TIE_BAND_G}–{most}"
        else:
            assert values.startswith(f"{least}–{most}"), name
    defaults = msgspec.to_builtins(Options())
    for name, (_, left_out, rule) in described.items():
        if name != "boss_lane":
            assert msgspec.json.decode(left_out.strip("`")) == defaults[name]
        assert RULE_IDS[name] in rule
    assert started(a_setup(2)).options.boss_lane == 4


def test_every_key_of_the_set_up() -> None:
    assert set(table("The set-up", "##")) == set(Setup.__struct_fields__)
    assert set(Player.__struct_fields__) == {"name", "putty"}


def test_every_error_code() -> None:
    source = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    raised = {
        node.args[0].value
        for node in ast.walk(source)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_BadLineError"
        if isinstance(node.args[0], ast.Constant)
    }
    section = TEXT.split("| code |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", section)) == raised | {"unreadable_file"}


def test_every_key_of_the_view() -> None:
    section = TEXT.split("### The public view")[1]
    for key in (*View.__struct_fields__, *PlayerView.__struct_fields__):
        assert f"`{key}`" in section, key


def test_the_set_up_in_the_text_can_be_replayed() -> None:
    lines = [line.strip() for line in TEXT.splitlines() if line.startswith('    {"format"')]
    assert lines
    for line in lines:
        assert isinstance(read_transcript(io.BytesIO(line.encode())), Transcript)


def test_the_limits_in_the_text() -> None:
    assert f"at most {module.LONGEST_LINE // 1024} KiB" in TEXT
    assert f"at most {module.LONGEST_FILE // 1024**2} MiB" in TEXT


def test_the_error_in_the_text_is_the_real_one() -> None:
    shown = next(line.strip() for line in TEXT.splitlines() if line.startswith('    {"line"'))
    recording = ROOT / "tests" / "recordings" / "smugglers" / "S-07.jsonl"
    with recording.open("rb") as file:
        assert msgspec.json.encode(read_transcript(file)).decode() == shown
