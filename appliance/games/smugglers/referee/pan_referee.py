"""The part of the referee for the scale. It proposes weights, and without a scale asks people for the order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from appliance.games.protocol import Advice, Prompt, Proposal, Rejection, Remark
from appliance.games.smugglers.referee import balance_ranking
from appliance.games.smugglers.referee.codes import RemarkCode, question, remark
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.state import State
from hardware.readings import MassSettled
from hardware.scale.mass_order import order_is_certain

CameraState = Literal["none", "failed", "works"]
"""Of the camera, for the pan: there never was one; there was one; it can name a colour."""
RANKING_RISK = 0.025
"""Accepted probability of ranking a sphere that is heavier by the tie band as lighter. SM-54 allows a little more."""
LIGHTEST_SPHERE_G = 1.0
"""Smallest mass of a sphere with a gem in it."""
COLOUR_WAIT_S = 3.0
"""How long a settled mass waits until the camera names the sphere's colour. It sees none while a hand is at the pan."""


class PanReferee:
    """Advises on the weighings of one open game.

    :param putty: the colour of each seat's putty.
    :param shown_s: fixed time that every weighing is shown. A variable time would reveal how close two masses are.
    """

    def __init__(self, putty: Sequence[str | None], tie_band_g: float, shown_s: float) -> None:
        self._putty, self._tie_band_g, self._shown_s = putty, tie_band_g, shown_s
        self._colour: str | None = None
        self._looked = False
        """Whether the camera has looked at this load, with or without a clear colour."""
        self._weighed_load = self._coarse = False
        self._shown: str | None = None
        """The prompt for which this load's weight is shown."""
        self._uncoloured: MassSettled | None = None
        """A load that waits for its colour."""
        self._other: int | None = None
        """The owner of the sphere on the pan if it is not the sphere that was asked for."""
        self._asked_about: MassSettled | None = None
        """A load whose owner people are asked for."""
        self._without_scale = False
        self._due: tuple[Prompt, ...] = ()
        self._comparing = False

    def look(self, prompts: Sequence[Prompt]) -> None:
        """Update the open prompts."""
        self._due = tuple(prompt for prompt in prompts if prompt.do == "weigh" and prompt.seat is not None)
        self._comparing = any(prompt.do in ("attempt", "decline") for prompt in prompts)

    def stepped(self) -> None:
        """Handle a step of the game. When no weighing is due any more, the balance mode ends."""
        if not self._due:
            self._without_scale = False

    def coloured(self, colour: str | None) -> list[Advice]:
        """Store the colour of the putty on the pan. Return a remark about a sphere that was not asked for."""
        self._colour, self._looked = colour, True
        if not self._due or self._weighed_load:
            return []
        self._other = None if self._owner == self._due[0] or self._owner is None else self._owner.seat
        reading, self._uncoloured = self._uncoloured, None
        return [self._other_remark(), *([] if reading is None else self._credit(reading, asked=self._several))]

    def emptied(self) -> None:
        """Handle that the load was lifted off."""
        self._weighed_load, self._shown, self._uncoloured = False, None, None
        self.forget_colour()

    def forget_colour(self) -> None:
        """Forget what the camera has said of the load: it has failed, or the load is another one."""
        self._colour, self._looked, self._other = None, False, None

    def settled(self, state: State, reading: MassSettled, *, camera: CameraState) -> list[Advice]:
        """Propose the weight for the owner of the sphere. It replaces one that is still shown for the same load.

        :param camera: the camera identifies the owner. If it "failed", people are asked (AP-7). If it "works", the
            mass waits for the colour. Without a camera ("none") it is the sphere that was asked for.
        """
        by_people = self._without_scale or balance_ranking.ranking_by_hand(state)
        done = self._weighed_load and self._shown not in {prompt.prompt for prompt in self._due}
        if not self._due or by_people or done or reading.mass_g < LIGHTEST_SPHERE_G:
            return []
        if camera == "works" and not self._looked:
            self._uncoloured = reading
            return []
        return self._credit(reading, asked=camera == "failed" or (camera == "works" and self._several))

    def tick(self, now_s: float) -> list[Advice]:
        """Handle a load that has waited for its colour long enough: if it may be one of several, people are asked."""
        if self._uncoloured is None or now_s < self._uncoloured.t_s + COLOUR_WAIT_S or not self._due:
            return []
        reading, self._uncoloured = self._uncoloured, None
        return self._credit(reading, asked=self._several)

    @property
    def _several(self) -> bool:
        """Whether the sphere may be one of several."""
        return len(self._due) > 1

    @property
    def _owner(self) -> Prompt | None:
        """The due weighing of the sphere whose colour lies on the pan."""
        of_colour = (one for one in self._due if one.seat is not None and self._putty[one.seat] == self._colour)
        return None if self._colour is None else next(of_colour, None)

    def _credit(self, reading: MassSettled, *, asked: bool) -> list[Advice]:
        """Propose the weight for the owner of the load.

        :param asked: people are asked for the owner of a load without a colour; else it is the one who is due first.
        """
        prompt = self._due[0]
        if self._colour is not None:
            if self._owner is None:
                return [remark("pan", "wrong_sphere_on_pan", {"seat": prompt.seat})]
            prompt = self._owner
        self._weighed_load, self._shown = True, prompt.prompt
        if asked and self._colour is None:
            self._asked_about = reading
            return [question(prompt.prompt, "whose_sphere", {"seat": prompt.seat})]
        return self._weigh(prompt, reading)

    def owned(self, seat: int) -> list[Advice]:
        """Propose the weight for `seat`, which people named as owner; [] if nobody was asked or the seat is not due."""
        prompt = next((one for one in self._due if one.seat == seat), None)
        if prompt is None or self._asked_about is None:
            return []
        reading, self._asked_about, self._shown = self._asked_about, None, prompt.prompt
        return self._weigh(prompt, reading)

    def _weigh(self, prompt: Prompt, reading: MassSettled) -> list[Advice]:
        assert prompt.seat is not None
        because = ("scale", "camera") if self._colour is not None else ("scale",)
        weigh = actions.Weigh(seat=prompt.seat, mass_g=round(reading.mass_g, 2))
        advice: list[Advice] = [Proposal(action=weigh, prompt=prompt.prompt, because=because, grace_s=self._shown_s)]
        coarse = not self._ranks(reading)
        if coarse != self._coarse:
            self._coarse = coarse
            advice.append(remark("coarse", "scale_too_coarse" if coarse else ""))
        return advice

    def _other_remark(self) -> Remark:
        """Return the remark that the sphere on the pan counts for its owner, or remove that remark."""
        if self._other is None:
            return remark("other", "")
        return remark("other", "other_sphere_on_pan", {"owner": self._other})

    def _ranks(self, mass: MassSettled) -> bool:
        """Return whether the scale can distinguish this sphere from one that is heavier by the tie band (SM-54).

        With a tie band of 0 no scale can.
        """
        heavier = msgspec.structs.replace(mass, mass_g=mass.mass_g + self._tie_band_g)
        return order_is_certain(mass, heavier, RANKING_RISK)

    def do_without_scale(self) -> bool:
        """Start the balance mode, in which people rank the spheres that are due. Return False when none is due."""
        self._without_scale = bool(self._due)
        return self._without_scale

    def compared(self, weights: Sequence[actions.Weigh] | Rejection) -> list[Advice] | Rejection:
        """Propose, without grace, the weights that people compared on a balance, or return the rejection."""
        if isinstance(weights, Rejection):
            return weights
        prompts = {prompt.seat: prompt.prompt for prompt in self._due}
        return [
            Proposal(action=weigh, prompt=prompts[weigh.seat], because=("balance",), grace_s=0.0) for weigh in weights
        ]

    def remarks(self, state: State, *, scale_works: bool) -> list[Advice]:
        """Return the remarks that ask for a sphere on the pan, or for the order on a balance."""
        ranked_by_hand = balance_ranking.ranking_by_hand(state)
        without = bool(self._due) and (self._without_scale or not scale_works or ranked_by_hand)
        pan: RemarkCode | Literal[""] = ""
        if self._due and not without:
            pan = "lift_off_pan" if self._weighed_load else "put_on_pan"
        seat = {"seat": self._due[0].seat} if self._due else {}
        balance: RemarkCode | Literal[""] = ""
        if without:
            balance = "compare_masses" if self._comparing else "rank_next" if ranked_by_hand else "rank_heaviest"
        # On a balance all spheres are compared. A player is named only for the check of a changed mass.
        named = seat if balance == "compare_masses" else {}
        return [remark("pan", pan, seat), remark("balance", balance, named), self._other_remark()]
