"""Files on USB sticks: past games, support files, backups, updates.

A stick may be pulled out at any moment, and it may hang.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from appliance.games.protocol import Rejection
from appliance.journal.codes import JournalRejection, reject
from appliance.journal.media.medium import Medium
from hardware.files.file_names import percent_encoded, shown
from hardware.files.regular_file import kind_of, prepared, read_ordinary, remove_abandoned_drafts, sync

Answer = TypeVar("Answer")
Silent = TypeVar("Silent")
MOST_FILES = 200
SUFFIX = ".jsonl"
_FOR_ALL = 0o644
"""The permissions of a saved file, which people read on other computers."""
_CODES: Mapping[int, JournalRejection] = {
    errno.ENOSPC: "stick_full",
    errno.EDQUOT: "stick_full",
    errno.EFBIG: "stick_full",
    errno.EROFS: "stick_read_only",
    errno.EACCES: "stick_read_only",
    errno.EPERM: "stick_read_only",
}


class StickFile(msgspec.Struct, frozen=True):
    """One saved game on a stick: `key` names it for `Sticks.read`, `stick` and `name` are shown."""

    key: str
    stick: str
    name: str


class Sticks:
    """The removable media that are mounted now. Every call checks the mounts again.

    While one of them hangs, every call but `lacks` returns within two `ANSWERS_S`: it finds nothing, or is refused.
    Codes of refusal: `no_stick`, `stick_full`, `stick_read_only`, `stick_gone` (pulled out, or unreadable),
    `stick_silent` (it hangs, or is very slow), `no_such_file`, `too_large`.

    :param roots: folders under which media are mounted, one or two folders deep.
    :param mounted: whether something is mounted at a folder.
    """

    def __init__(self, roots: Sequence[Path], mounted: Callable[[Path], bool] = os.path.ismount) -> None:
        self._roots, self._mounted = roots, mounted
        self._medium = Medium()

    def problem(self) -> JournalRejection | None:
        """Return why nothing can be read or saved: `no_stick` or `stick_silent`; None if there is a medium."""
        return self._asked(lambda: None if self._plugged_in() else "no_stick", "stick_silent")

    def named(self, *patterns: str) -> tuple[Path, ...]:
        """Return the ordinary files at the top level of the media whose names match one of the patterns; no links."""
        return self._asked(lambda: self._named(patterns), ())

    def files(self) -> tuple[StickFile, ...]:
        """Return the saved games at the top level of the media, at most `MOST_FILES`."""
        return self._asked(self._files, ())

    def read(self, key: str, at_most: int) -> bytes | Rejection:
        """Return the content of a file listed by `files`.

        :param at_most: bytes; a longer file is refused.
        """
        return self._asked(lambda: self._read(key, at_most), reject("stick_silent", ""))

    def save(self, name: str, content: bytes) -> str | Rejection:
        """Write a file onto the first medium and return its name there. No file is overwritten or left incomplete.

        A medium that is only slow gets the file after the refusal. Saving the same again returns that file's name.
        """
        return self._asked(lambda: self._save(name, content), reject("stick_silent", ""))

    def lacks(self, path: Path) -> bool:
        """Return whether `path` belongs on a medium that is not mounted: it is below a root and on no medium there.

        This waits for a medium that hangs.
        """
        inside = path.resolve()
        below = [one for root in self._roots for one in (inside, *inside.parents) if root.resolve() in one.parents]
        return bool(below) and not any(map(self._is, below))

    def _asked(self, question: Callable[[], Answer], silent: Silent) -> Answer | Silent:
        """Return what `question` returns, or `silent` when the media do not answer."""
        told: list[Answer] = []
        self._medium.does(lambda: told.append(question()))
        return told[0] if told else silent

    def _plugged_in(self) -> tuple[Path, ...]:
        """Return the folders of the media: first those one folder deep, then those two deep, each sorted by name."""
        near = [folder for root in self._roots for folder in _folders(root)]
        deep = [folder for one in near for folder in _folders(one)]
        return tuple(folder for folder in (*near, *deep) if self._is(folder))

    def _named(self, patterns: Sequence[str]) -> tuple[Path, ...]:
        return tuple(
            path
            for stick in self._plugged_in()
            for pattern in patterns
            for path in _listed(stick)
            if path.match(pattern) and not path.is_symlink() and kind_of(path) == "file"
        )

    def _files(self) -> tuple[StickFile, ...]:
        return tuple(file for file, _ in self._found())

    def _found(self) -> tuple[tuple[StickFile, Path], ...]:
        found = (
            (StickFile(f"{number}/{percent_encoded(path.name)}", shown(stick.name), shown(path.name)), path)
            for number, stick in enumerate(self._plugged_in())
            for path in _listed(stick)
            if path.suffix == SUFFIX and not path.name.startswith(".")
        )
        return tuple(itertools.islice(found, MOST_FILES))

    def _read(self, key: str, at_most: int) -> bytes | Rejection:
        if not self._plugged_in():
            return reject("no_stick", "")
        path = next((path for file, path in self._found() if file.key == key), None)
        if path is None:
            return reject("no_such_file", "")
        try:
            # Links are not followed: a stick must not name files outside itself.
            return read_ordinary(path, at_most, links=False)
        except OSError as error:
            return reject("too_large" if error.errno == errno.EFBIG else "stick_gone", "")

    def _save(self, name: str, content: bytes) -> str | Rejection:
        sticks = self._plugged_in()
        if not sticks:
            return reject("no_stick", "")
        # Drafts of a save that was cut off would take the room that this one needs.
        remove_abandoned_drafts(sticks[0], partial(_is_of_the_kind, name))
        try:
            free = next(path for path in _names(sticks[0], name) if not os.path.lexists(path) or _holds(path, content))
            with prepared(free, content, _FOR_ALL) as draft:
                draft.replace(free)
            sync(sticks[0])
        except OSError as error:
            return reject(_CODES.get(error.errno or 0, "stick_gone"), "")
        return free.name

    def _is(self, folder: Path) -> bool:
        try:
            return self._mounted(folder)
        except OSError:
            return False


def _is_of_the_kind(name: str, other: str) -> bool:
    """Return whether both names are of one kind of file that a table saves: the first word and the ending are equal."""
    return name.split("-")[0] == other.split("-")[0] and Path(name).suffix == Path(other).suffix


def _names(folder: Path, name: str) -> Iterator[Path]:
    yield folder / name
    for number in itertools.count(2):
        yield folder / f"{Path(name).stem}-{number}{Path(name).suffix}"


def _holds(path: Path, content: bytes) -> bool:
    try:
        return read_ordinary(path, len(content), links=False) == content
    except OSError:
        return False


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    found = []
    for path in _listed(folder):
        try:
            if path.is_dir() and not path.is_symlink():
                found.append(path)
        except OSError:
            continue
    return found
