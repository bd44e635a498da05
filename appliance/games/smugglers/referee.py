"""The referee of Smugglers: what the sensors say becomes proposals, doubts become questions.

It reads the game only through the public view and the open prompts, so that it can know no more than the table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from appliance.games.game import (
    Action,
    Advice,
    Area,
    Game,
    Prompt,
    Proposal,
    Question,
    Rejection,
    Remark,
    Setup,
    Timer,
    Timing,
)
from appliance.games.smugglers import actions, by_hand
from appliance.games.smugglers.attempt_judge import AttemptJudge, Doubt, Verdict
from appliance.games.smugglers.options import Options
from appliance.games.smugglers.prompts import before_first_roll
from appliance.games.smugglers.rounding import RoundingCap
from hardware.mass_order import order_is_certain
from hardware.readings import (
    BeamPassage,
    BossSeen,
    ButtonPressed,
    Device,
    DeviceHealth,
    DieSettled,
    GemsSettled,
    LoadRemoved,
    MassSettled,
    PassageSeen,
    Reading,
    SphereOnPan,
    SphereOnTrack,
)

HOURGLASS = "hourglass"
RANKING_RISK = 0.025
"""Of taking a sphere that is heavier by the tie band for the lighter one; a little stricter than SM-54 asks."""
LIGHTEST_SPHERE_G = 1.0
"""A load below this is no sphere of putty with a gem in it."""


class SmugglersReferee:
    """Advises the table in one open game of Smugglers."""

    def __init__(self, game: Game, setup: Setup, options: Options, timing: Timing) -> None:
        self._game = game
        self._putty = tuple(player.putty for player in setup.players)
        self._options = options
        self._timing = timing
        self._health: dict[Device, str] = {}
        self._judge: AttemptJudge | None = None
        self._told: Verdict | None = None
        self._judged_prompt: str | None = None
        self._doubted: set[str] = set()
        self._hourglass: Timer | None = None
        self._rounding = RoundingCap(options.rounding_cap_s)
        self._pan_colour: str | None = None
        self._weighed_load = self._coarse = False
        self._without_scale = False
        self._boss_seen: int | None = None
        self._prompts: tuple[Prompt, ...] = ()
        self._view: Any = None

    # -- what the table calls ------------------------------------------------------------------------------------

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """The game moved: forget what belonged to the prompts that closed, hint at what the table should do next."""
        self._look(state)
        open_names = {prompt.prompt for prompt in self._prompts}
        self._doubted &= open_names
        attempt = self._first("attempt")
        if attempt is None or attempt.prompt != self._judged_prompt:
            self._judge, self._told = self._new_judge(attempt, now_s), None
            self._judged_prompt = attempt.prompt if attempt is not None else None
        if self._first("weigh") is None:
            self._without_scale = False
        advice: list[Advice] = [self._boss_remark(), *self._weighing_remarks(state), self._tie_remark()]
        if self._first("time_up") is None:
            self._hourglass = None
        due = next((prompt for prompt in self._prompts if before_first_roll(prompt, self._view.round)), None)
        return [*advice, *self._rounding.stepped(due.seat if due else None, now_s)]

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Take one reading."""
        self._look(state)
        match reading:
            case DieSettled():
                return self._die(reading)
            case GemsSettled():
                return self._gems(reading)
            case BossSeen():
                self._boss_seen = reading.lane
                return [self._boss_remark()]
            case SphereOnTrack() | PassageSeen() | BeamPassage():
                return self._roll(reading)
            case SphereOnPan():
                self._pan_colour = reading.colour
                return []
            case MassSettled():
                return self._load(state, reading)
            case LoadRemoved():
                self._weighed_load, self._pan_colour = False, None
                return self._weighing_remarks(state)
            case ButtonPressed():
                return self._turn_hourglass(reading.t_s)
            case DeviceHealth():
                self._health[reading.device] = reading.status
                return self._weighing_remarks(state)
            case _:
                return []

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Time passed: the hourglass may have run out, the evidence on an attempt may be complete."""
        self._look(state)
        advice: list[Advice] = []
        time_up = self._first("time_up")
        if self._hourglass is not None and time_up is not None and now_s >= self._hourglass.ends_s:
            self._hourglass = None
            advice.append(Proposal(action=actions.TimeUp(), prompt=time_up.prompt, because=(HOURGLASS,), grace_s=0.0))
        return [*advice, *self._rounding.tick(now_s), *self._verdict(now_s)]

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """Obey a button: `turn_hourglass`; `without_scale`, then `rank.<seat>` from the heaviest on, or `level.<seat>`
        for one as heavy as the last; `same_mass` or `other_mass` before an attempt (SM-46).
        """
        self._look(state)
        match name.split("."):
            case ["turn_hourglass"]:
                return self._turn_hourglass(now_s) or Rejection("no_hourglass_now", "SM-17")
            case ["without_scale"] if self._first("weigh") is not None:
                self._without_scale = True
                return self._weighing_remarks(state)
            case ["rank" | "level" as how, seat] if seat.isdecimal():
                return self._by_hand(by_hand.ranked_next(state, int(seat), equal=how == "level"))
            case ["same_mass" | "other_mass" as how]:
                return self._by_hand(by_hand.compared(state, same=how == "same_mass"))
            case _:
                return Rejection("unknown_command", "AP-6", {"name": name})

    def attention(self, state: Any) -> frozenset[Area]:
        """Look only where the rules wait for something; never at spheres while they are made (SM-26, AP-11)."""
        self._look(state)
        areas: set[Area] = set()
        for prompt in self._prompts:
            match prompt.do:
                case "roll" | "tie_roll" | "open":
                    areas.add("tray")
                case "attempt":
                    areas |= {"track", "boss"}
                case "weigh":
                    areas.add("pan")
                case "time_up":
                    areas.add("boss")
                case _:
                    pass
        return frozenset(areas)

    def resume(self, state: Any, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Go on after a restart: the hourglass keeps its end."""
        self._look(state)
        self._hourglass = next((timer for timer in timers if timer.name == HOURGLASS), None)
        self._rounding.resume(timers)
        return [*self.stepped(state, None, now_s), *([self._hourglass] if self._hourglass else [])]

    # -- the senses, one by one ----------------------------------------------------------------------------------

    def _die(self, reading: DieSettled) -> list[Advice]:
        prompt = self._first("roll") or self._first("tie_roll")
        if prompt is None or prompt.seat is None:
            return []
        if reading.value is None:
            return self._ask(prompt, "die_unclear")
        action = (actions.Roll if prompt.do == "roll" else actions.TieRoll)(seat=prompt.seat, value=reading.value)
        return [self._propose(action, prompt, "camera")]

    def _gems(self, reading: GemsSettled) -> list[Advice]:
        prompt = self._first("open")
        if prompt is None or prompt.seat is None:
            return []
        if not reading.clear:
            return self._ask(prompt, "gems_unclear")
        return [self._propose(actions.Open(seat=prompt.seat, found=reading.pieces), prompt, "camera")]

    def _roll(self, reading: SphereOnTrack | PassageSeen | BeamPassage) -> list[Advice]:
        if self._judge is None:
            return []
        advice: list[Advice] = []
        match reading:
            case SphereOnTrack():
                self._judge.began(reading)
                advice = self._rounding.rolled()
            case PassageSeen():
                self._judge.camera_says(reading)
            case BeamPassage():
                self._judge.beams_say(reading)
        return [*advice, *self._verdict(reading.t_s)]

    def _verdict(self, now_s: float) -> list[Advice]:
        prompt = self._first("attempt")
        if self._judge is None or prompt is None or prompt.seat is None or prompt.prompt in self._doubted:
            return []
        decided = self._judge.decide(now_s, camera_ok=self._works("camera"), beams_ok=self._works("beams"))
        if decided is None or decided == self._told:
            return []
        # A roll that starts within the grace of "short" was a push that had not begun yet; nothing else is taken back.
        if self._told is not None and self._told.outcome != "short":
            return []
        if isinstance(decided, Doubt):
            return self._ask(prompt, decided.code)
        self._told = decided
        action = actions.Attempt(seat=prompt.seat, outcome=decided.outcome)
        return [self._propose(action, prompt, *decided.because)]

    def _load(self, state: Any, reading: MassSettled) -> list[Advice]:
        due = [prompt for prompt in self._prompts if prompt.do == "weigh" and prompt.seat is not None]
        by_people = self._without_scale or by_hand.ranking_by_hand(state)
        if not due or by_people or self._weighed_load or reading.mass_g < LIGHTEST_SPHERE_G:
            return []
        prompt = due[0]
        if self._pan_colour is not None:
            owned = [p for p in due if p.seat is not None and self._putty[p.seat] == self._pan_colour]
            if not owned:
                return [Remark(topic="pan", code="wrong_sphere_on_pan", values={"seat": prompt.seat})]
            prompt = owned[0]
        assert prompt.seat is not None
        self._weighed_load = True
        because = ("scale", "camera") if self._pan_colour is not None else ("scale",)
        weigh = actions.Weigh(seat=prompt.seat, mass_g=round(reading.mass_g, 2))
        # Every weighing shows for the same time, or its length would tell how close two masses are.
        shown_s = self._timing.weighing_shown_s
        advice: list[Advice] = [Proposal(action=weigh, prompt=prompt.prompt, because=because, grace_s=shown_s)]
        coarse = not self._ranks(reading)
        if coarse != self._coarse:
            self._coarse = coarse
            advice.append(Remark(topic="coarse", code="scale_too_coarse" if coarse else ""))
        return advice

    def _ranks(self, mass: MassSettled) -> bool:
        """Whether a sphere heavier by the tie band would be told from this one (SM-54)."""
        band_g = self._options.tie_band_g
        heavier = msgspec.structs.replace(mass, mass_g=mass.mass_g + band_g)
        return band_g == 0 or order_is_certain(mass, heavier, RANKING_RISK)

    def _by_hand(self, weigh: actions.Weigh | Rejection) -> list[Advice] | Rejection:
        if isinstance(weigh, Rejection):
            return weigh
        prompt = next(prompt for prompt in self._prompts if prompt.do == "weigh" and prompt.seat == weigh.seat)
        return [Proposal(action=weigh, prompt=prompt.prompt, because=("balance",), grace_s=0.0)]

    def _turn_hourglass(self, now_s: float) -> list[Advice]:
        if self._hourglass is not None or self._first("time_up") is None:
            return []
        self._hourglass = Timer(name=HOURGLASS, started_s=now_s, ends_s=now_s + self._options.hourglass_s)
        return [self._hourglass]

    # -- small parts ---------------------------------------------------------------------------------------------

    def _look(self, state: Any) -> None:
        self._prompts = self._game.expects(state, None)
        self._view = self._game.view(state, None)

    def _first(self, do: str) -> Prompt | None:
        return next((prompt for prompt in self._prompts if prompt.do == do), None)

    def _works(self, device: Device) -> bool:
        return self._health.get(device) == "ok"

    def _new_judge(self, prompt: Prompt | None, now_s: float) -> AttemptJudge | None:
        if prompt is None or prompt.seat is None or self._view.lane is None:
            return None
        return AttemptJudge(self._view.lane, str(self._putty[prompt.seat]), self._options.pass_limit_s, now_s)

    def _propose(self, action: Action, prompt: Prompt, *because: str) -> Proposal:
        return Proposal(action=action, prompt=prompt.prompt, because=because, grace_s=self._timing.grace_s)

    def _ask(self, prompt: Prompt, code: str) -> list[Advice]:
        self._doubted.add(prompt.prompt)
        return [Question(prompt=prompt.prompt, code=code, values={"seat": prompt.seat})]

    def _boss_remark(self) -> Remark:
        due = self._view.boss_lane
        misplaced = self._boss_seen is not None and self._boss_seen != due and self._view.phase in ("sculpt", "test")
        return Remark(topic="boss", code="boss_misplaced" if misplaced else "", values={"lane": due})

    def _tie_remark(self) -> Remark:
        """There is one die: of several who are equal the first one throws, and a throw counts as his."""
        due = [prompt for prompt in self._prompts if prompt.do == "tie_roll"]
        return Remark(
            topic="tie", code="roll_for_tie" if len(due) > 1 else "", values={"seat": due[0].seat} if due else {}
        )

    def _weighing_remarks(self, state: Any) -> list[Advice]:
        """Either the pan is asked for, or people are asked who is heavier."""
        due = self._first("weigh")
        without = due is not None and (
            self._without_scale or not self._works("scale") or by_hand.ranking_by_hand(state)
        )
        pan = "" if due is None or without else "lift_off_pan" if self._weighed_load else "put_on_pan"
        seat = {} if due is None else {"seat": due.seat}
        balance = self._balance_code(state) if without else ""
        # On a balance all are compared: nobody is asked by name but whose mass may have changed.
        named = seat if balance == "compare_masses" else {}
        return [Remark(topic="pan", code=pan, values=seat), Remark(topic="balance", code=balance, values=named)]

    def _balance_code(self, state: Any) -> str:
        if self._first("attempt") is not None or self._first("decline") is not None:
            return "compare_masses"
        return "rank_next" if by_hand.ranking_by_hand(state) else "rank_heaviest"
