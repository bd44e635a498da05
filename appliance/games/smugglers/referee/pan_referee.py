"""The referee's part for the scale: it proposes weights, and asks people for the order where there is no scale."""

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

RANKING_RISK = 0.025
"""Accepted risk of taking a sphere that is heavier by the tie band for the lighter one. SM-54 allows a little more."""
LIGHTEST_SPHERE_G = 1.0
"""Smallest mass of a sphere with a gem in it."""


class PanReferee:
    """Advises on the weighings of one open game.

    :param putty: the colour of each seat's putty.
    :param shown_s: fixed time that every weighing shows. A variable time would show how close two masses are.
    """

    def __init__(self, putty: Sequence[str | None], tie_band_g: float, shown_s: float) -> None:
        self._putty, self._tie_band_g, self._shown_s = putty, tie_band_g, shown_s
        self._colour: str | None = None
        self._weighed_load = self._coarse = False
        self._other: int | None = None
        """Whose sphere lies on the pan, where another's was asked for."""
        self._unseen: MassSettled | None = None
        """A load of which people say whose it is."""
        self._without_scale = False
        self._due: tuple[Prompt, ...] = ()
        self._comparing = False

    def look(self, prompts: Sequence[Prompt]) -> None:
        """Take the open prompts."""
        self._due = tuple(prompt for prompt in prompts if prompt.do == "weigh" and prompt.seat is not None)
        self._comparing = any(prompt.do in ("attempt", "decline") for prompt in prompts)

    def stepped(self) -> None:
        """The game moved on. After the last weighing, forget the balance."""
        if not self._due:
            self._without_scale = False

    def coloured(self, colour: str | None) -> list[Advice]:
        """Take the colour of the putty on the pan from the camera; say so when it is not the one that was asked for."""
        self._colour = colour
        if not self._due or self._weighed_load:
            return []
        owner = next((one.seat for one in self._due if one.seat is not None and self._putty[one.seat] == colour), None)
        self._other = None if owner == self._due[0].seat else owner
        return [self._other_remark()]

    def emptied(self) -> None:
        """The load was lifted off."""
        self._weighed_load, self._colour, self._other = False, None, None

    def settled(self, state: State, reading: MassSettled, *, blind: bool) -> list[Advice]:
        """Propose the weight for the seat whose sphere it is.

        :param blind: the camera that tells whose it is has failed: people are asked (AP-7).
        """
        by_people = self._without_scale or balance_ranking.ranking_by_hand(state)
        if not self._due or by_people or self._weighed_load or reading.mass_g < LIGHTEST_SPHERE_G:
            return []
        prompt = self._due[0]
        if self._colour is not None:
            owned = [one for one in self._due if one.seat is not None and self._putty[one.seat] == self._colour]
            if not owned:
                return [remark("pan", "wrong_sphere_on_pan", {"seat": prompt.seat})]
            prompt = owned[0]
        self._weighed_load = True
        if blind and self._colour is None:
            self._unseen = reading
            return [question(prompt.prompt, "whose_sphere", {"seat": prompt.seat})]
        return self._weigh(prompt, reading)

    def owned(self, seat: int) -> list[Advice]:
        """People say that the load is the sphere of `seat`; nothing where nobody was asked, or that seat is not due."""
        prompt = next((one for one in self._due if one.seat == seat), None)
        reading, self._unseen = self._unseen, None
        return [] if prompt is None or reading is None else self._weigh(prompt, reading)

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
        """Say that the sphere counts as its owner's, for as long as it lies there."""
        if self._other is None:
            return remark("other", "")
        return remark("other", "other_sphere_on_pan", {"owner": self._other})

    def _ranks(self, mass: MassSettled) -> bool:
        """Return whether the scale tells this sphere from one that is heavier by the tie band (SM-54)."""
        heavier = msgspec.structs.replace(mass, mass_g=mass.mass_g + self._tie_band_g)
        return self._tie_band_g == 0 or order_is_certain(mass, heavier, RANKING_RISK)

    def do_without_scale(self) -> bool:
        """Let people rank the spheres that are due; False when none is."""
        self._without_scale = bool(self._due)
        return self._without_scale

    def compared(self, weights: Sequence[actions.Weigh] | Rejection) -> list[Advice] | Rejection:
        """Propose at once what people saw on a balance, or return why it is not wanted now."""
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
        # On a balance all are compared: nobody is asked by name but whose mass may have changed.
        named = seat if balance == "compare_masses" else {}
        return [remark("pan", pan, seat), remark("balance", balance, named), self._other_remark()]
