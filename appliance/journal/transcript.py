"""A whole game as JSON Lines: the set-up, then one action a line (DESIGN §4). Parsing is strict.

The reader folds each line as it is read. So it reports the first bad line, and holds at most one line of text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, get_args

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import Game
from appliance.games.game_words import words_of
from appliance.games.protocol import Action, Rejection, Setup
from appliance.journal.codes import reject
from appliance.words.catalogues import words_for
from hardware.files.regular_file import brief

LONGEST_LINE = 64 * 1024
"""Bytes of a line, its end included."""
LONGEST_FILE = 16 * 1024 * 1024
"""Bytes of a transcript: hundreds of times the size of a long game."""


class TranscriptError(msgspec.Struct, frozen=True):
    """What is wrong with a transcript: the line (from 1, the set-up), a stable code, and a sentence."""

    line: int
    code: str
    message: str


class Transcript(msgspec.Struct, frozen=True):
    """A game that the rules accept: its set-up, its actions, and the state they lead to."""

    setup: Setup
    actions: tuple[Action, ...]
    state: Any

    @property
    def game(self) -> Game:
        """The game that was played."""
        return the_game(self.setup.game)


class _BadLineError(Exception):
    """A line that cannot be read; never leaves this module."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.values = values


def write_transcript(setup: Setup, actions: Iterable[Action]) -> str:
    """Return the transcript as text, one line each, every line ended."""
    encode = msgspec.json.encode
    return "".join(encode(line).decode() + "\n" for line in (setup, *actions))


def share_transcript(setup: Setup, actions: tuple[Action, ...], *, consent: bool) -> str | Rejection:
    """Return the transcript for export. Without everyone's consent its secrets are replaced, and its set-up says so.

    `no_stand_ins`: the game has secrets, and no replacement was found. It is exported only with everyone's consent.

    :raises KeyError: when there is no game of that name.
    :raises ValueError: when the actions do not fold.
    """
    game = the_game(setup.game)
    if consent or (game.anonymise is None and not game.rules.secret_fields):
        return write_transcript(setup, actions)
    replaced = None if game.anonymise is None else game.anonymise()(game.rules, setup, actions)
    if replaced is None:
        return reject("no_stand_ins", "")
    return write_transcript(msgspec.structs.replace(setup, stand_in_masses=True), replaced)


def read_transcript(stream: IO[bytes], language: str = "en") -> Transcript | TranscriptError:
    """Read and fold a transcript; the first line that is wrong, in form or by the rules, is the error.

    Lines end with LF or CRLF; the end of the last one may be missing. Memory is bounded, whatever the file holds.
    Its sentence is in `language`. Details that a parser gives exist only in English.
    """
    lines = _lines(stream)
    number = 1
    actions: list[Action] = []
    try:
        first = next(lines, None)
        if first is None:
            raise _BadLineError("empty_file")
        setup, game = _read_setup(first)
        step = game.rules.set_up(setup)
        while not isinstance(step, Rejection):
            number += 1
            line = next(lines, None)
            if line is None:
                return Transcript(setup, tuple(actions), step.state)
            actions.append(_read_action(line, game))
            step = game.rules.apply(step.state, actions[-1])
    except _BadLineError as bad:
        return transcript_error(number, bad.code, language, **bad.values)
    names = [player.name for player in setup.players]
    sentence = words_of(language, game.name).say(f"rejection.{step.code}", step.values, names)
    return TranscriptError(len(actions) + 1, step.code, f"{sentence} ({step.rule})")


def transcript_error(line: int, code: str, language: str, **values: object) -> TranscriptError:
    """Return an error with its sentence in `language`, the sentence `replay.<code>` of the frame's catalogue."""
    return TranscriptError(line, code, words_for(language).say(f"replay.{code}", values))


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines without their ends.

    :raises _BadLineError: on a blank line, and on a line or a file beyond the limits.
    """
    total = 0
    while line := stream.readline(LONGEST_LINE + 1):
        total += len(line)
        if len(line) > LONGEST_LINE:
            raise _BadLineError("line_too_long", most=LONGEST_LINE)
        if not line.strip(b" \t\r\n"):
            raise _BadLineError("blank_line")
        if total > LONGEST_FILE:
            raise _BadLineError("file_too_large", most=LONGEST_FILE)
        yield line


def _read_setup(line: bytes) -> tuple[Setup, Game]:
    found = _read_object(line)
    if found.get("format", 1) != 1:
        raise _BadLineError("unknown_format")
    setup: Setup = _read_fields(line, found, Setup)
    if setup.game not in GAMES:
        raise _BadLineError("unknown_game", known=tuple(GAMES))
    return setup, the_game(setup.game)


def _read_action(line: bytes, game: Game) -> Action:
    found = _read_object(line)
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(game.rules.action_type)}
    kind = kinds.get(do) if isinstance(do := found.get("do"), str) else None
    if kind is None:
        raise _BadLineError("unknown_action", known=tuple(kinds))
    action: Action = _read_fields(line, found, kind)
    return action


def _read_object(line: bytes) -> dict[str, Any]:
    """Parse one JSON object, refusing what JSON readers often let pass: NaN, repeated keys, a byte order mark."""
    if line.startswith(b"\xef\xbb\xbf"):
        raise _BadLineError("byte_order_mark")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise _BadLineError("not_utf8") from None
    try:
        found = msgspec.json.decode(line)
        json.loads(text, object_pairs_hook=_without_repeats)
    except msgspec.DecodeError as error:
        if not line.endswith(b"\n"):
            raise _BadLineError("truncated") from None
        raise _BadLineError("not_json", detail=brief(error)) from None
    except RecursionError:
        raise _BadLineError("not_json", detail="it is nested too deeply") from None
    if not isinstance(found, dict):
        raise _BadLineError("not_an_object")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _BadLineError("repeated_key")
    return found


def _read_fields(line: bytes, found: dict[str, Any], kind: type[Any]) -> Any:
    fields = msgspec.structs.fields(kind)
    known = {field.encode_name for field in fields} | {kind.__struct_config__.tag_field}
    if any(key not in known for key in found):
        raise _BadLineError("unknown_key", allowed=sorted(filter(None, known)))
    missing = [field.encode_name for field in fields if field.required and field.encode_name not in found]
    if missing:
        raise _BadLineError("missing_key", missing=missing)
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as error:
        raise _BadLineError("wrong_value", detail=brief(error)) from None
