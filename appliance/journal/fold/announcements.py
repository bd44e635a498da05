"""What a game has announced so far: happenings that count, and each correction once."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.games.protocol import Happening
from appliance.snapshot import Announcement


class Announcements:
    """The lines of one game's log, in the order of the journal entries that they come from."""

    def __init__(self) -> None:
        self._corrections: list[Announcement] = []
        self._lines: list[Announcement] = []

    def newest(self, at_most: int) -> tuple[Announcement, ...]:
        """Return the newest lines in order."""
        return tuple(self._lines[-at_most:])

    def add(self, seq: int, happened: Iterable[Happening]) -> None:
        """Announce the happenings of the newest entry."""
        self._lines.extend(Announcement(seq, "happening", happening) for happening in happened)

    def correct(self, correction: Announcement) -> None:
        """Announce a correction. The log is as before until `tell_again`."""
        self._corrections.append(correction)

    def tell_again(self, happened: Iterable[tuple[int, Iterable[Happening]]]) -> None:
        """Make the log anew from the happenings that count now, by entry, and all corrections."""
        self._lines = []
        for seq, happenings in happened:
            self.add(seq, happenings)
        self._lines = sorted([*self._lines, *self._corrections], key=lambda line: line.seq)
