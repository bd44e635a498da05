"""Who sits at the guest's table: robots whose hands move the twin, and who tap what no sensor sees."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.protocol import Action, Player
from appliance.games.smugglers.robots.robot import Robot
from appliance.games.smugglers.robots.simulated_hands import SimulatedHands, hands_for
from appliance.games.smugglers.rules.view import Own, SeatView, View
from appliance.words.catalogues import words_for
from hardware.readings import PUTTY_COLOURS, Device, Piece
from tests.machine.twin import Taps, Twin

LOOK_S = 0.4
"""Seconds between two looks at the table's view."""
TELL_S = 5.0
"""Seconds between two lines of the log."""
LISTEN_S = 2.0
"""Seconds between two looks at a page that tells a device's state."""
SEATED = tuple(Player(name=name, putty=putty) for name, putty in zip(("Ada", "Bo"), PUTTY_COLOURS, strict=False))
SETTLE_S = 20.0
"""A table that has just started prepares its pages and seeks its markers, which keeps this processor busy."""
PULLS: tuple[tuple[str, Device, tuple[str, ...]], ...] = (
    ("beams", "beams", ("beam_front_covered", "beam_front_dark_at_start")),
    ("scale", "scale", ("scale_absent", "scale_silent")),
    ("camera", "camera", ("camera_lost", "camera_silent")),
)
"""What is unplugged, each in a round of its own from the second on: the device, and the words that tell it."""
Steps = Iterator[None]


