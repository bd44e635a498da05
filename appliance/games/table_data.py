"""Reads an owner's TOML file as untrusted input, and finds the line of a mistake.

A game with such files has a module `table_data` with `KEYS` (top-level names that occur only in its files), `EXAMPLE`
(a file to start from) and `read_own(given, name)`.
"""

from __future__ import annotations

import errno
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from appliance.games.base.rules.codes import Reject
from appliance.games.protocol import Rejection
from hardware.files.regular_file import NOT_ORDINARY, line_of_mistake, long_line, read_ordinary

RULE = "AP-9"
FileRejection = Literal[
    "file_line_too_long",
    "file_no_toml_form",
    "file_not_ordinary",
    "file_not_text",
    "file_not_toml",
    "file_of_no_game",
    "file_too_deep",
    "file_too_large",
    "file_unreadable",
]
"""Codes of files that are refused before a game reads them. The sentences are in `appliance/words/`."""
reject = Reject[FileRejection]()
MOST_BYTES = 64 * 1024
"""Size limit of a file. The files in this repository have 13 KiB at most."""
MOST_LINE_CHARACTERS = 2500
"""Length limit of a line: the parser takes seconds for a name with tens of thousands of dotted parts.
The longest valid line, an outline of land, has at most 2000."""
MOST_OPTION_BYTES = 60 * 1024
"""Size limit of the options, as JSON, in the set-up that a page sends."""


class Holding(NamedTuple):
    """One row of what a file holds. Its label is the sentence `file.<code>.label`, its content `file.<code>`."""

    code: str
    values: dict[str, Any]


class OwnFile(msgspec.Struct, frozen=True, kw_only=True):
    """A valid file: its title, the options for a set-up, and rows that summarise it."""

    title: str
    options: dict[str, Any]
    holds: tuple[Holding, ...]


def content_of(path: Path) -> bytes | Rejection:
    """Return the bytes of an owner's file, or why it is refused.

    Codes: `file_unreadable`, `file_not_ordinary` (pipes and devices are not opened), `file_too_large`.
    """
    try:
        return read_ordinary(path, MOST_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            return _too_large()
        if error.errno == errno.EISDIR or error.strerror == NOT_ORDINARY:
            return reject("file_not_ordinary", RULE)
        return reject("file_unreadable", RULE, {"why": error.strerror or "unknown"})


def read_toml(path: Path) -> dict[str, Any] | Rejection:
    """Return the content of the TOML file at `path`, or why it is refused: with a code of `content_of` or `toml_of`."""
    content = content_of(path)
    return content if isinstance(content, Rejection) else toml_of(content)


def toml_of(content: bytes) -> dict[str, Any] | Rejection:
    """Parse the bytes of a TOML file.

    Codes: `file_too_large`, `file_not_text`, `file_line_too_long`, `file_not_toml`, `file_too_deep`.
    """
    if len(content) > MOST_BYTES:
        return _too_large()
    try:
        text = content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return reject("file_not_text", RULE, {"line": line})
    if number := long_line(text, MOST_LINE_CHARACTERS):
        return reject("file_line_too_long", RULE, {"line": number, "most": MOST_LINE_CHARACTERS})
    try:
        return tomllib.loads(text)
    except ValueError as error:
        return reject("file_not_toml", RULE, {"line": line_of_mistake(text, error)})
    except RecursionError:
        return reject("file_too_deep", RULE)


def _too_large() -> Rejection:
    return reject("file_too_large", RULE, {"most": MOST_BYTES // 1024})


def line_of(text: str, field: str) -> int | None:
    """Return the line, from 1, of a field such as `deliveries[4].pays` or `wine.fine`.

    If the field is missing, return the line where its table begins, or None.
    """
    whole = re.match(r"([A-Za-z_]\w*)(?:\[(\d+)\])?(?:\.([A-Za-z_]\w*))?", field)
    if whole is None:
        return None
    name, wanted, key = whole[1], int(whole[2] or 0), whole[3]
    count, inside, found = -1, False, None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[{1,2}\s*([\w.-]+)\s*\]", line)
        if header is not None:
            count += header[1] == name
            inside = header[1] == name and count == wanted
        if inside and header is not None:
            found = number
        elif inside and key is not None and re.match(rf"\s*{key}\s*[.=]", line):
            return number
        elif found is None and count < 0 and header is None and re.match(rf"\s*{name}\s*[.=]", line):
            found = number
    return found
