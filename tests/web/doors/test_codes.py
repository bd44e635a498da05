"""No raw code reaches a screen: whatever the table and its pages can refuse or remark has a sentence in each language.

The frame's own words must do: a lobby, a past game and an error page may have no game whose words would help.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Rejection, Setup
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.table.table import Table
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.clock import ManualClock
from tests.places import ROOT
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand

SAID = {
    "Rejection": 0,
    "reject": 0,
    "Refused": 1,
    "JournalError": 0,
    "SealError": 0,
    "CalibrationBusyError": 0,
    "damaged": 0,
    "Remark": None,
    "remark": 1,
}
"""What takes a code, and at which place; every code of a journal or seal may become a refusal and a remark."""
BOTH = ("JournalError", "SealError")
IN_A_TERMINAL = "backup.py"
"""`smugglers backup` says its codes as sentences of their own."""
RAW = re.compile(r"\b(rejection|remark|happening|question|health|transcript|calibrate|games|control)\.[a-z_]+")


def constants(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(code)) if code:
            yield code
        case ast.IfExp(body=one, orelse=other):
            yield from constants(one)
            yield from constants(other)
        case ast.Dict(values=values):
            for value in values:
                yield from constants(value)


def codes() -> set[str]:
    found = set()
    elsewhere = {ROOT / "appliance" / folder for folder in ("games", "commands")}
    for path in [*ROOT.glob("appliance/**/*.py"), *ROOT.glob("web/**/*.py")]:
        if path.name == IN_A_TERMINAL or elsewhere & set(path.parents):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in SAID:
                continue
            at = SAID[node.func.id]
            given = [] if at is None else node.args[at : at + 1]
            given = [*given, *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            family = "remark" if node.func.id in ("Remark", "remark") else "rejection"
            for code in (code for value in given for code in constants(value)):
                found |= {f"{family}.{code}"} | ({f"remark.{code}"} if node.func.id in BOTH else set())
    return found


def told_by_tables(name: str, module: str) -> set[str]:
    """The codes of a table of them in the source, such as those of the HTTP statuses."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    tables = (n for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == name)
    return {
        c
        for table in tables
        if table.value
        for d in ast.walk(table.value)
        if isinstance(d, ast.Constant)
        for c in constants(d)
    }


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_of_the_table_and_its_pages_has_words_of_the_frame(language: str) -> None:
    tables = told_by_tables("_HTTP_CODES", "web/errors.py") | told_by_tables(
        "_CODES", "appliance/journal/media/removable_media.py"
    )
    all_codes = codes() | {f"rejection.{code}" for code in tables | {"unknown_language", "dim_out_of_range"}}
    resumed = {f"remark.{code}" for code in ("unknown_game", "rules_newer", "rules_changed")}
    assert {"rejection.key_missing", "remark.key_missing", "rejection.stick_full", "rejection.not_found"} <= all_codes
    assert len(all_codes) > 65
    assert sorted(code for code in all_codes | resumed if code not in words_for(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_journal_whose_key_is_gone_is_told_in_a_sentence(tmp_path: Path, language: str) -> None:
    stand = Stand(tmp_path)
    stand.open(4)
    stand.play(*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), *INSPECTIONS)
    stand.play(*({"do": "leave", "seat": seat} for seat in range(3)))
    number = stand.table.snapshot().game_id
    stand.table.close_game("away")
    stand.open(4)
    stand.play(*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}))
    stand.close()
    for spare in ("", "copy"):
        (tmp_path / spare / "seal.key").unlink()
    seal_key(tmp_path)[0]
    again = Stand(tmp_path)
    kiosk = again.kiosk()
    kiosk.set_cookie("language", language)
    past = kiosk.get(f"/kiosk/games/{number}")
    assert past.status_code == 409
    for page in (past.text, kiosk.get("/").text, kiosk.get("/kiosk").text):
        assert "seal.key" in page
        assert not RAW.search(page)
    again.close()


