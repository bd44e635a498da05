"""docs/transcripts.md on Customs: every word in it exists, and every word that exists is in it."""

from __future__ import annotations

import io
import re
from typing import get_args

import msgspec

from appliance.games.customs.rules.cards import CARDS, PACK
from appliance.games.customs.rules.options import RANGES, RULE_IDS, Options
from appliance.games.customs.rules.phases.paying import LARGEST_LOAN
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Declaration, Due, Loan, OpenedHand, Phase, Reason, Status
from appliance.games.customs.rules.tariff import DEAREST, KNOWN
from appliance.games.customs.rules.view import Own, PlayerView, SeatView
from appliance.journal.transcript import Transcript, read_transcript
from tests.places import ROOT

TEXT = re.split(r"^## Customs$", (ROOT / "docs" / "transcripts.md").read_text("utf-8"), flags=re.MULTILINE)[1]
TEXT = re.split(r"^## ", TEXT, flags=re.MULTILINE)[0]


def rows(heading: str) -> dict[str, list[str]]:
    section = TEXT.split(f"### {heading}\n")[1].split("\n#", 1)[0].split("|---|", 1)[1]
    cells = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): [cell.strip(" |") for cell in row[1:]] for row in cells}


def test_every_action_and_its_keys() -> None:
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(RULES.action_type)}
    described = rows("Actions of Customs")
    assert set(described) == set(kinds)
    for tag, kind in kinds.items():
        assert re.findall(r"`(\w+)`", described[tag][0]) == list(kind.__struct_fields__), tag
    assert f"1–{LARGEST_LOAN} pounds" in described["ask_loan"][1]


def test_the_numbers_of_the_pack() -> None:
    text = rows("Actions of Customs")["shuffle"][1]
    for first, last, card in re.findall(r"(\d+)–(\d+) (?:are )?(\w+)", text):
        assert set(PACK[int(first) : int(last) + 1]) == {card}
    assert (PACK[26], PACK[55]) == ("bag", "crown")
    assert all(f"`{card}`" in TEXT for card in CARDS)


def test_every_option_with_its_range_and_default() -> None:
    described = rows("Options of Customs")
    assert set(described) == set(Options.__struct_fields__) == set(RULE_IDS)
    for name, (least, most) in RANGES.items():
        assert described[name][0].startswith(f"{least}–{most}"), name
    assert f"0–{DEAREST}" in described["tariff"][0]
    defaults = msgspec.to_builtins(Options())
    for name, (_, left_out, rule) in described.items():
        assert msgspec.json.decode(left_out.strip("`")) == defaults[name]
        assert RULE_IDS[name] == rule


def test_every_key_and_word_of_the_view() -> None:
    section = TEXT.split("### The public view of Customs")[1]
    structs = (SeatView, PlayerView, Own, Declaration, OpenedHand, Due, Loan)
    words = [field for struct in structs for field in struct.__struct_fields__]
    words += [*get_args(Phase), *get_args(Reason), *get_args(Status)]
    assert [word for word in words if f"`{word}`" not in section] == []


def test_the_set_up_in_the_text_can_be_replayed() -> None:
    line = next(line.strip() for line in TEXT.splitlines() if line.startswith('    {"format"'))
    transcript = read_transcript(io.BytesIO(line.encode()))
    assert isinstance(transcript, Transcript)
    demo = {f"{good}.{column}" for good, rate in transcript.state.options.tariff.items() for column in rate.demo}
    assert not demo & {f"{good}.{column}" for good, column in KNOWN}
    assert len(demo) + len(KNOWN) == 16
