"""Logs the public happenings at the table. Players are named by their seats."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, get_args

from appliance.games.game import Game
from appliance.games.game_words import words_of
from appliance.games.protocol import Remark
from appliance.journal.codes import JournalProblem, RecordsRemark
from appliance.service.upkeep.log_file import STORY
from appliance.snapshot import Announcement, Snapshot
from appliance.table.broadcast import Snapshots, followed
from appliance.words.catalogues import Words, words_for
from appliance.words.errors import where_raised
from hardware.clock import ended
from hardware.readings import Device

_story = logging.getLogger(STORY)
_log = logging.getLogger(__name__)
_OF_FILES = frozenset({*get_args(JournalProblem), *get_args(RecordsRemark)})
"""Codes of remarks about damaged files, which are warnings."""


class Story:
    """Follows the table's snapshots in a thread of its own, and logs what is new in each.

    :param games: the game of a name.
    :param language: of its sentences.
    """

    def __init__(self, table: Snapshots, games: Callable[[str], Game], language: str) -> None:
        self._table, self._games, self._language = table, games, language
        self.opened: Counter[str] = Counter()
        """Games opened since the start, by their names; `ended`: games that ended since the start."""
        self.ended: Counter[str] = Counter()
        self._begins = True
        self._game_id: int | None = None
        self._told_seq = 0
        self._over = False
        self._asked = ""
        self._remarks: dict[str, Remark] = {}
        self._faults: dict[Device, tuple[str, ...]] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to follow."""
        _story.info("the table starts")
        self._thread = threading.Thread(target=self._follow, name="story", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop following, after the newest snapshot is logged."""
        self._stopping.set()
        if ended(self._thread):
            self.take(self._table.snapshot())
        _story.info("the table stops")

    def _follow(self) -> None:
        for snapshot in followed(self._table, self._stopping):
            try:
                self.take(snapshot)
            except Exception as bug:
                _log.error("%s; the log goes on with the next change", where_raised(bug))

    def take(self, snapshot: Snapshot) -> None:
        """Log what is new in a snapshot."""
        self._tell_game(snapshot)
        self._tell_devices(snapshot)
        for topic, remark in snapshot.remarks.items():
            if self._remarks.get(topic) != remark:
                self._tell_remark(snapshot, remark)
        self._remarks, self._begins = dict(snapshot.remarks), False

    def _tell_game(self, snapshot: Snapshot) -> None:
        if snapshot.game_id != self._game_id:
            if self._game_id is not None:
                _story.info("game %d is put away%s", self._game_id, "" if self._over else " unfinished")
            self._game_id, self._told_seq, self._over, self._asked = snapshot.game_id, 0, False, ""
            if snapshot.game_id is not None and snapshot.setup is not None:
                self._tell_opening(snapshot)
        if snapshot.game is None:
            return
        words, names = words_of(self._language, snapshot.game), _seats(snapshot)
        for announcement in snapshot.log:
            # A happening that is told to one seat only is secret.
            if announcement.seq > self._told_seq and announcement.happening.to is None:
                _story.info("game %d, %d: %s", snapshot.game_id, announcement.seq, _heard(words, announcement, names))
        if snapshot.log:
            self._told_seq = max(self._told_seq, snapshot.log[-1].seq)
        question = snapshot.question
        asked = "" if question is None else _said(words, f"question.{question.code}", question.values, names)
        if asked and asked != self._asked:
            _story.info("game %d, asked: %s", snapshot.game_id, asked)
        self._asked = asked
        if not self._over and self._games(snapshot.game).rules.outcome(snapshot.state) is not None:
            self._over = True
            self.ended[snapshot.game] += 1
            _story.info("game %d has ended", snapshot.game_id)

    def _tell_opening(self, snapshot: Snapshot) -> None:
        assert snapshot.setup is not None
        said = "goes on" if self._begins else "is opened"
        self.opened[str(snapshot.game)] += not self._begins
        if self._begins and snapshot.log:
            # What happened before this start was logged then.
            self._told_seq = snapshot.log[-1].seq
        _story.info("game %d %s: %s, %d seats", snapshot.game_id, said, snapshot.game, len(snapshot.setup.players))

    def _tell_devices(self, snapshot: Snapshot) -> None:
        words = words_for(self._language)
        now = {
            device: health.codes
            for device, health in snapshot.health.items()
            if health.status not in ("ok", "starting") or len(health.codes) > 1
        }
        for device, codes in now.items():
            if self._faults.get(device) != codes:
                _log.warning("%s: %s", device, "; ".join(f"{words.say(f'health.{code}')} ({code})" for code in codes))
        for device in self._faults.keys() - now.keys():
            _log.warning("%s: works again", device)
        self._faults = dict(now)

    def _tell_remark(self, snapshot: Snapshot, remark: Remark) -> None:
        words = words_of(self._language, snapshot.game)
        said = _said(words, f"remark.{remark.code}", remark.values, _seats(snapshot))
        _log.log(logging.WARNING if remark.code in _OF_FILES else logging.INFO, "%s (%s)", said, remark.code)


def _seats(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the names of players in the log: their seats, because guests' names are private."""
    count = len(snapshot.setup.players) if snapshot.setup is not None else 0
    return tuple(f"#{seat + 1}" for seat in range(count))


def _heard(words: Words, announcement: Announcement, names: tuple[str, ...]) -> str:
    happening = announcement.happening
    said = _said(words, f"happening.{happening.code}", happening.values, names)
    return said if announcement.kind == "happening" else f"{announcement.kind}: {said}"


def _said(words: Words, code: str, values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return a sentence; the bare code where a game has no words for it."""
    try:
        return words.say(code, values, names)
    except KeyError:
        return code
