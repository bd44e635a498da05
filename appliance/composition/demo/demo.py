"""The demonstration: robots at the simulated table open games, play the seats without a person, and start over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

import msgspec

from appliance.composition.demo.robot_players import RobotPlayers
from appliance.games.game import Game
from appliance.games.protocol import Action, Rejection, Setup
from appliance.snapshot import Snapshot, Submission
from appliance.table.table import Table
from appliance.words.errors import where_raised
from hardware.clock import Clock, ended
from hardware.files.regular_file import MOST_TEXT_BYTES, UNDECODABLE, read_ordinary, write_private
from hardware.readings import Device
from hardware.twin.simulation import Simulation

PLAY_S = 0.05
"""Simulated seconds between two calls of `play`."""
APPLAUSE_S = 20.0
"""Simulated seconds that a finished game stays on the screens before the next one begins."""
LOBBY_S = 8.0
"""Simulated seconds that the lobby waits for people before robots open a game."""
PEOPLE_S = 60.0
"""Simulated seconds that the lobby waits after people closed a game."""
SET_UP_S = 300.0
"""Real seconds that the lobby waits while people set up a game."""
READING_S = 300.0
"""Real seconds that a finished game stays on the screens if people played it."""
AFTER_BUG_S = 2.0
"""Real seconds after a bug of a robot until others play: one that repeats must not fill the log."""

NAMES = ("Ada", "Bruno", "Carla", "Dimitri", "Elif", "Farid")

_log = logging.getLogger(__name__)


class Players(Protocol):
    """Plays seats: a game's simulated hands, or `RobotPlayers`. `automatic` are the seats that it plays now."""

    automatic: set[int]

    def play(self, views: Callable[[int | None], Any], now_s: float, question: str | None = None) -> None:
        """Do the next thing that is due, if any."""
        ...


@runtime_checkable
class Practising(Protocol):
    """Players that make trial rolls while the table practises."""

    def practise(self, now_s: float) -> bool:
        """Do the next thing that is due. Return False once everybody has practised."""
        ...


@runtime_checkable
class LendsHands(Protocol):
    """Players with simulated hands that also act for a person on request."""

    def lend(self, seat: int) -> None:
        """Do the next thing that the table waits for from `seat`, which a person plays."""
        ...


class People(msgspec.Struct, frozen=True):
    """Which seats people play in one game and its rematches."""

    seating: int | None
    seats: frozenset[int]


