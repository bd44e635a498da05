"""One game of Smugglers with its referee, for tests that give it readings."""

from __future__ import annotations

from typing import Any

from appliance.games.protocol import Action, Proposal, Question, Rejection, Remark, Timing
from appliance.games.smugglers.game import GAME
from appliance.games.smugglers.rules.actions import Attempt, Roll, TimeUp
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import State
from hardware.readings import (
    DeviceHealth,
    DieSettled,
    LoadRemoved,
    MassSettled,
    Reading,
    SphereOnPan,
    Status,
)
from tests.appliance.games.smugglers.play import PUTTIES, a_setup, started, stepped


class Sitting:
    """One game and its referee; proposals count at once."""

    def __init__(self, players: int = 3, **options: Any) -> None:
        setup = a_setup(players, **options)
        self.putty = list(PUTTIES[:players])
        self.state: State = started(setup)
        self.referee = GAME.referee(setup, Timing())
        self.now_s = 100.0
        self.remarks: dict[str, Remark] = {}
        self.questions: list[str] = []
        self._heed(self.referee.stepped(self.state, None, self.now_s))
        for device in ("camera", "beams", "scale"):
            self.health(device)

    def health(self, device: Any, status: Status = "ok") -> None:
        self.sense(DeviceHealth(t_s=self.now_s, device=device, status=status, code=f"{device}_{status}"))

    def did(self, *actions: Action) -> None:
        for action in actions:
            self.now_s += 5.0
            self.state = stepped(self.state, action).state
            self._heed(self.referee.stepped(self.state, action, self.now_s))

    def sense(self, *readings: Reading) -> list[Action]:
        done: list[Action] = []
        for reading in readings:
            done += self._heed(self.referee.sense(self.state, reading))
        return done

    def tick(self, now_s: float) -> list[Action]:
        self.now_s = now_s
        return self._heed(self.referee.tick(self.state, now_s))

    def press(self, button: str) -> list[Action] | Rejection:
        answer = self.referee.command(self.state, button, self.now_s)
        return answer if isinstance(answer, Rejection) else self._heed(answer)

    def _heed(self, advice: Any) -> list[Action]:
        done: list[Action] = []
        for one in advice:
            match one:
                case Proposal(action=action):
                    done.append(action)
                case Question(code=code):
                    self.questions.append(code)
                case Remark(topic=topic):
                    self.remarks[topic] = one
        for action in done:
            self.did(action)
        return done

    def all_pass(self) -> None:
        self.did(Roll(seat=0, value=2), TimeUp())
        for seat in range(len(self.putty)):
            self.did(Attempt(seat=seat, outcome="passed"))

    def order(self) -> list[int]:
        """Seats in armchairs, best first."""
        seated = [(player.place, seat) for seat, player in enumerate(RULES.view(self.state, None).players)]
        return [seat for place, seat in sorted(each for each in seated if each[0] is not None)]


def die(value: int | None) -> DieSettled:
    return DieSettled(t_s=1.0, value=value, confidence=0.9)


def load(mass_g: float, sd_g: float = 0.01) -> tuple[Reading, Reading]:
    return MassSettled(t_s=1.0, mass_g=mass_g, sd_g=sd_g, samples=20), LoadRemoved(t_s=2.0)


def named(colour: Any) -> SphereOnPan:
    """What the camera says of a sphere on the pan; None: its colour is not clear."""
    return SphereOnPan(t_s=1.0, colour=colour, confidence=0.9)