def test_a_set_up_that_this_release_refuses_is_told_in_a_sentence(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    stand.close()

    class Stricter(type(the_game("smugglers").rules)):  # type: ignore[misc]  # the game's own class, one rule stricter
        def set_up(self, setup: Setup) -> Rejection:
            return Rejection("lane_unknown", "SM-1")

    journal = Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0])
    table = Table(
        journal=journal, games=lambda name: replace(the_game(name), rules=Stricter()), clock=ManualClock(100.0)
    )
    (remark,) = table.snapshot().remarks.values()
    assert (remark.code, remark.values["reason"]) == ("rules_changed", "lane_unknown")
    journal.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["smugglers", "prohis", "haulers", "customs"])
def test_a_set_up_that_its_game_refuses_is_told_in_the_words_of_that_game(
    stand: Stand, game: str, language: str
) -> None:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    one, two = ({"name": name, "putty": putty} for name, putty in (("Ann", "yellow"), ("Ben", "pink")))
    bad: tuple[tuple[list[dict[str, str]], dict[str, Any]], ...] = (
        ([one], {}),
        ([one, two], {}),
        ([one, one], {}),
        ([one, two], {"nothing": 1}),
        ([one, two], {"tariff": {}, "boss_lane": 99, "edition": {}, "physical": "?"}),
        ([one, two], {"tariff": {"wine": {"duty": 1}}}),
    )
    refused = 0
    for number, (players, options) in enumerate(bad):
        body = {"id": f"bad-{number}", "game": game, "players": players, "options": options}
        answer = kiosk.post("/api/v1/games", json=body)
        if answer.status_code != 200:
            refused += 1
            assert not RAW.search(answer.get_json()["message"]), answer.get_json()
            assert " " in answer.get_json()["message"]
        else:
            kiosk.post("/api/v1/games/close", json={"id": f"close-{number}"})
    assert refused >= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_error_pages_and_bodies_of_every_status_speak(stand: Stand, language: str) -> None:
    stand.open(2)
    kiosk, stranger = stand.kiosk(), stand.stranger()
    kiosk.set_cookie("language", language)
    stranger.set_cookie("language", language)
    asked = [
        kiosk.get("/no/such"),
        kiosk.post("/", headers={"Origin": "http://localhost"}),
        kiosk.get("/kiosk/games/99"),
        kiosk.get("/kiosk/corrections/99"),
        kiosk.get("/kiosk/corrections/1?action={"),
        kiosk.get("/join/xx"),
        kiosk.get("/live?kind=seat"),
        kiosk.get("/kiosk/hand/7"),
        kiosk.get("/", headers={"Host": "evil.example"}),
        kiosk.post("/api/v1/actions", data=b"{", content_type="application/json"),
        kiosk.post("/api/v1/actions", json={"id": "x", "action": {"do": 1}}),
        kiosk.post("/api/v1/actions", json={}),
        kiosk.post("/api/v1/undo", json={"id": "u"}),
        kiosk.put("/api/v1/seats/0/control", json={"by": "robot"}),
        kiosk.put("/api/v1/seats/0/control", json={"by": "nobody"}),
        kiosk.post("/api/v1/seats/9/let_go", json={"id": "g"}),
        kiosk.post("/api/v1/commands", json={"id": "c", "name": "nothing"}),
        kiosk.post("/api/v1/pending/confirm", json={"id": "p", "pending": "x"}),
        kiosk.get("/api/v1/nothing"),
        kiosk.delete("/api/v1/view"),
        stranger.get("/seat/0"),
        stranger.post("/api/v1/undo", json={"id": "u"}),
    ]
    for answer in asked:
        assert answer.status_code >= 400, answer.request.path
        assert not RAW.search(re.sub(r'(src|href)="[^"]*"', "", answer.text)), answer.request.path
        if answer.is_json:
            assert re.search(r"[.!?]$", answer.get_json()["message"]), answer.get_json()
