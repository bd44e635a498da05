"""The snapshot that the table publishes after every change, and the messages to and from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from appliance.games.protocol import Action, Area, Happening, Outcome, Prompt, Question, Rejection, Remark, Setup, Timer
from hardware.readings import Device, DeviceHealth

LOG_LINES = 500
"""Most log lines in a snapshot. Beyond that the oldest are left out."""


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """An action, the prompt it answers, and a client-made id (1–64 characters) that makes a repeat harmless.

    `prompt` None is for actions that answer none (`leave`, a replaced commit) and for replays.
    `seat` is the seat the sender may act for; None is the table itself (kiosk, referee, CLI), which may act for any.
    `in_public`: the sender may not see the hand of the seat it acts for, so it may only do what everybody sees offered.
    """

    id: str
    action: Action
    prompt: str | None = None
    seat: int | None = None
    in_public: bool = False


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """Committed to disk as journal entry `seq`."""

    seq: int


Answer = Accepted | Rejection


AnnouncementKind = Literal["happening", "amended", "undone", "restored"]


class Announcement(msgspec.Struct, frozen=True):
    """One line of the game's log for people: what happened, and which journal entry it came from.

    `kind`: "happening", or a correction that the table made (AP-2): "amended" tells what counts instead, "undone" what
    counts no more, "restored" what counts again because its amendment was undone.
    """

    seq: int
    kind: AnnouncementKind
    happening: Happening


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal in its grace: what will be submitted unless somebody objects. Secret fields are already removed."""

    id: str
    prompt: str
    action: dict[str, Any]
    because: tuple[str, ...]
    started_s: float
    ends_s: float
    votes: dict[str, str] = {}


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One effective action as the correction page lists it: its entry, its public fields, its public happenings.

    `drawn`: the appliance drew it, so it cannot be corrected (AP-5).
    """

    seq: int
    action: dict[str, Any]
    happened: tuple[Happening, ...]
    drawn: bool = False

    def told(self) -> tuple[Happening, ...]:
        """Return the happenings that a line about the deed tells."""
        return self.happened[:2]


class Alternatives(msgspec.Struct, frozen=True):
    """One action, and what could have been done instead: the prompts that were open for its seat just before it."""

    deed: Deed
    prompts: tuple[Prompt, ...]


class AmendmentPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What an amendment would change, before anybody confirms it.

    `deed` is the replaced action, `instead` the new one (None: as if it had not been done). `before` and `after` are
    public views. `set_aside` are the entries that would become impossible, `lost` their actions, and `first_problem`
    the rejection of the first one.

    `covered`: the amendment, or a later entry after it, may tell what is hidden now, such as a face-down card. Then
    `after` is as `before`, and nothing is said of later entries (AP-3).

    `newest_entry`: the newest entry that this preview takes into account.
    """

    seq: int
    deed: Deed
    instead: Deed | None
    before: Any
    after: Any
    set_aside: tuple[int, ...]
    lost: tuple[Deed, ...]
    first_problem: Rejection | None
    newest_entry: int
    covered: bool = False


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A correction to choose: entry `seq`, now `deed`, would become `action` (public fields; None: not done).

    `instead` is the new action as the table would show it. `sets_aside` counts entries that would become impossible.
    """

    seq: int
    deed: Deed
    action: dict[str, Any] | None
    instead: Deed | None
    sets_aside: int


class Asked(msgspec.Struct, frozen=True):
    """A correction that the player at `seat` asks for; the touchscreen grants or refuses it."""

    seat: int
    offer: Offer


class DeviceFault(msgspec.Struct, frozen=True, kw_only=True):
    """A device that is faulty, gone or in doubt: why, by health codes, and how to go on (`by_hand.<by_hand>`).

    `doubtful`: it works as far as is known.
    """

    device: Device
    codes: tuple[str, ...]
    by_hand: str
    doubtful: bool = False


class Replay(msgspec.Struct, frozen=True):
    """A roll that can be shown again: its number, and the prompt that asks about it ("": none does)."""

    number: int
    prompt: str


class PastGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is not open: its number, wall-clock seconds, how many entries, and how it ended (None: not).

    An `imported` game was opened and closed when it was imported.
    """

    game: int
    opened_s: float
    entries: int
    setup: Setup
    outcome: Outcome | None
    imported: bool = False


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a viewer's page is made from. `state` never leaves the process: ask the game for a view of it.

    `version` grows with every publish. `game` None is the lobby: no game is open.
    `correctable` lists the newest actions first, at most 30.
    """

    version: int
    game: str | None
    setup: Setup | None
    state: Any
    journal_seq: int
    now_s: float
    log: tuple[Announcement, ...] = ()
    pending: Pending | None = None
    question: Question | None = None
    remarks: dict[str, Remark] = {}
    timers: dict[str, Timer] = {}
    health: dict[Device, DeviceHealth] = {}
    faults: tuple[DeviceFault, ...] = ()
    """Faults of the devices that the open game uses; in the lobby, of any device."""
    correctable: tuple[Deed, ...] = ()
    replays: tuple[Replay, ...] = ()
    """The rolls that can be shown again, the newest last."""
    watched: int | None = None
    """The replay that the touchscreen shows now; the wall shows it too."""
    asked: tuple[Asked, ...] = ()
    lately: tuple[PastGame, ...] = ()
    """In the lobby: the games that were won here on the last evening, the newest first."""
    attention: frozenset[Area] = frozenset()
    """Where the game waits for the sensors to see something."""
    quiet: bool = False
    """There was no action and no new advice for `appliance.table.game.adviser.QUIET_S` seconds."""
    deeds: Mapping[tuple[str, int | None], int] = {}
    """Count of the effective actions of this game, by tag and seat (None: the table)."""
    practice: bool = False
    may_practise: bool = False
    """Practice may begin now."""
    paused: bool = False
    """The game is paused: timers stand still, nothing is asked, readings are ignored."""
    hardware: str = "none"
    game_id: int | None = None
    """The number of the journal entry that opened the game. It identifies the game."""
    newest_entry: int | None = None
    """The newest entry that changed the open game: an action, an amendment or an undo; at first the opening one."""
    seating: int | None = None
    """The first game of the same players in the same seats. Join links of phones name it."""
