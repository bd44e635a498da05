"""Every code is listed once, in its place, and said in every language."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.words.catalogues import LANGUAGES, words_for
from tests.appliance.games.contract.codes import codes_of, said_in, values, words_of
from tests.places import ROOT

every_language = pytest.mark.parametrize("language", LANGUAGES)
FRAME = (
    ("web.errors", "WebRejection", "rejection", "web"),
    ("appliance.guided_calibration.session", "DeskRejection", "rejection", "appliance/guided_calibration"),
    ("appliance.games.table_data", "FileRejection", "rejection", "appliance/games"),
    ("appliance.table.codes", "TableRejection", "rejection", "appliance"),
    ("appliance.table.codes", "TableRemark", "remark", "appliance/table"),
    ("appliance.table.codes", "TableQuestion", "question", "appliance/table"),
    ("appliance.journal.codes", "JournalRejection", "rejection", "appliance"),
    ("appliance.journal.codes", "RecordsRemark", "remark", "appliance/journal"),
    ("appliance.hub.outbox.codes", "HubRemark", "remark", "appliance/hub/outbox"),
    ("calibration.messages", "CalibrationProblem", "calibrate.why", "calibration"),
)
"""Where the frame lists codes: module, name, family of the sentences, and the folder that says them."""
REFEREES = (
    ("smugglers", "appliance.games.smugglers.referee.codes", "RemarkCode", "remark"),
    ("smugglers", "appliance.games.smugglers.referee.codes", "QuestionCode", "question"),
    ("prohis", "appliance.games.base.card_pan", "CardPanRemark", "remark"),
    ("customs", "appliance.games.base.card_pan", "CardPanRemark", "remark"),
)
MADE_BY = {
    "Rejection": "appliance/games/base/rules/codes.py",
    "Remark": "appliance/games/base/advice.py",
    "Question": "appliance/games/base/advice.py",
}
"""What is made of a code, and where alone it is made: there the type of the code is checked."""


def listed(module: str, name: str) -> frozenset[str]:
    return values(getattr(import_module(module), name))


@pytest.mark.slow
@every_language
@pytest.mark.parametrize(("module", "name", "family", "folder"), FRAME)
def test_every_code_of_the_frame_is_used_and_said_in_every_language(
    module: str, name: str, family: str, folder: str, language: str
) -> None:
    codes, known = listed(module, name), words_for(language)
    assert [code for code in sorted(codes) if f"{family}.{code}" not in known] == []
    used = said_in(sorted((ROOT / folder).rglob("*.py")), but_lists=True)
    assert [code for code in sorted(codes) if not used.fullmatch(code)] == []


@every_language
@pytest.mark.parametrize(("game", "module", "name", "family"), REFEREES)
def test_every_code_of_a_referee_is_said_in_every_language(
    game: str, module: str, name: str, family: str, language: str
) -> None:
    codes, known = listed(module, name), words_of(the_game(game), language)
    assert [code for code in sorted(codes) if f"{family}.{code}" not in known] == []
    assert own_codes(game, family, language) <= codes, "a sentence that nobody says"


def test_every_game_whose_referee_speaks_is_listed_here() -> None:
    for family in ("remark", "question"):
        speaking = {game for game in GAMES if own_codes(game, family, "en")}
        assert speaking == {game for game, _, _, of in REFEREES if of == family}


def own_codes(game: str, family: str, language: str) -> set[str]:
    """Return what the game's catalogues say on top of the frame's."""
    known, frame = words_of(the_game(game), language), words_for(language)
    own = set(known.codes()) - set(frame.codes())
    return {code.split(".")[1] for code in own if code.startswith(f"{family}.")}


@pytest.mark.slow
def test_no_rejection_remark_or_question_is_made_from_a_literal_elsewhere() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("appliance", "web")
        for path in (ROOT / folder).rglob("*.py")
        for line, made in made_from_literals(path)
        if str(path.relative_to(ROOT)) != MADE_BY[made]
    ]
    assert found == []


def made_from_literals(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MADE_BY:
            codes = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            if any(isinstance(part, ast.Constant) and part.value for code in codes for part in ast.walk(code)):
                yield node.lineno, node.func.id


@pytest.mark.parametrize("game", GAMES)
def test_what_the_frame_refuses_is_not_told_in_the_words_of_the_open_game(game: str) -> None:
    """A game may say a sentence of the frame in its own way. It may not mean another thing by the same code."""
    codes = codes_of(the_game(game))["rejection"]
    said_by_both = {(name, code) for module, name, _, _ in FRAME for code in codes & listed(module, name)}
    assert said_by_both <= {("TableRejection", "player_count")}