class Demo:
    """Plays on a simulated table.

    :param games: the game of a name.
    :param opens: the name of the game that robots open by themselves.
    :param players: how many robots sit down, as many as the game takes.
    :param restarts: whether a new game follows a finished one.
    :param options: the options of the games that robots open.
    :param people_file: remembers which seats people play, for the next start; None: nothing is remembered.
    :param on_tap: called with every action that hands tap because no sensor could see it.
    """

    def __init__(
        self,
        table: Table,
        simulation: Simulation,
        games: Callable[[str], Game],
        *,
        clock: Clock,
        seed: int,
        opens: str = "smugglers",
        players: int = 4,
        restarts: bool = True,
        options: Mapping[str, Any] | None = None,
        people_file: Path | None = None,
        on_tap: Callable[[Action], None] = lambda action: None,
    ) -> None:
        self._table, self._simulation, self._games, self._clock = table, simulation, games, clock
        self._opens = opens
        self._players, self._restarts, self._options = players, restarts, dict(options or {})
        self._people_file = people_file
        self._people = self._kept_people()
        self._on_tap = on_tap
        self._random = Random(seed)
        # A separate generator for ids: the number of taps must not change the play. Each start makes different ids.
        self._ids = Random(f"{seed} {table.snapshot().journal_seq}")
        self._seated: Players | None = None
        self._playing: int | None = None
        self._found = table.snapshot().game_id
        """The game that was open at the start, until it was looked at."""
        self._opens_s = clock.now_s()
        """When robots open a game, unless people do so before."""
        self._waiting_since_s = clock.now_s()
        self._said = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def who_plays(self, seat: int) -> str:
        """Return "robot" or "person" for a seat."""
        snapshot = self._table.snapshot()
        if self._seated is None or self._playing != snapshot.game_id:
            # The robots have not taken their seats yet.
            return "person" if seat in self._people_of(snapshot.seating) else "robot"
        return "robot" if seat in self._seated.automatic else "person"

    def hand_over(self, seat: int, to: str) -> None:
        """Give a seat to a "robot" or a "person"."""
        if self._seated is None:
            return
        (self._seated.automatic.add if to == "robot" else self._seated.automatic.discard)(seat)
        snapshot = self._table.snapshot()
        if snapshot.setup is None:
            return
        people = frozenset(range(len(snapshot.setup.players))) - self._seated.automatic
        self._people = People(seating=snapshot.seating, seats=people)
        if self._people_file is not None:
            try:
                write_private(self._people_file, msgspec.json.encode(self._people))
            except OSError as error:
                _log.warning("the seats that people play are forgotten at the next start: %s", error.strerror)

    def lend_hands(self, seat: int) -> None:
        """Do with simulated hands what the table waits for from `seat`, which a person plays."""
        if isinstance(self._seated, LendsHands):
            self._seated.lend(seat)

    def keep_lobby(self) -> None:
        """Delay the robots' next game by `SET_UP_S`, because somebody is setting up a game."""
        self._opens_s = max(self._opens_s, self._clock.now_s() + SET_UP_S * self._clock.speed)

    def play(self) -> None:
        """Do the next thing, if any; call it at least twenty times per simulated second."""
        snapshot, now_s = self._table.snapshot(), self._clock.now_s()
        if snapshot.game is None:
            self._seated = None
            if now_s >= self._opens_s:
                self._open_game()
            return
        if snapshot.game_id == self._found and not self._goes_on(snapshot):
            self._table.close_game(self._id("close"))
            return
        self._found = None
        if snapshot.setup is not None and (self._seated is None or self._playing != snapshot.game_id):
            self._sit_down(snapshot)
        game = self._games(snapshot.game)
        if game.rules.outcome(snapshot.state) is not None:
            if self._restarts and now_s - self._waiting_since_s >= self._applause_s(snapshot):
                self._table.close_game(self._id("close"))
                self._opens_s = now_s + LOBBY_S
            return
        self._waiting_since_s = now_s
        # People who close a game usually open another one.
        self._opens_s = now_s + PEOPLE_S
        assert self._seated is not None
        if snapshot.paused:
            return
        if (camera := snapshot.health.get("camera")) is not None and camera.code == "camera_starting":
            return  # the camera would miss what hands do now
        if snapshot.practice and isinstance(self._seated, Practising):
            # A die thrown now would not be read: first everybody practises.
            if not self._seated.practise(now_s):
                self._table.practise(False)
            return
        question = snapshot.question.prompt if snapshot.question is not None else None
        self._seated.play(partial(game.rules.view, snapshot.state), now_s, question)

    def _goes_on(self, snapshot: Snapshot) -> bool:
        """Return whether a game that was open at the start is played on. One that robots alone played gives way."""
        if snapshot.game == self._opens:
            return True
        if self._people_of(snapshot.seating):
            _log.warning("people play the open game of %s; put it away to play %s", snapshot.game, self._opens)
            return True
        return False

    def _applause_s(self, snapshot: Snapshot) -> float:
        """Return how long a finished game stays open, in simulated seconds."""
        assert self._seated is not None
        assert snapshot.setup is not None
        by_people = not self._seated.automatic.issuperset(range(len(snapshot.setup.players)))
        return READING_S * self._clock.speed if by_people else APPLAUSE_S

    def _open_game(self) -> None:
        game = self._games(self._opens)
        options = self._options or (game.robots().demo_options() if game.robots else {})
        setup = Setup(
            format=1,
            game=self._opens,
            players=game.demo_players(NAMES[: self._players]),
            oldest=self._random.randrange(self._players),
            options=options,
        )
        self._opens_s = self._clock.now_s() + LOBBY_S
        answer = self._table.open_game(setup, self._id("open"))
        if isinstance(answer, Rejection) and answer.code != "game_open":
            _log.error("robots cannot open a game of %s: %s", self._opens, answer.code)

    def _sit_down(self, snapshot: Snapshot) -> None:
        """Create the robots, and the hands if the game has some, for the open game, resumed or new."""
        assert snapshot.setup is not None
        players, name = snapshot.setup.players, snapshot.setup.game
        game = self._games(name)
        assert game.robots is not None, "robots open and sit at games that have some"
        made = game.robots()
        skills = list(made.SKILLS)
        robots = {
            seat: made.Robot(seat, self._random.choice(skills), self._random.getrandbits(32))
            for seat in range(len(players))
        }
        seed = self._random.getrandbits(32)
        if game.hands is not None:
            self._seated = game.hands()(
                self._simulation, players, robots, self._submit, self._press, missing=self._missing, seed=seed
            )
        else:
            self._seated = RobotPlayers(robots, self._submit, seed=seed)
        self._playing = snapshot.game_id
        self._seated.automatic -= self._people_of(snapshot.seating)

    def _people_of(self, seating: int | None) -> frozenset[int]:
        """Return the seats that people took in a game, or in one whose rematch it is."""
        return self._people.seats if self._people is not None and self._people.seating == seating else frozenset()

    def _kept_people(self) -> People | None:
        if self._people_file is None:
            return None
        try:
            return msgspec.json.decode(read_ordinary(self._people_file, MOST_TEXT_BYTES), type=People)
        except (OSError, *UNDECODABLE):
            return None

    def _submit(self, _: int | None, prompt: str, action: Action) -> None:
        self._on_tap(action)
        # Hands tap for sensors that see nothing. So they may also answer prompts that only the table answers.
        self._table.post(Submission(id=self._id("robot"), action=action, prompt=prompt))

    def _press(self, button: str) -> None:
        if button == "undo":
            self._table.undo(self._id("undo"))
        else:
            self._table.command(button, self._id("button"))

    def _missing(self) -> frozenset[Device]:
        """Return the devices that do not work."""
        return frozenset(d for d, said in self._table.snapshot().health.items() if said.status in ("absent", "faulty"))

    def _id(self, what: str) -> str:
        self._said += 1
        return f"demo-{what}-{self._ids.getrandbits(64):016x}-{self._said}"

    def start(self) -> None:
        """Play in a thread until `stop`. After a bug of a robot, others take the seats of all robots."""
        real_period_s = PLAY_S / self._clock.speed
        self._thread = threading.Thread(target=self._run, args=(real_period_s,), name="demo", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop playing after the current step, because the journal is closed next."""
        self._stopping.set()
        ended(self._thread)

    def _run(self, pause_s: float) -> None:
        while not self._stopping.wait(max(pause_s, 0.002)):
            try:
                self.play()
            except Exception as bug:
                _log.error("%s; other robots play on", where_raised(bug))
                self._seated = None
                self._stopping.wait(AFTER_BUG_S)
