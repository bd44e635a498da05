"""Reads TOML files that calibration writes and people may edit: fields of a struct, every number within ±1e6."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from hardware.files.regular_file import TextError, brief, parse_toml, read_text

T = TypeVar("T")

_LARGEST = 1e6  # a kilometre in mm; nothing on a table or in a lens is larger

_END = "# end"
_FIRST_LINE = re.compile(rf"# Written by `smugglers calibrate (\w+)`; .* The last line is `{_END}`\.")


class TomlFileError(ValueError):
    """The file cannot be used. `code` is stable; the message says why and what to do; `values` are those in it."""

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


class CutError(ValueError):
    """A text of `written_by` has no end. `line` is its last line."""

    def __init__(self, line: int) -> None:
        super().__init__(f"it is cut after line {line}: the rest, up to `{_END}`, is missing")
        self.line = line


class FieldError(ValueError):
    """A field has a value that cannot be used. `place` names it, such as `lanes[1].hole_mm`."""

    def __init__(self, message: str, place: str) -> None:
        super().__init__(message)
        self.place = place


def written_by(command: str, about: str, lines: Iterable[str]) -> str:
    """Return the text of a file that `smugglers calibrate <command>` writes: it says in its first line how it ends."""
    return "\n".join(
        [f"# Written by `smugglers calibrate {command}`; {about}. The last line is `{_END}`.", *lines, _END, ""]
    )


def writer_of(text: str) -> str | None:
    """Return the subcommand of `smugglers calibrate` that wrote a text, or None if its first line does not say."""
    found = _FIRST_LINE.match(text)
    return found[1] if found else None


def writer_at(path: Path) -> str | None:
    """Return the subcommand of `smugglers calibrate` that wrote a file, or None if that cannot be known."""
    with suppress(OSError, ValueError):
        return writer_of(read_text(path))
    return None


def must_be_whole(text: str) -> None:
    """Check that a text of `written_by` has its end.

    Cut after a line it is still TOML, and defaults would take the place of what is missing.

    :raises CutError: it has not.
    """
    lines = text.splitlines()
    if writer_of(text) is not None and _END not in lines:
        raise CutError(len(lines))


def parse_struct(text: str, kind: type[T]) -> T:
    """Parse the text of such a file into a `kind`.

    :raises ValueError: it is empty, cut (`CutError`) or not TOML (`TextError`), or a field is missing or wrong, or a
        number in it is not finite or beyond ±1e6 (`FieldError`). The message says where.
    """
    try:
        if not (fields := parse_toml(text)):
            raise ValueError("it is empty")  # a struct whose fields all have defaults would be taken for measured
        must_be_whole(text)
        measures = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise wrong_field(error) from None
    if (place := _unbounded(fields, "")) is not None:
        raise FieldError(f"`{place}` is no finite number within ±{_LARGEST:.0f}", place)
    return measures


def wrong_field(error: msgspec.ValidationError) -> FieldError:
    """Return what is wrong with which field, without the words of the library that found it."""
    found = str(error)
    at = re.search(r"field `([^`]+)`|`\$\.?([\w.\[\]]+)`", found)
    place = brief(at[1] or at[2]) if at is not None else ""
    if error.__cause__ is not None:  # raised by the struct itself
        return FieldError(str(error.__cause__).partition(" - at `")[0], place)
    if "unknown field" in found:
        return FieldError(f"there is no field `{place}`", place)
    if "missing required field" in found:
        return FieldError(f"the field `{place}` is missing", place)
    return FieldError(f"the value of `{place}` cannot be used", place)


def with_place(file: str, wrong: ValueError) -> str:
    """Return the name of a file, and where in it the error is, as far as that is known."""
    place = wrong.place if isinstance(wrong, TextError | FieldError) else ""
    return f"{file} ({place})" if place else file


def load_toml(path: Path, kind: type[T], error: type[TomlFileError], what: str, command: str) -> T:
    """Read such a file into a `kind`.

    :param what: kind of file for codes and messages: `camera` or `rig`.
    :param command: command that makes a new file, for the messages.
    :raises TomlFileError: an `error` with the code `<what>_file_unreadable`, `<what>_file_cut` or
        `<what>_file_invalid`.
    """
    try:
        return parse_struct(read_text(path), kind)
    except OSError as gone:
        message = f"{path}: cannot be read ({gone.strerror}); make one with `{command}`"
        raise error(f"{what}_file_unreadable", message, path=str(path)) from None
    except CutError as cut:
        message = f"{path}: not a {what} file: {cut}; make it again with `{command}`"
        raise error(f"{what}_file_cut", message, path=str(path), line=cut.line) from None
    except ValueError as wrong:
        message = f"{path}: not a {what} file: {wrong}; make it again with `{command}`"
        raise error(f"{what}_file_invalid", message, path=with_place(str(path), wrong)) from None


def _unbounded(value: object, place: str) -> str | None:
    if isinstance(value, int | float):
        return None if math.isfinite(value) and abs(value) <= _LARGEST else place
    if isinstance(value, dict):
        inside = [(each, f"{place}.{name}" if place else name) for name, each in value.items()]
    elif isinstance(value, list):
        inside = [(each, f"{place}[{number}]") for number, each in enumerate(value)]
    else:
        return None
    return next((found for each, where in inside if (found := _unbounded(each, where)) is not None), None)
