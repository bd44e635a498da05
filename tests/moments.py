"""Every moment of recorded and random games, as the snapshots that a table publishes: what all pages are made from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Player, Rejection, Setup, Timing
from appliance.journal.fold.history import History
from appliance.snapshot import LOG_LINES, Snapshot
from appliance.table.game.pending_advice import PendingAdvice
from appliance.table.table_state import CORRECTABLE
from tests.appliance.games.plays import Prompted, play_of
from tests.appliance.games.recordings import NAMES, path_of

NOW_S = 100.0
GAME_ID = 1
RANDOM_STEPS = 1500
"""How far a random game is followed; it is as long as its dice make it."""
NAMED = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn")


class Moment(NamedTuple):
    """One step of one game. `source` is a recording's name, or a random game's; `told` tells equal moments.

    `looks` is alike in moments whose pages are made of the same parts: same rules and number of players, the same asked
    of as many, the same happened last, the same said by the referee.
    """

    game: str
    source: str
    step: int
    snapshot: Snapshot
    told: str
    looks: Any


class Course:
    """A game step by step, with what its referee says of each step."""

    def __init__(self, game: str, setup: Setup) -> None:
        found = the_game(game)
        self.rules = found.rules
        self.setup = setup
        start = self.rules.set_up(setup)
        self.began = not isinstance(start, Rejection)
        if isinstance(start, Rejection):
            return
        self.history = History(found, setup, GAME_ID, start)
        self._board = PendingAdvice()
        self._referee = found.referee(setup, Timing())
        self._told = hashlib.sha256(msgspec.json.encode(setup))
        self._advise(None)

    @property
    def state(self) -> Any:
        return self.history.state

    @property
    def told(self) -> str:
        """What tells this moment from every other: the set-up and everything done since."""
        return self._told.hexdigest()

    def do(self, action: Action) -> bool:
        """Do `action`, or say that the rules refuse it."""
        step = self.rules.apply(self.state, action)
        if isinstance(step, Rejection):
            return False
        self.history.act(len(self.history.actions()) + GAME_ID + 1, action, step)
        self._told.update(msgspec.json.encode(action))
        self._advise(action)
        return True

    def kind(self) -> Any:
        """Return what is alike in moments that look alike: what is asked, and what happened last."""
        asked = Counter((prompt.do, prompt.seat is None) for prompt in self._expected(None))
        log = self.history.log(1)
        return frozenset(asked.items()), log[-1].happening.code if log else None

    def moment(self, source: str, step: int) -> Moment:
        """Return this moment, the step of that number in a game of that name."""
        return Moment(self.setup.game, source, step, self.snapshot(step + 1), self.told, self._looks())

    def _looks(self) -> Any:
        advised = self._board.pending, self._board.question
        remarks = frozenset(remark.code for remark in self._board.remarks.values())
        return len(self.setup.players), repr(self.setup.options), self.kind(), *map(_code, advised), remarks

    def snapshot(self, version: int) -> Snapshot:
        pending = self._board.pending
        return Snapshot(
            version=version,
            game=self.setup.game,
            setup=self.setup,
            state=self.state,
            journal_seq=version,
            now_s=NOW_S,
            log=self.history.log(LOG_LINES),
            pending=pending and msgspec.structs.replace(pending, id="pending"),
            question=self._board.question,
            remarks=dict(self._board.remarks),
            timers=self._board.timers,
            attention=self._referee.attention(self.state),
            correctable=self.history.correctable(CORRECTABLE),
            hardware="twin",
            game_id=GAME_ID,
        )

    def _advise(self, action: Action | None) -> None:
        prompts = {p.prompt for seat in (None, *range(len(self.setup.players))) for p in self._expected(seat)}
        self._board.close_prompts(prompts, lambda one: not isinstance(self.rules.apply(self.state, one), Rejection))
        for advice in self._referee.stepped(self.state, action, NOW_S):
            self._board.put(advice, prompts, self.history.public, NOW_S)

    def _expected(self, seat: int | None) -> tuple[Any, ...]:
        return self.rules.expects(self.state, seat)


def _code(advice: Any) -> str | None:
    return None if advice is None else str(getattr(advice, "code", type(advice).__name__))


def moments_of(game: str) -> Iterator[Moment]:
    """Yield every moment of the recorded games and of some random ones; the same from run to run."""
    for name in NAMES[game]:
        yield from recorded(game, name)
    seen: set[Any] = set()
    for number in range(len(random_setups(game))):
        yield from at_random(game, number, seen)


def recorded(game: str, name: str) -> Iterator[Moment]:
    """Yield the moments of a recording, up to the line that is refused where one is."""
    first, *lines = path_of(game, name).read_bytes().splitlines()
    try:
        course = Course(game, msgspec.json.decode(first, type=Setup))
        if not course.began:
            return
        yield course.moment(name, 0)
        for step, line in enumerate(lines, start=1):
            if not course.do(msgspec.json.decode(line, type=course.rules.action_type)):
                return
            yield course.moment(name, step)
    except msgspec.DecodeError:
        return  # the recording of a line that cannot be read


def at_random(game: str, number: int, seen: set[Any]) -> Iterator[Moment]:
    """Yield the first moment of each kind that is not in `seen`, in the random game of that number; fill `seen`.

    Moments are of a kind where the same is asked of as many, and the same happened last.
    """
    setup = random_setups(game)[number]
    course, source = Course(game, setup), f"random-{number}"
    assert course.began, setup
    played = play_of(game).played(setup, Random(number), leaving=0.004)
    for step, (_, action, *_) in enumerate(islice(played, RANDOM_STEPS)):
        kind = course.kind()
        if kind not in seen:
            yield course.moment(source, step)
        seen.add(kind)
        assert course.do(action), action
    yield course.moment(source, RANDOM_STEPS)


def random_setups(game: str) -> list[Setup]:
    """Return the set-ups of the random games: what changes a page most, changed."""
    play = play_of(game)
    match game:
        case "smugglers":
            setups = [play.a_setup(2), play.a_setup(4), play.a_setup(3, goal="short")]
        case "prohis":
            hidden = {"declarations": "hidden", "open_bribes": True}
            setups = [play.a_setup(3), play.a_setup(6, **hidden), play.a_setup(4, physical=True)]
        case "customs":
            setups = [play.a_setup(3), play.a_setup(6, money=300), play.a_setup(4, physical=True)]
        case _ if isinstance(play, Prompted):
            setups = [play.a_setup()]
        case _:
            setups = [play.a_setup(2 + n % 3, **options) for n, options in enumerate(play.VARIANTS)]
    return [named(setup) for setup in setups]


def named(setup: Setup) -> Setup:
    """Return `setup` with people in its seats."""
    players = [msgspec.structs.replace(one, name=NAMED[seat]) for seat, one in enumerate(setup.players)]
    return msgspec.structs.replace(setup, players=tuple[Player, ...](players))
