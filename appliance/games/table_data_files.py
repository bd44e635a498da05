"""Owners' files with maps, cards and tariffs: which game a file is for, and whether it is valid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import TableData
from appliance.games.game_words import words_of
from appliance.games.protocol import Rejection
from appliance.games.table_data import MOST_BYTES, MOST_OPTION_BYTES, RULE, OwnFile, line_of, read_toml, reject
from hardware.regular_file import kind_of

MOST_FILES = 40
"""Most files of a folder that are read, in the order of their names."""
MOST_CHARACTERS = 400
"""Longest sentence, because a file may contain endless names."""


class Problem(NamedTuple):
    """One thing that is wrong: a stable code, where (line from 1, field), and one sentence."""

    code: str
    sentence: str
    field: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        """Where, in words: "line 212, deliveries[4].top", or "" when it is about the whole file."""
        return ", ".join([f"line {self.line}"] * (self.line is not None) + [self.field] * bool(self.field))


class Checked(NamedTuple):
    """A file that was looked at: for which game (None: for none), and what it is or what is wrong with it."""

    path: Path
    game: str | None
    good: OwnFile | None
    problems: tuple[Problem, ...] = ()


def games_with_files() -> dict[str, TableData]:
    """Return what reads the files of each game that has some."""
    games = (the_game(name) for name in GAMES)
    return {game.name: game.table_data() for game in games if game.table_data is not None}


def check_file(path: Path, language: str = "en") -> Checked:
    """Read a file of one's own, whatever is in it; everything that is wrong is told in `language`."""
    given = read_toml(path)
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
    text = path.read_text(encoding="utf-8")
    return Checked(path, game, None, tuple(_problem(one, game, language, text) for one in found))


def files_in(folder: Path | None) -> Iterator[Path]:
    """Yield the TOML files of a folder in the order of their names; none where there is no folder."""
    if folder is not None and kind_of(folder) == "folder":
        yield from sorted(folder.glob("*.toml"))[:MOST_FILES]


def own_files(folder: Path | None, game: str, language: str) -> tuple[Checked, ...]:
    """Return what a set-up page offers of a folder: the game's files, and those that no game could be found for."""
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
