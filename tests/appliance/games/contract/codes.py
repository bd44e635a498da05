"""What a game can say: the codes that it lists, what its source says, and its catalogues."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from babel.messages.pofile import read_po

import appliance.games.base
from appliance.games.game import Game
from appliance.words.catalogues import Words, words_for


def codes_of(game: Game) -> dict[str, frozenset[str]]:
    """Return by family (`rejection`, `happening`) what `rules/codes.py` lists."""
    listed = import_module(f"{rules_package(game)}.codes")
    return {"rejection": values(listed.RejectionCode), "happening": values(listed.HappeningCode)}


def values(codes: Any) -> frozenset[str]:
    """Return the codes of a `Literal`, or of a union of them."""
    if get_origin(codes) is Literal:
        return frozenset(get_args(codes))
    return frozenset().union(*(values(part) for part in get_args(codes)))


def rules_package(game: Game) -> str:
    """Return the name of the package that holds the game's rules."""
    return type(game.rules).__module__.rpartition(".")[0]


def rules_files(game: Game) -> list[Path]:
    return sorted((game.folder / "rules").rglob("*.py"))


def said_in(paths: list[Path], *, but_lists: bool = False) -> re.Pattern[str]:
    """Return what matches every text in the source, whole; parts that are put in match anything.

    :param but_lists: leave out what stands in a `Literal[...]`.
    """
    said = set()
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lists = {id(part) for node in ast.walk(tree) if but_lists and is_literal(node) for part in ast.walk(node)}
        for node in ast.walk(tree):
            text = isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+", node.value)
            if text and id(node) not in lists:
                said.add(text[0])
            if isinstance(node, ast.JoinedStr):
                parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"\w+" for p in node.values)
                said.add("".join(parts))
    return re.compile("|".join(said - {r"\w+"}))


def is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def shared_files() -> list[Path]:
    return sorted(Path(appliance.games.base.__file__).parent.rglob("*.py"))


@cache
def own_sentences(folder: Path, language: str) -> dict[str, str]:
    """Return code → sentence of one catalogue; none where there is no file."""
    path = folder / f"{language}.po"
    if not path.exists():
        return {}
    with path.open("rb") as file:
        read = read_po(file, locale=language, abort_invalid=True)
    return {str(message.id): str(message.string) for message in read if message.id}


def words_of(game: Game, language: str) -> Words:
    """Return the frame's words with the game's on top."""
    frame = words_for(language)
    sentences = {code: frame._sentences[code] for code in frame.codes()}
    for folder in (game.folder / "words", game.folder / "pages" / "words"):
        sentences |= own_sentences(folder, language)
    return Words(language, sentences)
