"""Which phones play which seats of the current seating. A seat's code works once. Stored in a small file over restarts.

A phone holds a seat while its grant is in the seat's list. Giving the seat back revokes all grants, and the next phone
needs the new code. A second phone for a seat needs the approval of the first phone or of the touchscreen.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
from pathlib import Path

import msgspec

from appliance.journal.safekeeping.spared import MOST_BYTES
from hardware.clock import Clock
from hardware.files.regular_file import UNDECODABLE, read_ordinary, write_private

ASKED_FOR_S = 120.0
"""Real seconds after which the request of a second phone expires."""
PAUSE_S = 60.0
"""Real seconds after a refusal in which nobody can ask for that seat."""
AGAIN_S = 10.0
"""Real seconds until a file that could not be written is tried again."""
_log = logging.getLogger(__name__)


class Seat(msgspec.Struct, frozen=True):
    """A seat of one seating: the same players in a game and its rematches. Links of other seatings are invalid."""

    seating: str
    seat: int


class _Of(msgspec.Struct):
    """One seat: the grants of its phones, the number of its used codes, and how often it was given back."""

    phones: list[str] = []
    used: int = 0
    let_go: int = 0


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    """The seats of one seating. `start` is part of every code: without the file, earlier codes are invalid."""

    start: str
    seating: str = ""
    seats: dict[int, _Of] = {}


class _Question(msgspec.Struct, frozen=True):
    seat: Seat
    asker: str
    at_s: float
    yes: bool | None = None
    grant: str = ""


class Phones:
    """The seats that phones play.

    :param file: where they are stored; None: they are kept until the end of the process.
    """

    def __init__(self, clock: Clock, file: Path | None = None) -> None:
        self._clock, self._file = clock, file
        self._lock = threading.RLock()
        self._kept = self._load()
        self._questions: dict[Seat, _Question] = {}
        self._failed_s: float | None = None

    def code(self, seat: Seat) -> str:
        """Return the code that a join link of `seat` must contain now."""
        return f"{self._kept.start}{self._of(seat).used}"

    def take(self, seat: Seat, code: str) -> str:
        """Give `seat` to a phone that has its code. The code is then used up.

        Return the phone's grant, or "" if `code` is not the current one.
        """
        with self._lock:
            if code != self.code(seat):
                return ""
            if self._kept.seating != seat.seating:
                self._kept = _Kept(self._kept.start, seat.seating)
            of = self._kept.seats.setdefault(seat.seat, _Of())
            of.phones.append(grant := secrets.token_urlsafe(9))
            of.used += 1
            self._store()
            return grant

    def holds(self, seat: Seat, grant: str) -> bool:
        """Return whether the phone of `grant` plays `seat`."""
        return grant in self._of(seat).phones

    def let_go(self, seat: Seat) -> None:
        """Give `seat` back to the touchscreen. No phone holds it until one joins with the new code."""
        with self._lock:
            if (of := self._of(seat)).phones:
                of.phones.clear()
                of.let_go += 1
                self._questions.pop(seat, None)
                if not self._store():
                    self._forget()

    def times_let_go(self, seat: Seat) -> int:
        """Return how often `seat` was given back. Phone pages from before the last time no longer show it."""
        return self._of(seat).let_go

    def playing(self, seating: str) -> frozenset[int]:
        """Return the seats of that seating that phones play. Every page asks for this, so it also stores what could not
        be stored before."""
        with self._lock:
            if self._failed_s is not None and self._now_s() - self._failed_s >= AGAIN_S:
                self._store()
            if seating != self._kept.seating:
                return frozenset()
            return frozenset(seat for seat, of in self._kept.seats.items() if of.phones)

    # -- requests of a second phone for the same seat ------------------------------------------------------------

    def ask(self, seat: Seat) -> str:
        """Request `seat` for a second phone. Return a new asker id, or "" if nobody may ask now."""
        with self._lock:
            before = self._question(seat)
            if before is not None and not before.grant:
                return ""
            self._questions[seat] = _Question(seat, secrets.token_urlsafe(9), self._now_s())
            return self._questions[seat].asker

    def asked(self, seating: str) -> dict[int, str]:
        """Return the ids of the askers who wait for an answer, by seat."""
        with self._lock:
            known = [self._question(seat) for seat in list(self._questions) if seat.seating == seating]
            return {one.seat.seat: one.asker for one in known if one is not None and one.yes is None}

    def answer(self, seat: Seat, asker: str, yes: bool) -> bool:
        """Answer a request. Return False if there is none, or it is from another asker."""
        with self._lock:
            question = self._question(seat)
            if question is None or question.yes is not None or question.asker != asker:
                return False
            self._questions[seat] = msgspec.structs.replace(question, yes=yes, at_s=self._now_s())
            return True

    def answer_of(self, seat: Seat, asker: str) -> bool | None:
        """Return the answer to `asker`; None while there is none. An expired request counts as a no."""
        with self._lock:
            question = self._question(seat)
            return question.yes if question is not None and question.asker == asker else False

    def come_in(self, seat: Seat, asker: str) -> str:
        """Return the grant of a second phone whose request was approved; otherwise "".

        The same request gets the same grant again for a while, because the first answer may have been lost.
        """
        with self._lock:
            question = self._question(seat)
            if question is None or question.asker != asker or question.yes is not True:
                return ""
            if not question.grant:
                question = msgspec.structs.replace(question, grant=self.take(seat, self.code(seat)))
                self._questions[seat] = question
            return question.grant

    def _question(self, seat: Seat) -> _Question | None:
        question = self._questions.get(seat)
        if question is None:
            return None
        if self._now_s() - question.at_s >= (PAUSE_S if question.yes is False else ASKED_FOR_S):
            del self._questions[seat]
            return None
        return question

    def _now_s(self) -> float:
        return self._clock.now_s() / self._clock.speed

    # -- the file ------------------------------------------------------------------------------------------------

    def _of(self, seat: Seat) -> _Of:
        with self._lock:
            return self._kept.seats.get(seat.seat, _Of()) if seat.seating == self._kept.seating else _Of()

    def _store(self) -> bool:
        """Write the file, or note that it is to be tried again. Return whether it was written."""
        self._failed_s = None
        if self._file is None:
            return True
        try:
            write_private(self._file, msgspec.json.encode(self._kept))
        except OSError as error:
            _log.warning("the phones' seats cannot be kept over a restart: %s", error.strerror)
            self._failed_s = self._now_s()
            return False
        return True

    def _forget(self) -> None:
        """Remove the file: after a restart, a phone whose seat was given back would hold it again. Without the file
        all phones scan a code. A full disk allows it."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)

    def _load(self) -> _Kept:
        try:
            if self._file is not None and self._file.exists():
                return msgspec.json.decode(read_ordinary(self._file, MOST_BYTES), type=_Kept)
        except (OSError, *UNDECODABLE):
            _log.warning("which phone plays which seat was lost; phones scan their codes again")
        return _Kept(secrets.token_urlsafe(6))
