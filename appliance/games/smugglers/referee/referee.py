"""The referee of Smugglers: it turns sensor readings into proposals, and unclear readings into questions.

It reads the game only through the public view and the open prompts, so it has no secret information.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from appliance.games.protocol import (
    Action,
    Advice,
    Area,
    Prompt,
    Proposal,
    Question,
    Rejection,
    Remark,
    Rules,
    Setup,
    Timer,
    Timing,
)
from appliance.games.smugglers.referee import balance_ranking
from appliance.games.smugglers.referee.attempt_judge import AttemptJudge, Doubt, RollReading, Verdict
from appliance.games.smugglers.referee.codes import QuestionCode, question, remark
from appliance.games.smugglers.referee.pan_referee import CameraState, PanReferee
from appliance.games.smugglers.referee.rounding import RoundingCap
from appliance.games.smugglers.referee.search import Search
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.options import Options
from appliance.games.smugglers.rules.prompts import before_first_roll
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
LONG_OVER_S = 120.0
"""Seconds since the end of an hourglass after which a restart asks people: the wall clock may have been set (AP-6)."""
_NO_HOURGLASS = Timer(name=HOURGLASS, started_s=0.0, ends_s=0.0)


class SmugglersReferee:
    """Advises the table in one open game of Smugglers."""

    def __init__(self, rules: Rules, setup: Setup, options: Options, timing: Timing) -> None:
        self._rules = rules
        self._putty = tuple(player.putty for player in setup.players)
        self._options = options
        self._timing = timing
        self._health: dict[Device, str] = {}
        self._camera_came = False
        self._judge: AttemptJudge | None = None
        self._told: Verdict | None = None
        self._judged_prompt: str | None = None
        self._doubted: set[str] = set()
        self._hourglass: Timer | None = None
        self._hourglass_unsure = False
        """Whether people are asked if the hourglass has run out."""
        self._rounding = RoundingCap(options.rounding_cap_s)
        self._pan = PanReferee(self._putty, options.tie_band_g, timing.weighing_shown_s)
        self._search = Search()
        self._boss_seen: int | None = None
        self._state: Any = None
        self._prompts: tuple[Prompt, ...] = ()
        self._view: Any = None

    # -- what the table calls ------------------------------------------------------------------------------------

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Drop the data of closed prompts after a step, and return the remarks about what to do next."""
        self._look(state)
        open_names = {prompt.prompt for prompt in self._prompts}
        self._doubted &= open_names
        attempt = self._first("attempt")
        if attempt is None or attempt.prompt != self._judged_prompt:
            self._judge, self._told = self._next_judge(attempt, action, now_s), None
            self._judged_prompt = attempt.prompt if attempt is not None else None
        self._pan.stepped()
        hints = (self._boss_remark(), self._tie_remark(), self._search.said(attempt))
        advice: list[Advice] = [*self._pan_remarks(state), *hints]
        if self._first("time_up") is None:
            self._hourglass = None
            advice += self._hourglass_is_sure()
        due = next((prompt for prompt in self._prompts if before_first_roll(prompt, self._view.round)), None)
        return [*advice, *self._rounding.stepped(due.seat if due else None, now_s)]

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Return the advice after one reading."""
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
                return self._pan.coloured(reading.colour)
            case MassSettled():
                # A load from before the start rests on an old zero: it is weighed again once the pan was empty.
                is_ready = self._health.get("scale") != "starting"
                return self._pan.settled(state, reading, camera=self._camera()) if is_ready else []
            case LoadRemoved():
                self._pan.emptied()
                return self._pan_remarks(state)
            case ButtonPressed():
                return self._turn_hourglass(reading.t_s)
            case DeviceHealth():
                if reading.device == "beams" and self._works("beams") and self._judge is not None:
                    self._judge.beams_lost(reading.t_s)
                self._health[reading.device] = reading.status
                if reading.device == "camera":
                    self._camera_came |= reading.status in ("ok", "faulty")
                    if not self._works("camera"):
                        self._pan.forget_colour()
                return self._pan_remarks(state)
            case _:
                return []

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Return what is due at `now_s`: the end of the hourglass, the rounding cap, a verdict on an attempt."""
        self._look(state)
        advice: list[Advice] = []
        time_up = self._first("time_up")
        if self._hourglass is not None and time_up is not None and now_s >= self._hourglass.ends_s:
            self._hourglass = None
            advice.append(Proposal(action=actions.TimeUp(), prompt=time_up.prompt, because=(HOURGLASS,), grace_s=0.0))
        return [*advice, *self._rounding.tick(now_s), *self._pan.tick(now_s), *self._verdict(now_s)]

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """Handle a button.

        `turn_hourglass`. `without_scale` starts the balance mode; then `rank.<seat>` from the heaviest on, for ties
        `rank.<seat>.<seat>`. `pan.<seat>` names the owner of the load. `same_mass` or `other_mass` before an attempt
        (SM-46). `search`: a player asks for the guided search; `search.begin` starts at the first place, `search.on`
        goes to the next place, `search.off` ends it.
        """
        self._look(state)
        match name.split("."):
            case ["turn_hourglass"]:
                return self._turn_hourglass(now_s) or reject("no_hourglass_now", "SM-17")
            case ["without_scale"] if self._pan.do_without_scale():
                return self._pan_remarks(state)
            case ["rank", *seats] if all(seat.isdecimal() for seat in seats):
                return self._pan.compared(balance_ranking.ranked_next(state, tuple(dict.fromkeys(map(int, seats)))))
            case ["pan", seat] if seat.isdecimal():
                return self._pan.owned(int(seat)) or reject("unknown_command", "AP-6", {"name": name})
            case ["search", *how] if how in ([], ["begin"], ["on"], ["off"]):
                return self._searched("".join(how))
            case ["same_mass" | "other_mass" as how]:
                return self._pan.compared(balance_ranking.compared(state, same=how == "same_mass"))
            case _:
                return reject("unknown_command", "AP-6", {"name": name})

    def attention(self, state: Any) -> frozenset[Area]:
        """Return the areas in which the rules wait for something, never spheres while they are made (SM-26, AP-11)."""
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
        """Resume after a restart. The hourglass keeps its end; of one that is long over, people say whether it is."""
        self._look(state)
        kept = next((timer for timer in timers if timer.name == HOURGLASS), None)
        self._rounding.resume(timers)
        if kept is not None and now_s - kept.ends_s > LONG_OVER_S:
            self._hourglass_unsure = True
            asked = (_NO_HOURGLASS, remark(HOURGLASS, "hourglass_unsure"))
            return [*asked, *self.stepped(state, None, now_s)]
        self._hourglass = kept
        return [*self.stepped(state, None, now_s), *([kept] if kept is not None else [])]

    # -- the sensors, one by one ----------------------------------------------------------------------------------

    def _die(self, reading: DieSettled) -> Sequence[Advice]:
        prompt = self._first("roll") or self._first("tie_roll")
        if prompt is None or prompt.seat is None:
            return []
        if reading.value is None:
            return self._ask(prompt, "die_unclear")
        action = (actions.Roll if prompt.do == "roll" else actions.TieRoll)(seat=prompt.seat, value=reading.value)
        return [self._propose(action, prompt, "camera")]

    def _gems(self, reading: GemsSettled) -> Sequence[Advice]:
        prompt = self._first("open")
        if prompt is None or prompt.seat is None:
            return []
        if not reading.clear:
            return self._ask(prompt, "gems_unclear")
        return [self._propose(actions.Open(seat=prompt.seat, found=reading.pieces), prompt, "camera")]

    def _roll(self, reading: RollReading) -> list[Advice]:
        if self._judge is None:
            return []
        advice: list[Advice] = []
        self._judge.take(reading)
        if isinstance(reading, SphereOnTrack):
            if self._judged_prompt in self._doubted:
                self._doubted.discard(self._judged_prompt)
                self._judge.judge_anew(reading.t_s)
            advice = [*self._rounding.rolled(), self._search.rolled()]
        return [*advice, *self._verdict(reading.t_s)]

    def _verdict(self, now_s: float) -> Sequence[Advice]:
        prompt = self._first("attempt")
        if self._judge is None or prompt is None or prompt.seat is None or prompt.prompt in self._doubted:
            return []
        decided = self._judge.decide(now_s, camera_ok=self._works("camera"), beams_ok=self._works("beams"))
        if decided is None or decided == self._told:
            return []
        # A roll that starts during the grace of "short" replaces it: the push came late. No other verdict changes.
        if self._told is not None and self._told.outcome != "short":
            return []
        votes = self._judge.votes(camera_ok=self._works("camera"), beams_ok=self._works("beams"))
        # The rules ask for an attempt only after the scale has found the sphere unchanged (SM-46).
        votes["scale"] = "same_mass" if self._options.same_mass_check else "not_asked"
        if isinstance(decided, Doubt):
            return [msgspec.structs.replace(one, votes=votes) for one in self._ask(prompt, decided.code)]
        self._told = decided
        self._judge.told(now_s)
        action = actions.Attempt(seat=prompt.seat, outcome=decided.outcome)
        return [msgspec.structs.replace(self._propose(action, prompt, *decided.because), votes=votes)]

    def _searched(self, how: str) -> Sequence[Advice] | Rejection:
        attempt = self._first("attempt")
        if attempt is None:
            return reject("nothing_to_search", "SM-39")
        obeyed = {"": self._search.wished, "begin": self._search.begin, "on": self._search.go_on}
        found = obeyed.get(how, self._search.switch_off)(attempt)
        return [found] if found is not None else reject("search_is_off", "SM-39")

    def _turn_hourglass(self, now_s: float) -> list[Advice]:
        if self._hourglass is not None or self._first("time_up") is None:
            return []
        self._hourglass = Timer(name=HOURGLASS, started_s=now_s, ends_s=now_s + self._options.hourglass_s)
        return [self._hourglass, *self._hourglass_is_sure()]

    def _hourglass_is_sure(self) -> list[Advice]:
        was_unsure, self._hourglass_unsure = self._hourglass_unsure, False
        return [remark(HOURGLASS, "")] if was_unsure else []

    # -- small parts ---------------------------------------------------------------------------------------------

    def _look(self, state: Any) -> None:
        if state is self._state:
            return
        self._state = state
        self._prompts = self._rules.expects(state, None)
        self._view = self._rules.view(state, None)
        self._pan.look(self._prompts)

    def _first(self, do: str) -> Prompt | None:
        return next((prompt for prompt in self._prompts if prompt.do == do), None)

    def _works(self, device: Device) -> bool:
        return self._health.get(device) == "ok"

    def _camera(self) -> CameraState:
        # A table that never had a camera is not blind: the load is taken to be the sphere that was asked for.
        return "works" if self._works("camera") else "failed" if self._camera_came else "none"

    def _next_judge(self, prompt: Prompt | None, action: Action | None, now_s: float) -> AttemptJudge | None:
        if prompt is None or prompt.seat is None or self._view.lane is None:
            return None
        judge = AttemptJudge(self._view.lane, str(self._putty[prompt.seat]), self._options.pass_limit_s, now_s)
        as_told = (
            isinstance(action, actions.Attempt) and self._told is not None and action.outcome == self._told.outcome
        )
        if as_told and self._judge is not None:
            judge.take_over(self._judge, self._timing.grace_s)
        return judge

    def _propose(self, action: Action, prompt: Prompt, *because: str) -> Proposal:
        return Proposal(action=action, prompt=prompt.prompt, because=because, grace_s=self._timing.grace_s)

    def _ask(self, prompt: Prompt, code: QuestionCode) -> list[Question]:
        self._doubted.add(prompt.prompt)
        return [question(prompt.prompt, code, {"seat": prompt.seat})]

    def _boss_remark(self) -> Remark:
        due = self._view.boss_lane
        misplaced = self._boss_seen is not None and self._boss_seen != due and self._view.phase in ("sculpt", "test")
        return remark("boss", "boss_misplaced" if misplaced else "", {"lane": due, "seen": self._boss_seen})

    def _tie_remark(self) -> Remark:
        """Return the remark that asks for a tie roll. There is one die, so only the first tied player is asked."""
        due = [prompt for prompt in self._prompts if prompt.do == "tie_roll"]
        return remark("tie", "roll_for_tie" if len(due) > 1 else "", {"seat": due[0].seat} if due else {})

    def _pan_remarks(self, state: Any) -> list[Advice]:
        return self._pan.remarks(state, scale_works=self._health.get("scale") in ("ok", "starting"))
