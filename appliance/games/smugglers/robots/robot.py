"""Robot players. They choose from the view of their seat only, by a skill, a temper and a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from appliance.games.protocol import Action, OneOf, Prompt
from appliance.games.smugglers.rules import actions
from appliance.games.smugglers.rules.actions import PIECES, TOKENS, Piece, Token
from appliance.games.smugglers.rules.goals import GOALS
from appliance.games.smugglers.rules.view import PlayerView, View

SMALLEST_SCULPTED_MM, LARGEST_SCULPTED_MM = 15.0, 42.0
"""Least and largest diameter of the spheres that robots sculpt."""


@dataclass(frozen=True)
class Skill:
    """How well a robot handles putty and judges opponents.

    `size_sd_mm` is the standard deviation of its diameters. `margin_mm` is how far below the hole it aims. `spread` is
    the relative spread of a sphere's diameters. `insight` 0–1 is the weight of its observations; the rest is guessing.
    `slips` is the probability of a wrongly filled sphere, `misses` that of a badly aimed or too weak push.
    """

    size_sd_mm: float
    margin_mm: float
    spread: float
    insight: float
    slips: float
    misses: float


SKILLS: dict[str, Skill] = {
    "beginner": Skill(size_sd_mm=1.5, margin_mm=1.6, spread=0.030, insight=0.25, slips=0.012, misses=0.05),
    "average": Skill(size_sd_mm=0.9, margin_mm=1.2, spread=0.020, insight=0.6, slips=0.002, misses=0.02),
    "expert": Skill(size_sd_mm=0.5, margin_mm=0.8, spread=0.012, insight=0.9, slips=0.0, misses=0.01),
}

TEMPERS: tuple[Mapping[Piece, float], ...] = (
    {"sweet": 1.0, "sour": 1.0, "bomb": 0.8},
    {"sweet": 1.6, "sour": 0.8, "bomb": 0.5},
    {"sweet": 0.8, "sour": 1.5, "bomb": 0.6},
    {"sweet": 0.9, "sour": 0.9, "bomb": 1.6},
)
"""Weights with which each temper hides a piece: balanced, prefers sweet, prefers sour, prefers bombs."""


def demo_options() -> dict[str, Any]:
    """Return the options of a game that robots open: the defaults."""
    return {}


@dataclass(frozen=True)
class Push:
    """A push of the sphere: strength 0–1, and how many lanes it drifts to a side (0, or ±1)."""

    strength: float
    strays: int = 0


class Robot:
    """One seat's player. It remembers only the content of opened spheres.

    :param skill: a name of `SKILLS`.
    """

    def __init__(self, seat: int, skill: str, seed: int) -> None:
        self.seat = seat
        self.skill = SKILLS[skill]
        self._rng = Random(f"{seed}.{seat}")
        self._temper = self._rng.choice(TEMPERS)
        self._habits: dict[int, Counter[str]] = {}
        self._counted: set[tuple[int, int]] = set()

    # Putty

    def hide(self, view: View, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """Return the content of its sphere this round: one of the `pieces` it may hide (SM-23), except after a slip."""
        me = view.players[self.seat]
        weights = [self._temper[piece] * self._wish(view, me, piece) for piece in pieces]
        chosen = self._rng.choices(list(pieces), weights)[0]
        if self._rng.random() < self.skill.slips:
            return () if self._rng.random() < 0.5 else tuple(sorted({chosen, "sweet" if chosen != "sweet" else "sour"}))
        return (chosen,)

    def _wish(self, view: View, player: PlayerView, piece: Piece) -> float:
        """Return the weight of hiding a piece in a player's position. A colour nearer to a win has more weight."""
        if piece == "bomb":
            return 0.5 + 0.15 * max((other.sweet + other.sour for other in view.players), default=0)
        have = player.sweet if piece == "sweet" else player.sour
        return 1.0 + 2.5 * self.skill.insight * (have / GOALS[view.options.goal].one_colour) ** 2

    def diameter_mm(self, view: View, holes_mm: Sequence[float]) -> float:
        """Return the mean diameter of its sphere: the largest that still passes, by its own estimate.

        `holes_mm` are the lanes' holes from lane 1. In a blind round it considers all lanes that may come (SM-19).
        """
        if view.lane is not None:
            hole = holes_mm[view.lane - 1]
        else:
            lanes = [holes_mm[(view.boss_lane - 1 + roll) % len(holes_mm)] for roll in range(1, 7)]

            def worth(hole_mm: float) -> float:
                passes = sum(other >= hole_mm for other in lanes) / len(lanes)
                outranks = sum(other <= hole_mm for other in lanes) / len(lanes)
                return passes * (0.35 + outranks) * self._rng.uniform(1 - 0.5 * (1 - self.skill.insight), 1.0)

            hole = max(lanes, key=worth)
        aim = hole * (1 - self.skill.spread / 2) - self.skill.margin_mm
        return min(max(aim + self._rng.gauss(0.0, self.skill.size_sd_mm), SMALLEST_SCULPTED_MM), LARGEST_SCULPTED_MM)

    def push(self) -> Push:
        """Return a random push."""
        strength = min(max(self._rng.gauss(0.5, 0.14), 0.24), 0.9)
        if self._rng.random() < self.skill.misses:
            return (
                Push(self._rng.uniform(0.06, 0.11))
                if self._rng.random() < 0.6
                else Push(strength, self._rng.choice((-1, 1)))
            )
        return Push(strength)

    # Judging opponents

    def watch(self, view: View) -> None:
        """Count the pieces in open spheres, by player."""
        for seat, player in enumerate(view.players):
            if player.opened is not None and len(player.opened) == 1 and (view.round, seat) not in self._counted:
                self._counted.add((view.round, seat))
                self._habits.setdefault(seat, Counter())[player.opened[0]] += 1

    def suspicion(self, view: View, seat: int) -> dict[Piece, float]:
        """Return the estimated probability of each piece in an opponent's sphere; the sum is 1."""
        player = view.players[seat]
        seen = self._habits.get(seat, Counter())
        belief: dict[Piece, float] = {}
        for piece in PIECES:
            possible = piece != "bomb" or player.usable_bombs > 0
            informed = (1.0 + seen[piece]) / (3.0 + sum(seen.values())) * self._wish(view, player, piece)
            belief[piece] = self.skill.insight * informed * possible + (1 - self.skill.insight) / 3
        total = sum(belief.values())
        return {piece: share / total for piece, share in belief.items()}

    # Choices

    def choose(self, view: View, open_prompts: Sequence[Prompt]) -> tuple[Prompt, Action] | None:
        """Return its action and the prompt that it answers; None when it has nothing to decide.

        :param open_prompts: the view's prompts; those of other seats are ignored.
        """
        mine = [prompt for prompt in open_prompts if prompt.seat == self.seat]
        for prompt in mine:
            match prompt.do:
                case "inspect":
                    return prompt, self._inspect(view, prompt)
                case "take":
                    return self._take(view, [one for one in mine if one.do in ("take", "forgo")])
                case "order":
                    return prompt, actions.Order(seat=self.seat, first=self._rng.random() < 0.7)
        return None

    def declines(self, view: View) -> bool:
        """Return whether it gives up its second attempt (SM-36). It does so at random in 2 % of the calls."""
        return view.players[self.seat].attempts > 0 and self._rng.random() < 0.02

    def _inspect(self, view: View, prompt: Prompt) -> actions.Inspect:
        options = [
            (share * self._rng.uniform(0.8, 1.2), target, piece)
            for target in _values(prompt, "target")
            for piece, share in self.suspicion(view, target).items()
        ]
        _, target, guess = max(options)
        return actions.Inspect(seat=self.seat, target=target, guess=guess)

    def _take(self, view: View, prompts: Sequence[Prompt]) -> tuple[Prompt, Action]:
        forgo = next((prompt for prompt in prompts if prompt.do == "forgo"), None)
        if forgo is not None and self._rng.random() < 0.01:
            return forgo, actions.Forgo(seat=self.seat)
        offers = [
            (self._gain(view, token, source), self._rng.random(), number, token, source)
            for number, prompt in enumerate(prompts)
            if prompt.do == "take"
            for token in _values(prompt, "token")
            for source in _values(prompt, "source")
        ]
        _, _, number, token, source = max(offers, key=lambda offer: offer[:3])
        return prompts[number], actions.Take(seat=self.seat, token=token, source=source)

    def _gain(self, view: View, token: Any, source: Any) -> float:
        """Return the value of a token: its gain for the taker, plus a share of its value for the seat it comes from."""
        if token not in TOKENS:
            return 0.0
        gain = _nearness(view, view.players[self.seat], token, +1)
        if isinstance(source, int):
            gain += 0.6 * self.skill.insight * _nearness(view, view.players[source], token, 0)
        return gain


def _nearness(view: View, player: PlayerView, token: Token, more: int) -> float:
    """Return how near a player with `more` tokens of a colour is to winning: the squared share, 0–1; 2 for a win."""
    goal = GOALS[view.options.goal]
    after = {"sweet": player.sweet, "sour": player.sour}
    after[token] += more
    sweet, sour = after["sweet"], after["sour"]
    of_each = goal.each_colour
    both = (min(sweet, of_each) + min(sour, of_each)) / (2 * of_each)
    share = max(sweet / goal.one_colour, sour / goal.one_colour, both)
    return 2.0 if share >= 1 else share**2


def _values(prompt: Prompt, field: str) -> tuple[Any, ...]:
    """Return the values that a prompt offers for a field."""
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values
