"""Simulated hands of robot players. They do each action that the table asks for once, at a human pace.

Actions that a sensor can see are done on the simulated table; the sensors and the referee detect them. The hands submit
only the other actions. If the table asks people to decide, or no sensor reports in time, they submit the ground truth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Mapping, Sequence
from random import Random

import msgspec

from appliance.games.protocol import Action, Player, Prompt
from appliance.games.smugglers.robots.ground_truth_actions import Balance, ground_truth_action
from appliance.games.smugglers.robots.practice_rolls import PracticeRolls
from appliance.games.smugglers.robots.robot import Robot
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.view import SeatView, View
from hardware.readings import Device, PuttyColour
from hardware.rig import Rig
from hardware.twin.simulation import Simulation
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.world import World

Views = Callable[[int | None], View]
Submit = Callable[[int | None, str, Action], None]
"""Submits an answer: the seat that answers (None: the table), the prompt's name, the action."""
Command = Callable[[str], None]
"""Presses a button of the table that is not an action: `undo`, or `rank.2` when there is no scale."""

THINK_S = (1.2, 3.5)
PAUSE_S = (0.5, 1.1)
HELP_S = 8.0
"""Seconds until the hands weigh for a person, who cannot weigh simulated putty."""
SIT_DOWN_S = 3.0
"""Seconds before the first action of a game."""
ASKED_S = 1.5
"""Seconds until the hands answer a question of the table."""
PATIENCE_S: dict[str, float] = {"roll": 10.0, "tie_roll": 10.0, "attempt": 16.0, "weigh": 25.0, "open": 12.0}
"""Seconds that a prompt may stay open after its hand action. Then the hands repeat it or submit the ground truth."""
DICE = frozenset({"roll", "tie_roll"})
RETHROW_S = 6.0
"""Seconds after an unclear throw until the die is thrown again (SM-21)."""
DEEDS = {"roll": 2, "tie_roll": 2, "weigh": 2}
"""Times a hand action is done before the ground truth is submitted. Others are done once."""
UNCLEAR_THROWS = 4
SEEN_BY: dict[str, Device] = {
    "roll": "camera",
    "tie_roll": "camera",
    "attempt": "camera",
    "open": "camera",
    "weigh": "scale",
}
"""The device that detects an action. Without it the action must be submitted by hand."""


