"""The kinds of journal entries, the records of timers, and the conversion of entries to rows with sealed secrets."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import msgspec

from appliance.games.protocol import Outcome, Setup
from appliance.journal.journal_file import JournalError, damaged
from appliance.journal.rows import Unchained
from appliance.journal.sealing import Sealer, SealError
from hardware.files.regular_file import UNDECODABLE


class Body(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, kw_only=True):
    """Base of the bodies of entries."""


class Opened(Body, frozen=True, tag="opened", omit_defaults=True):
    """A game was opened; the entry's own seq identifies the game. `imported`: it was played elsewhere.

    `seating`: the first game of an unbroken series that the same players played in the same seats; None: this one.
    `start_value`: the appliance's draws are derived from it, and it is sealed on disk; "": there is none, or its seal
    does not open.
    """

    setup: Setup
    imported: bool = False
    seating: int | None = None
    start_value: str = ""


class Acted(Body, frozen=True, tag="acted", omit_defaults=True):
    """An action was applied. `action` holds all its fields when read; the secret ones are sealed on disk.

    `drawn` is the prompt that the appliance answered by a draw; "" where people or sensors answered.
    """

    action: dict[str, Any]
    drawn: str = ""


class Amended(Body, frozen=True, tag="amended"):
    """The action of entry `target` was replaced by `action`; None: it counts as if it had not been done."""

    target: int
    action: dict[str, Any] | None


class Undone(Body, frozen=True, tag="undone"):
    """Entry `target`, the last action or amendment that still counted, was taken back."""

    target: int


class KeptTimer(msgspec.Struct, frozen=True, kw_only=True):
    """A timer that was running: seconds left now, and its whole length in seconds."""

    name: str
    left_s: float
    lasts_s: float


class Paused(Body, frozen=True, tag="paused"):
    """The game was paused. `timers` were running; they go on with their remaining time."""

    timers: tuple[KeptTimer, ...]


class Resumed(Body, frozen=True, tag="resumed"):
    """The paused game went on."""


class Closed(Body, frozen=True, tag="closed"):
    """The game was closed; `outcome` None: unfinished."""

    outcome: Outcome | None


AnyBody = Opened | Acted | Amended | Undone | Paused | Resumed | Closed


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: its number in the file, its game, the client-made id, the wall-clock second, its body."""

    seq: int
    game: int
    client_id: str
    wall_s: float
    body: AnyBody


_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[AnyBody] = msgspec.json.Decoder(AnyBody)
_KINDS = frozenset(kind.__struct_config__.tag for kind in get_args(AnyBody))


class _Tagged(msgspec.Struct, frozen=True):
    kind: str


class Bodies:
    """Converts bodies to rows and back. Any thread may call it; it does not access the file.

    :param path: the journal, for error messages.
    :param sealer: seals and opens secret fields.
    """

    def __init__(self, path: Path, sealer: Sealer) -> None:
        self._path, self._sealer = path, sealer

    def row(
        self,
        seq: int,
        game: int,
        client_id: str,
        wall_s: float,
        body: AnyBody,
        secret_fields: Mapping[str, frozenset[str]],
    ) -> Unchained:
        """Return the row of a new entry.

        :param secret_fields: for each action tag, the fields to seal.
        """
        sealed = None
        if isinstance(body, Opened) and body.start_value:
            sealed = self._sealer.seal(body.start_value.encode(), _bound_to(game, seq))
            body = msgspec.structs.replace(body, start_value="")
        elif isinstance(body, Acted | Amended) and body.action is not None:
            hidden = secret_fields.get(body.action["do"], frozenset())
            private = {name: value for name, value in body.action.items() if name in hidden}
            if private:
                sealed = self._sealer.seal(_encode(private), _bound_to(game, seq))
                public = {name: value for name, value in body.action.items() if name not in hidden}
                body = msgspec.structs.replace(body, action=public)
        return seq, game, client_id, wall_s, _encode(body), sealed

    def entry(self, row: Unchained) -> Entry:
        """Return the entry of a row, with its seal opened.

        :raises JournalError: as `body`, or the code of a seal that does not open.
        """
        seq, game, client_id, wall_s, raw, sealed = row
        body = self.body(raw)
        if sealed is not None and isinstance(body, Opened):
            # A game whose key is lost goes on: draws from the system's randomness are as fair, but cannot be verified.
            with suppress(SealError):
                start_value = self._sealer.open(sealed, _bound_to(game, seq)).decode()
                body = msgspec.structs.replace(body, start_value=start_value)
        elif sealed is not None and isinstance(body, Acted | Amended) and body.action is not None:
            try:
                private = msgspec.json.decode(self._sealer.open(sealed, _bound_to(game, seq)))
            except SealError as error:
                raise JournalError(error.code, self._path) from None
            body = msgspec.structs.replace(body, action={**body.action, **private})
        return Entry(seq=seq, game=game, client_id=client_id, wall_s=wall_s, body=body)

    def body(self, raw: bytes) -> AnyBody:
        """Return the body stored in a row, without its secret fields.

        :raises JournalError: `journal_damaged`, or `journal_newer` where this release does not know its kind.
        """
        try:
            return decoded(raw)
        except UNDECODABLE:
            if _is_newer(raw):
                raise JournalError("journal_newer", self._path) from None
            raise damaged(self._path) from None

    def body_if_known(self, raw: bytes) -> AnyBody | None:
        """Return the body stored in a row; None where this release does not know its kind.

        :raises JournalError: `journal_damaged`.
        """
        try:
            return self.body(raw)
        except JournalError as error:
            if error.code != "journal_newer":
                raise
            return None


def decoded(raw: bytes) -> AnyBody:
    """Return the decoded body of a row.

    :raises Exception: one of `UNDECODABLE`: it is damaged, or this release does not know its kind.
    """
    return _decoder.decode(raw)


def _is_newer(raw: bytes) -> bool:
    """Return whether a body is of a kind that this release does not know."""
    try:
        return msgspec.json.decode(raw, type=_Tagged).kind not in _KINDS
    except UNDECODABLE:
        return False


def _bound_to(game: int, seq: int) -> bytes:
    return b"smugglers-table entry %d of game %d" % (seq, game)