class Players:
    """Plays at the guest's table, one step at each tick of the twin.

    :param log: a file that tells, line by line, how far it has come.

    `held` are rows: what was tried, whether it held, what was seen. `actions` is the game's journal as it was when the
    last round began, or when the game was over.
    """

    def __init__(self, twin: Twin, taps: Taps, steps: Callable[[Players], Steps], seed: int, log: Path) -> None:
        self._twin, self._taps, self._seed, self._log = twin, taps, seed, log
        self._steps = steps(self)
        self.now_s = self._looked_s = self._told_s = 0.0
        self.view: View | None = None
        self.actions: list[dict[str, Any]] = []
        self.held: list[tuple[str, bool, dict[str, Any]]] = []
        self._listed: list[str] = []
        self._question: str | None = None
        self._said = 0
        self._missing: set[Device] = set()
        self._hands: SimulatedHands | None = None

    def deed(self, now_s: float) -> bool:
        """Do what is due at the guest's second; False once all is over."""
        self.now_s = now_s
        self._taps.pump()
        if self._taps.idle and now_s - self._looked_s >= LOOK_S:
            self._looked_s = now_s
            self._taps.ask("GET", "/api/v1/view", then=self._look)
        if now_s - self._told_s >= TELL_S:
            self._told_s = now_s
            self._tell()
        return next(self._steps, self) is not self

    def _tell(self) -> None:
        """Write into the log how far it has come."""
        waits = [] if self.view is None else [f"{prompt.do} of {prompt.seat}" for prompt in self.view.expects]
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{self.now_s:.1f} s, {self._twin.pictures} pictures: {waits} {self._listed}\n")

    def _look(self, text: str) -> None:
        told = json.loads(text)
        self.view = msgspec.convert(told["view"], View) if told["game"] else None
        self._question = (told.get("question") or {}).get("prompt")

    # What is played

    def practise(self) -> Steps:
        """Roll trial spheres, of which one fits and one does not: the page tells what camera and beams agree on."""
        yield from self._opened()
        yield from self._answered("PUT", "/api/v1/practice", {"on": True})
        yield from self._ready()
        say = words_for("en").say
        for share, verdict in ((0.88, "practice_passed"), (1.12, "practice_stuck")):
            lane = self._twin.simulation.rig.lanes[2]
            with self._twin.simulation.table() as world:
                world.sculpt(0, share * lane.hole_mm, ())
                rolling = world.start_roll(0, lane.number, 0.5)
            while not rolling.done:
                yield
            truth = self._twin.world.truth[-1]
            place = self._twin.world.spheres[0].place
            told = yield from self._told("/wall", (say(f"remark.{verdict}"),), 60.0)
            what = f"camera and beams agree on a sphere of {share:.2f} of its hole"
            self.held.append((what, bool(told), {"truth": getattr(truth, "outcome", ""), "said": told}))
            if place == "track":
                with self._twin.simulation.table() as world:
                    lifting = world.lift_sphere(0)
                while not lifting.done:
                    yield
            yield from self._for(3.0)
        yield from self._answered("PUT", "/api/v1/practice", {"on": False})

    def play(self) -> Steps:
        """Play the game to its end, one sensor after the other unplugged for a while."""
        yield from self._opened()
        yield from self._ready()
        yield from self._for(SETTLE_S)
        robots = {seat: Robot(seat, "expert", self._seed + seat) for seat in range(len(SEATED))}
        simulation = self._twin.simulation
        self._hands = hands_for(
            simulation, SEATED, robots, self._tap, self._press, missing=self._unplugged, seed=self._seed
        )
        pulls = iter(PULLS)
        pulling: Steps | None = None
        pulled_in = recalled = 1
        while self.view is not None and self.view.winner is None:
            if pulling is None and self.view.round > pulled_in and (pull := next(pulls, None)) is not None:
                pulled_in, pulling = self.view.round, self._pull(*pull)
            if pulling is not None and next(pulling, self) is self:
                pulling = None
            if self.view.round != recalled:
                recalled = self.view.round
                self._taps.ask("GET", "history", then=self._recall)
            self._hands.play(self._views, self.now_s, self._question)
            yield
        self._recall((yield from self._answered("GET", "history")))

    def _recall(self, text: str) -> None:
        self.actions = json.loads(text or "[]")

    def _pull(self, what: str, device: Device, codes: tuple[str, ...]) -> Steps:
        """Unplug a sensor, wait for the word, play on until the next round, plug it in and wait until it is ready."""
        assert self.view is not None
        say, begun, round_ = words_for("en").say, self.now_s, self.view.round
        self._twin.pulled.add(what)
        name = say(f"device.{device}")
        wanted = tuple(f"{name}: {say(f'health.{code}')}" for code in codes)
        told = yield from self._told("/kiosk/table", wanted, 150.0)
        told_s = self.now_s - begun
        self._missing.add(device)
        while self.view is not None and self.view.winner is None and self.view.round == round_:
            yield
        went_on = self.view is not None and (self.view.round > round_ or self.view.winner is not None)
        self._twin.pulled.discard(what)
        ready = (f"{name}: {say(f'health.{device}_ok')}", f"{name}: {say('health.scale_warming_up')}")
        back = yield from self._told("/kiosk/table", ready, 120.0)
        self._missing.discard(device)
        self.held.append(
            (
                f"{what} unplugged for a round: a message appears, the game goes on, and after plugging in it is ready",
                bool(told) and went_on and bool(back),
                {"told": f"{told!r}", "after_s": round(told_s, 1), "then": f"{back!r}"},
            )
        )

    # How

    def _opened(self) -> Steps:
        if self.view is not None:
            return
        players = [{"name": player.name, "putty": player.putty} for player in SEATED]
        options = {"goal": "short", "hourglass_s": 1}
        setup = {"id": self._name("open"), "game": "smugglers", "players": players, "oldest": 0, "options": options}
        self._taps.ask("POST", "/api/v1/games", setup)
        while self.view is None:
            yield
        with self._twin.simulation.table() as world:
            world.seat(PUTTY_COLOURS[: len(SEATED)])

    def _ready(self) -> Steps:
        """Wait until all senses work."""
        say = words_for("en").say
        for device in ("camera", "beams", "scale"):
            codes = [f"{device}_ok", *(["scale_warming_up"] if device == "scale" else [])]
            wanted = tuple(f"{say(f'device.{device}')}: {say(f'health.{code}')}" for code in codes)
            told = yield from self._told("/kiosk/table", wanted, 120.0)
            self.held.append((f"{device} in the unit, from its device alone", bool(told), {"said": f"{told!r}"}))

    def _told(self, page: str, wanted: tuple[str, ...], patience_s: float) -> Generator[None, None, str]:
        """Wait until a page says one of the words; return which, "" when it did not within the guest's seconds."""
        begun_s = self.now_s
        while self.now_s - begun_s < patience_s:
            text = html.unescape((yield from self._answered("GET", page)))
            self._listed = re.findall(r"<li>([^<]*)</li>", text)
            if found := next((one for one in wanted if one in text), ""):
                return found
            yield from self._for(LISTEN_S)
        return ""

    def _answered(self, method: str, path: str, body: Any = None) -> Generator[None, None, str]:
        """Ask and wait for the answer; "" where the table refuses."""
        answers: list[str] = []
        refused = len(self._taps.refused)
        self._taps.ask(method, path, body, then=answers.append)
        while not answers and len(self._taps.refused) == refused:
            yield
        return answers[0] if answers else ""

    def _for(self, duration_s: float) -> Steps:
        until_s = self.now_s + duration_s
        while self.now_s < until_s:
            yield

    def _unplugged(self) -> set[Device]:
        return self._missing

    def _views(self, seat: int | None) -> View:
        assert self.view is not None
        if seat is None:
            return self.view
        bomb: tuple[Piece, ...] = ("bomb",) if self.view.players[seat].usable_bombs else ()
        return SeatView(**msgspec.structs.asdict(self.view), you=Own(seat, ("sweet", "sour", *bomb)))

    def _tap(self, seat: int | None, prompt: str, action: Action) -> None:
        body = {"id": self._name("tap"), "prompt": prompt, "action": msgspec.to_builtins(action)}
        self._taps.ask("POST", "/api/v1/actions", body)

    def _press(self, button: str) -> None:
        name = {"name": button} if button != "undo" else {}
        path = "commands" if name else "undo"
        self._taps.ask("POST", f"/api/v1/{path}", {"id": self._name("press"), **name})

    def _name(self, what: str) -> str:
        self._said += 1
        return f"hands-{what}-{self._said}"
