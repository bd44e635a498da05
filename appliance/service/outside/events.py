"""Public happenings as numbered events for other programs. Happenings for one seat only are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.game_words import words_of
from appliance.games.protocol import Outcome
from appliance.snapshot import Announcement, Snapshot
from appliance.words.catalogues import LANGUAGES

OVER_PART = 1_000_000
"""The part number of the event of a game's end: it is above those of all happenings of the last action."""
EventKind = Literal["game_opened", "happening", "amended", "undone", "restored", "game_over", "game_closed"]


class EventId(NamedTuple):
    """The place of an event: the journal's entry, and which event of that entry it is. Later ones are greater."""

    seq: int
    part: int

    def __str__(self) -> str:
        return f"{self.seq}.{self.part}"


START = EventId(-1, 0)
"""Before every event."""


def read_id(text: str | None) -> EventId | None:
    """Return the id in `text`, such as "17.0"; None where it is not an id."""
    found = re.fullmatch(r"([0-9]{1,15})\.([0-9]{1,7})", text or "", re.ASCII)
    return EventId(int(found[1]), int(found[2])) if found else None


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that everybody at the table may know.

    `kind` "amended", "undone" or "restored" is a correction: earlier events may no longer be valid, so read the view
    again. `code` and `values` are stable. `text` says the same in every language of the table.
    """

    format: Literal[1] = 1
    """Grows when a program that reads events would have to change. New fields alone do not change it."""
    id: str
    seq: int
    kind: EventKind
    game_id: int
    game: str
    code: str
    values: dict[str, Any] = {}
    rule: str | None = None
    text: dict[str, str]

    @property
    def place(self) -> EventId:
        """Its id as a value that can be compared."""
        return read_id(self.id) or START


def events_of(snapshot: Snapshot, after: EventId = START) -> Iterator[PublicEvent]:
    """Yield the events of a snapshot's open game that come after `after`, in order; none in the lobby.

    The happenings of an entry are told together. What a correction adds to the entry of `after` or an earlier one is
    not told: the correction has an entry of its own.
    """
    if snapshot.game is None or snapshot.setup is None or snapshot.game_id is None:
        return
    names = [player.name for player in snapshot.setup.players]
    if EventId(snapshot.game_id, 0) > after:
        yield _event(snapshot, EventId(snapshot.game_id, 0), "game_opened", "game_opened", {"players": names})
    part, last = 0, snapshot.game_id
    for line in snapshot.log:
        if line.happening.to is not None:
            continue
        part = part + 1 if line.seq == last else 0
        last = line.seq
        if last > after.seq:
            yield _told(snapshot, EventId(last, part), line)
    outcome = the_game(snapshot.game).rules.outcome(snapshot.state)
    if outcome is not None:
        newest = max([last, *(deed.seq for deed in snapshot.correctable[:1])])
        yield _over(snapshot, EventId(newest, OVER_PART), outcome)


def closed(before: Snapshot, now: Snapshot) -> PublicEvent:
    """Return the event that the game of `before` was closed; `now` is the snapshot after that."""
    # The entry that closes a game comes before the one that opens the next game.
    seq = now.journal_seq if now.game_id is None else now.game_id - 1
    return _event(before, EventId(seq, 0), "game_closed", "game_closed", {})


def _told(snapshot: Snapshot, at: EventId, line: Announcement) -> PublicEvent:
    happening = line.happening
    code = f"happening.{happening.code}"
    return PublicEvent(
        id=str(at),
        seq=at.seq,
        kind=line.kind,
        game_id=snapshot.game_id or 0,
        game=str(snapshot.game),
        code=happening.code,
        values=dict(happening.values),
        rule=happening.rule,
        text=_said(snapshot, code, happening.values, happening.code.replace("_", " ")),
    )


def _over(snapshot: Snapshot, at: EventId, outcome: Outcome) -> PublicEvent:
    code = "game_over" if outcome.winners else "game_over_unwon"
    values = {"winners": list(outcome.winners), "reason": outcome.reason}
    return _event(snapshot, at, "game_over", code, values)


def _event(snapshot: Snapshot, at: EventId, kind: EventKind, said: str, values: dict[str, Any]) -> PublicEvent:
    return PublicEvent(
        id=str(at),
        seq=at.seq,
        kind=kind,
        game_id=snapshot.game_id or 0,
        game=str(snapshot.game),
        code=kind,
        values=values,
        text=_said(snapshot, f"event.{said}", values, kind),
    )


def _said(snapshot: Snapshot, code: str, values: Mapping[str, Any], otherwise: str) -> dict[str, str]:
    """Return a sentence in every language; `otherwise` where a game has no words for it."""
    names = tuple(player.name for player in snapshot.setup.players) if snapshot.setup else ()
    said = {}
    for language in LANGUAGES:
        catalogue = words_of(language, snapshot.game)
        said[language] = catalogue.say(code, values, names) if code in catalogue else otherwise
    return said
