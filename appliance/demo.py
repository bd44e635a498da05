"""The demonstration: robots at the simulated table open games, play the seats that nobody took, and start over."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec

from appliance.games.game import Action, Game, Player, Setup
from appliance.games.smugglers.puppeteer import Puppeteer
from appliance.games.smugglers.robot import SKILLS, Robot
from appliance.snapshot import Snapshot, Submission
from appliance.table import Table
from hardware.clock import Clock, WarpedClock
from hardware.readings import PuttyColour
from hardware.twin.simulation import Simulation

PLAY_S = 0.05
"""How often hands look at the table, in simulated seconds."""
APPLAUSE_S = 20.0
"""How long a finished game stays on the screens before the next begins, in simulated seconds."""
LOBBY_S = 8.0
"""How long the lobby stays open for people before robots begin a game of their own, in simulated seconds."""

NAMES = ("Ada", "Bruno", "Carla", "Dimitri")
PUTTY = ("yellow", "green", "orange", "pink")


class Demo:
    """Plays on a simulated table.

    :param game: the game that robots open by themselves.
    :param players: how many robots sit down, 2–4.
    :param restarts: whether a new game follows a finished one.
    :param options: the options of the games that robots open.
    """

    def __init__(
        self,
        table: Table,
        simulation: Simulation,
        game: Game,
        *,
        clock: Clock,
        seed: int,
        players: int = 4,
        restarts: bool = True,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._table, self._simulation, self._game, self._clock = table, simulation, game, clock
        self._players, self._restarts, self._options = players, restarts, dict(options or {})
        self.tapped: Counter[str] = Counter()
        self._random = Random(seed)
        self._puppeteer: Puppeteer | None = None
        self._playing: int | None = None
        self._waiting_since_s = clock.now_s()
        self._said = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def who_plays(self, seat: int) -> str:
        """Return "robot" or "person" for a seat."""
        return "robot" if self._puppeteer is not None and seat in self._puppeteer.automatic else "person"

    def hand_over(self, seat: int, to: str) -> None:
        """Give a seat to a "robot" or a "person"."""
        if self._puppeteer is not None:
            (self._puppeteer.automatic.add if to == "robot" else self._puppeteer.automatic.discard)(seat)

    def play(self) -> None:
        """Do the next thing, if any; call it at least twenty times per simulated second."""
        snapshot, now_s = self._table.snapshot(), self._clock.now_s()
        if snapshot.game is None:
            self._puppeteer = None
            if now_s - self._waiting_since_s >= LOBBY_S or self._playing is None:
                self._open_game()
            return
        if snapshot.setup is not None and (self._puppeteer is None or self._playing != snapshot.game_id):
            self._sit_down(snapshot)
        if self._game.outcome(snapshot.state) is not None:
            if self._restarts and now_s - self._waiting_since_s >= APPLAUSE_S:
                self._table.close_game(self._id("close"))
                self._waiting_since_s = now_s
            return
        self._waiting_since_s = now_s
        assert self._puppeteer is not None
        question = snapshot.question.prompt if snapshot.question is not None else None
        self._puppeteer.play(self._views(snapshot), now_s, question)

    def _views(self, snapshot: Snapshot) -> Callable[[int | None], Any]:
        return lambda seat: self._game.view(snapshot.state, seat)

    def _open_game(self) -> None:
        seated = tuple(Player(name=NAMES[seat], putty=PUTTY[seat]) for seat in range(self._players))
        oldest = self._random.randrange(self._players)
        setup = Setup(format=1, game=self._game.name, players=seated, oldest=oldest, options=self._options)
        self._table.open_game(setup, self._id("open"))

    def _sit_down(self, snapshot: Snapshot) -> None:
        """Bring robots and putty for the game that is now open, resumed or new."""
        assert snapshot.setup is not None
        players = snapshot.setup.players
        skills = list(SKILLS)
        robots = {
            seat: Robot(seat, self._random.choice(skills), self._random.getrandbits(32)) for seat in range(len(players))
        }
        with self._simulation.table() as world:
            world.seat(msgspec.convert([player.putty for player in players], tuple[PuttyColour, ...]))
        self._puppeteer = Puppeteer(self._simulation, robots, self._submit, seed=self._random.getrandbits(32))
        self._playing = snapshot.game_id

    def _submit(self, seat: int | None, prompt: str, action: Action) -> None:
        self.tapped[str(type(action).__struct_config__.tag)] += 1
        self._table.post(Submission(id=self._id("robot"), action=action, prompt=prompt, seat=seat))

    def _id(self, what: str) -> str:
        self._said += 1
        return f"demo-{what}-{self._random.getrandbits(64):016x}-{self._said}"

    def start(self) -> None:
        """Play in a thread until `stop`."""
        speed = self._clock.speed if isinstance(self._clock, WarpedClock) else 1.0
        self._thread = threading.Thread(target=self._run, args=(PLAY_S / speed,), name="demo", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop playing."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=2)

    def _run(self, pause_s: float) -> None:
        while not self._stopping.wait(max(pause_s, 0.002)):
            self.play()