class SimulatedHands:
    """Plays the automatic seats on a simulated table.

    :param robots: a robot for every seat that may be automatic.
    :param command: presses the table's buttons.
    :param missing: returns the devices that do not work now. Actions that they would detect are done and then soon
        submitted.
    """

    def __init__(
        self,
        simulation: Simulation,
        robots: Mapping[int, Robot],
        submit: Submit,
        command: Command,
        *,
        missing: Callable[[], Container[Device]] = frozenset,
        seed: int = 0,
    ) -> None:
        self.automatic = set(robots)
        """The seats it plays now; may be changed at any time (a person takes over, or leaves). For the others it only
        weighs, which no person can do at a simulated table, and does what they ask for (`lend`)."""
        self._missing = missing
        self._simulation, self._robots, self._submit, self._command = simulation, robots, submit, command
        self._rig: Rig = simulation.rig
        self._rng = Random(seed)
        self._practice = PracticeRolls(simulation, sorted(robots), seed)
        self._hand_action: HandAction | None = None
        self._idle_until_s: float | None = None
        self._since_s: dict[str, float] = {}
        self._acted: dict[str, int] = {}
        self._asked: deque[int] = deque()
        self._lent: frozenset[str] = frozenset()
        self._made: dict[int, int] = {}
        self._balance = Balance()

    def lend(self, seat: int) -> None:
        """Do once the hand action that is due from `seat`, which a person plays: its roll, or turning the hourglass."""
        self._asked.append(seat)

    def play(self, views: Views, now_s: float, question: str | None = None) -> None:
        """Do the next action, if any. Call it often, at least five times per simulated second.

        :param views: returns the view of a seat, or the public view for None, always of the same state.
        :param question: the prompt that the referee asked people to decide, if any.
        """
        if self._idle_until_s is None:
            self._idle_until_s = now_s + SIT_DOWN_S
        view = views(None)
        open_names = {prompt.prompt for prompt in view.expects}
        self._since_s = {name: since for name, since in self._since_s.items() if name in open_names}
        self._acted = {name: count for name, count in self._acted.items() if name in open_names}
        for name in open_names:
            self._since_s.setdefault(name, now_s)
        self._lent &= open_names
        while self._asked:
            seat = self._asked.popleft()
            self._lent |= {
                prompt.prompt
                for prompt in view.expects
                if (prompt.do == "attempt" and prompt.seat == seat) or (prompt.do == "time_up" and view.start == seat)
            }
        for robot in self._robots.values():
            robot.watch(view)
        if self._hand_action is not None:
            if not self._hand_action.done:
                return
            self._hand_action = None
            self._idle_until_s = now_s + self._rng.uniform(*PAUSE_S)
        if now_s < self._idle_until_s:
            return
        with self._simulation.table() as world:
            if not self._tidy(world, view):
                self._answer(world, views, view, now_s, question)

    def practise(self, now_s: float) -> bool:
        """Do practice rolls (SM-13), instead of `play` while the table practises. Return False once all are done."""
        return self._practice.roll(now_s)

    # Tidying before the next action

    def _tidy(self, world: World, view: View) -> bool:
        """Remove objects of the last prompt from the table. Return True when a hand is busy now."""
        trying = next((prompt for prompt in view.expects if prompt.do == "attempt"), None)
        for seat, sphere in world.spheres.items():
            waits = trying is not None and trying.seat == seat and self._acted.get(trying.prompt)
            if sphere.place == "track" and not waits:
                return self._do(world.lift_sphere(seat))
            weighed = any(prompt.do == "weigh" and self._acted.get(prompt.prompt) for prompt in view.expects)
            if sphere.place == "pan" and not weighed:
                return self._do(world.lift_from_pan())
        opening = next((prompt for prompt in view.expects if prompt.do == "open"), None)
        if (world.stones or (opening and world.die_in_tray)) and not (opening and self._acted.get(opening.prompt)):
            return self._do(world.clear_tray())
        if view.phase in ("sculpt", "test") and self._boss_lane(world) != view.boss_lane:
            return self._do(world.place_boss(view.boss_lane))
        return False

    def _boss_lane(self, world: World) -> int | None:
        if world.boss is None:
            return None
        x_mm = world.boss.x_mm
        return min(self._rig.lanes, key=lambda lane: abs(lane.x_mm - x_mm)).number

    def _do(self, deed: HandAction) -> bool:
        self._hand_action = deed
        return True

    # Answering the prompts

    def _answer(self, world: World, views: Views, view: View, now_s: float, question: str | None) -> None:
        """Do the first hand action, or submit the first choice, that is due."""
        for prompt in view.expects:
            if prompt.do == "time_up":
                return self._sculpting(world, views, view, prompt, now_s)
            if prompt.optional or prompt.seat is None or not self._is_mine(prompt, view.expects, now_s):
                continue
            waited_s = now_s - self._since_s[prompt.prompt]
            if prompt.do in SEEN_BY:
                asked = question == prompt.prompt
                if not self._acted.get(prompt.prompt):
                    return self._physically(world, views, view, prompt, now_s)
                if waited_s < self._patience_s(prompt, asked):
                    return None
                if self._gives_up(prompt, asked):
                    return self._tap_truth(world, views, view, prompt, now_s)
                return self._physically(world, views, view, prompt, now_s)
            if waited_s >= self._thinking_s(prompt):
                chosen = self._robots[prompt.seat].choose(view, view.expects)
                if chosen is not None:
                    return self._tap(prompt.seat, chosen[0].prompt, chosen[1], now_s)
        return None

    def _unseen(self, prompt: Prompt) -> bool:
        return SEEN_BY[prompt.do] in self._missing()

    def _patience_s(self, prompt: Prompt, asked: bool) -> float:
        """Return the seconds that the sensors have for a prompt after its hand action."""
        if self._unseen(prompt) or (asked and prompt.do not in DICE):
            return ASKED_S
        return RETHROW_S if asked else PATIENCE_S[prompt.do]

    def _gives_up(self, prompt: Prompt, asked: bool) -> bool:
        """Return whether to submit the ground truth now. An unclear die is thrown again instead (SM-21)."""
        times = self._acted[prompt.prompt]
        if asked and prompt.do in DICE:
            return times >= UNCLEAR_THROWS
        return asked or self._unseen(prompt) or times >= DEEDS.get(prompt.do, 1)

    def _is_mine(self, prompt: Prompt, open_prompts: Sequence[Prompt], now_s: float) -> bool:
        """Return whether the hands answer this prompt: of an automatic seat, requested by a person, or an overdue
        weighing of a person.

        There is one die, so tied players throw it one after the other.
        """
        if prompt.do == "tie_roll" and prompt != next(one for one in open_prompts if one.do == "tie_roll"):
            return False
        if prompt.seat in self.automatic or prompt.prompt in self._lent:
            return True
        begun = prompt.prompt in self._acted or now_s - self._since_s[prompt.prompt] >= HELP_S
        return prompt.do == "weigh" and prompt.seat in self._robots and begun

    def _thinking_s(self, prompt: Prompt) -> float:
        """Return the thinking time of this prompt; the same at every call."""
        return Random(prompt.prompt).uniform(*THINK_S)

    def _tap(self, seat: int | None, prompt: str, action: Action, now_s: float) -> None:
        self._idle_until_s = now_s + PAUSE_S[0]
        self._since_s[prompt] = now_s
        self._submit(seat, prompt, action)

    def _physically(self, world: World, views: Views, view: View, prompt: Prompt, now_s: float) -> None:
        """Do the hand action that `prompt` asks for."""
        seat = prompt.seat
        assert seat is not None
        if prompt.do == "weigh" and any(sphere.place == "pan" for sphere in world.spheres.values()):
            self._do(world.lift_from_pan())
            return
        if prompt.do == "attempt" and prompt.prompt not in self._lent and self._robots[seat].declines(view):
            self._tap(seat, prompt.prompt, actions.Decline(seat=seat), now_s)
            return
        self._acted[prompt.prompt] = self._acted.get(prompt.prompt, 0) + 1
        self._since_s[prompt.prompt] = now_s
        self._made_by_now(world, views, view, seat)
        match prompt.do:
            case "roll" | "tie_roll":
                self._do(world.throw_die())
            case "attempt":
                self._roll(world, view, seat)
            case "weigh":
                self._do(world.put_on_pan(seat))
            case "open":
                self._do(world.open_sphere(seat))

    def _roll(self, world: World, view: View, seat: int) -> None:
        assert view.lane is not None
        robot = self._robots[seat]
        push = robot.push()
        aside = view.lane + push.strays
        drift_to = aside if push.strays and 1 <= aside <= len(self._rig.lanes) else None
        world.round_again(seat, spread=robot.skill.spread)
        self._do(world.start_roll(seat, view.lane, push.strength, drift_to=drift_to))

    def _sculpting(self, world: World, views: Views, view: View, prompt: Prompt, now_s: float) -> None:
        """Sculpt the spheres of the automatic seats, and turn the hourglass once for the starting player."""
        for seat in sorted(self.automatic):
            self._made_by_now(world, views, view, seat)
        if view.start not in self.automatic and prompt.prompt not in self._lent:
            return
        waited_s = now_s - self._since_s[prompt.prompt]
        if not self._acted.get(prompt.prompt):
            self._acted[prompt.prompt] = 1
            self._do(world.press_hourglass())
        elif waited_s > view.options.hourglass_s + PATIENCE_S["roll"]:
            self._tap(None, prompt.prompt, actions.TimeUp(), now_s)

    def _made_by_now(self, world: World, views: Views, view: View, seat: int) -> None:
        """Make the seat's sphere of this round if it does not exist yet and the round is past its first roll."""
        if self._made.get(seat) == view.round or view.phase == "roll" or view.players[seat].room == "left":
            return
        own = views(seat)
        assert isinstance(own, SeatView)
        robot = self._robots[seat]
        pieces = robot.hide(own, own.you.pieces)
        holes_mm = [lane.hole_mm for lane in self._rig.lanes]
        world.sculpt(seat, robot.diameter_mm(own, holes_mm), pieces, spread=robot.skill.spread)
        self._made[seat] = view.round

    # Submitting the ground truth when the sensors give no result

    def _tap_truth(self, world: World, views: Views, view: View, prompt: Prompt, now_s: float) -> None:
        """Submit the ground truth."""
        assert prompt.seat is not None
        if prompt.do == "weigh":
            self._idle_until_s, self._since_s[prompt.prompt] = now_s + PAUSE_S[0], now_s
            due = [one.seat for one in view.expects if one.do == "weigh" and one.seat is not None]
            for seat in due:
                self._made_by_now(world, views, view, seat)
            self._command("without_scale")
            self._command(self._balance.button(view, {seat: world.spheres[seat].lump.mass_g for seat in due}))
            return
        action = ground_truth_action(world, prompt.do, prompt.seat)
        if action is not None:
            self._tap(prompt.seat, prompt.prompt, action, now_s)


def hands_for(
    simulation: Simulation,
    players: Sequence[Player],
    robots: Mapping[int, Robot],
    submit: Submit,
    command: Command,
    *,
    missing: Callable[[], Container[Device]],
    seed: int,
) -> SimulatedHands:
    """Seat `players` with their putty at the simulated table, and return the hands that play for them."""
    with simulation.table() as world:
        world.seat(msgspec.convert([player.putty for player in players], tuple[PuttyColour, ...]))
    return SimulatedHands(simulation, robots, submit, command, missing=missing, seed=seed)
