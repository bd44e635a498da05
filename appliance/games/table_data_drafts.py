"""Writes owners' files that were made on a page. The file that a draft replaces first is kept as `.before`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appliance.games.protocol import Rejection
from appliance.games.table_data import MOST_BYTES, RULE, reject, toml_of
from hardware.files.regular_file import kind_of, read_ordinary, write_private

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""Valid names of files that are made on a page, without the extension."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def version_of(content: bytes) -> str:
    """Return a value that changes with the content of a file."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def stored_version(folder: Path, name: str) -> str:
    """Return the version of `<name>.toml`; "" where there is no file.

    :raises OSError: it cannot be read, or no editor could have shown it: it is too large.
    """
    path = folder / f"{name}.toml"
    return version_of(read_ordinary(path, MOST_BYTES)) if kind_of(path) == "file" else ""


def store_draft(folder: Path, name: str, given: Mapping[str, Any]) -> Rejection | None:
    """Write `given` as `<name>.toml` without checking it; `check_file` does that. The first time, an existing file
    is copied to `<name>.toml.before`.

    :param name: matches `NAME`.
    :return: why it was not written: `file_no_toml_form`, `file_too_deep`, or why it could not be read back.
    :raises OSError: it cannot be stored; the existing file is unchanged.
    """
    try:
        text = "\n".join(_table(given, ())).lstrip("\n") + "\n"
    except TypeError:
        return reject("file_no_toml_form", RULE)
    except RecursionError:
        return reject("file_too_deep", RULE)
    content = text.encode(errors="backslashreplace")
    if isinstance(refused := toml_of(content), Rejection):
        return refused
    path = folder / f"{name}.toml"
    before = path.with_name(f"{path.name}.before")
    if kind_of(path) == "file" and kind_of(before) is None:
        write_private(before, read_ordinary(path, MOST_BYTES))
    write_private(path, content)
    return None


def _table(given: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a table: first its values, then its sub-tables. A list of tables repeats its header."""
    inner = {key: value for key, value in given.items() if _is_table(value) or _is_tables(value)}
    for key, value in given.items():
        if key not in inner and value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        here = (*path, _key(key))
        for one in [value] if _is_table(value) else value:
            yield f"\n[{'.'.join(here)}]" if _is_table(value) else f"\n[[{'.'.join(here)}]]"
            # Sub-tables of a list entry are written inline, so that the next entry is not parsed as part of them.
            yield from _table(one, here) if _is_table(value) else (f"{_key(k)} = {_value(v)}" for k, v in one.items())


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            pairs = (f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
            return f"{{ {', '.join(pairs)} }}"
    raise TypeError(type(value).__name__)


def _text(text: str) -> str:
    # JSON escapes the same characters as TOML except character 127.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
