"""Owners' files with maps, cards and tariffs: which game a file is for, and whether it is valid."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import TableData
from appliance.games.game_words import words_of
from appliance.games.protocol import Rejection
from appliance.games.table_data import (
    MOST_BYTES,
    MOST_OPTION_BYTES,
    RULE,
    OwnFile,
    content_of,
    line_of,
    reject,
    toml_of,
)
from appliance.words.catalogues import Words
from hardware.files.regular_file import as_text

MOST_FILES = 40
"""Number of files of a folder that are read, in the order of their names."""
MOST_CHARACTERS = 400
"""Length limit of a sentence, because names in a file may have any length."""


class Problem(NamedTuple):
    """One error in a file: a stable code, one sentence, and the place (field, line from 1)."""

    code: str
    sentence: str
    field: str = ""
    line: int | None = None

    def place(self, words: Words) -> str:
        """Return the place as text: "line 212, deliveries[4].top", or "" when the error concerns the whole file."""
        line = [] if self.line is None else [words.say("files.line", {"n": self.line})]
        return ", ".join(line + [self.field] * bool(self.field))


class Checked(NamedTuple):
    """A checked file: its game (None: no game matches), and its content or its errors."""

    path: Path
    game: str | None
    good: OwnFile | None
    problems: tuple[Problem, ...] = ()

    def holds(self, language: str) -> tuple[tuple[str, str], ...]:
        """Return rows of (label, content) in `language` that summarise a valid file."""
        say = words_of(language, self.game).say
        holds = self.good.holds if self.good else ()
        return tuple((say(f"file.{one.code}.label", one.values), say(f"file.{one.code}", one.values)) for one in holds)


def games_with_files() -> dict[str, TableData]:
    """Return the readers of all games that read owners' files, by the name of the game."""
    games = (the_game(name) for name in GAMES)
    return {game.name: game.table_data() for game in games if game.table_data is not None}


def check_file(path: Path, language: str = "en") -> Checked:
    """Check an owner's file with any content. The errors are sentences in `language`."""
    content = content_of(path)
    if isinstance(content, Rejection):
        return Checked(path, None, None, (_problem(content, None, language, ""),))
    given = toml_of(content)
    if isinstance(given, Rejection):
        return Checked(path, None, None, (_problem(given, None, language, ""),))
    readers = games_with_files()
    game = next((game for game, reader in readers.items() if reader.KEYS & given.keys()), None)
    if game is None:
        return Checked(path, None, None, (_problem(reject("file_of_no_game", RULE), None, language, ""),))
    found: OwnFile | tuple[Rejection, ...] = readers[game].read_own(given, path.stem)
    if isinstance(found, OwnFile) and len(msgspec.json.encode(found.options)) > MOST_OPTION_BYTES:
        found = (reject("file_too_large", RULE, {"most": MOST_BYTES // 1024}),)
    if isinstance(found, OwnFile):
        return Checked(path, game, found)
    text = as_text(content)
    return Checked(path, game, None, tuple(_problem(one, game, language, text) for one in found))


def read_folder(folder: Path) -> list[Path]:
    """Return up to `MOST_FILES` TOML files of a folder in the order of their names.

    :raises OSError: the folder is absent, cannot be read, or is no folder.
    """
    return sorted(path for path in folder.iterdir() if path.suffix == ".toml")[:MOST_FILES]


def files_in(folder: Path | None) -> list[Path]:
    """Return the files of `read_folder`; none when there is no folder that can be read."""
    try:
        return [] if folder is None else read_folder(folder)
    except OSError:
        return []


def own_files(folder: Path | None, game: str, language: str) -> tuple[Checked, ...]:
    """Return the files of a folder that a set-up page lists: those of the game, and those that match no game."""
    if game not in games_with_files():
        return ()
    checked = (check_file(path, language) for path in files_in(folder))
    return tuple(one for one in checked if one.game in (game, None))


def _problem(rejection: Rejection, game: str | None, language: str, text: str) -> Problem:
    field = str(rejection.values.get("field", ""))
    sentence = words_of(language, game).say(f"rejection.{rejection.code}", rejection.values)
    return Problem(rejection.code, _printable(sentence), _printable(field), line_of(text, field))


def _printable(text: str) -> str:
    """Escape control characters, and cut long texts."""
    shown = "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in text[:MOST_CHARACTERS])
    return shown if len(text) <= MOST_CHARACTERS else f"{shown}…"
