"""Robot players. They choose from the view of their seat only, by a skill, a character and a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

from appliance.games.prohis.rules import actions
from appliance.games.prohis.rules.cards import PROHIS, TURNS, WORTH, Card, Cards, Prohi, arranged, worth
from appliance.games.prohis.rules.view import ConvoyView, SeatView
from appliance.games.protocol import Action, OneOf, Prompt, SomeOf

RELIEF = -WORTH["hand"]["illegal"]
"""Points gained by moving one contraband card out of the hand."""
TYPICAL_TURNS = 2
"""Average number of cards that an inspection turns up."""
USUALLY_OFFERED = 0.6
"""Prior probability that a stopped Smuggler offers a bribe."""
JUDGED = 3.4
"""Weight of the prior estimate of a Smuggler, as a number of turned cards."""


@dataclass(frozen=True)
class Skill:
    """How well a robot plays. `noise` is the standard deviation of its estimates in points. `memory` 0–1 is the weight
    of turned cards. `nerve` raises the probability that it takes a risk. `foresight` 0–1 is the weight, when it
    declares, of waiving the inspection later, which without a bribe stores its Prohi (PR-31). `suspicion` is how many
    of `JUDGED` cards of an unknown Smuggler it assumes to be contraband; `silence` is the same for one who is stopped
    and offers no bribe. `probing` is the probability that it inspects such a convoy in any case, so that silence does
    not always pay. `greed` is how much it likes open contraband, which everybody sees it take."""

    noise: float
    memory: float
    nerve: float
    foresight: float
    suspicion: float
    silence: float
    probing: float
    greed: float


SKILLS: dict[str, Skill] = {
    "beginner": Skill(
        noise=5000, memory=0.0, nerve=0.5, foresight=0.0, suspicion=1.4, silence=1.4, probing=0.0, greed=0.9
    ),
    "average": Skill(
        noise=2000, memory=0.5, nerve=0.4, foresight=0.5, suspicion=1.8, silence=1.4, probing=0.1, greed=0.4
    ),
    "expert": Skill(
        noise=700, memory=1.0, nerve=0.3, foresight=1.0, suspicion=2.0, silence=0.5, probing=0.2, greed=0.0
    ),
}


def demo_options() -> dict[str, Any]:
    """Return the options of a game that robots open: the defaults."""
    return {}


class Robot:
    """One seat's player. It remembers each Smuggler's turned cards, and whether they offered bribes when stopped.

    :param skill: a name of `SKILLS`.
    """

    def __init__(self, seat: int, skill: str, seed: int) -> None:
        self.seat = seat
        self.skill = SKILLS[skill]
        self._rng = Random(f"{seed}.{seat}")
        self._daring = self._rng.uniform(0.7, 1.3)
        self._seen: dict[tuple[int, bool], Counter[str]] = {}
        """The turned cards by Smuggler and whether no bribe had been offered."""
        self._counted: set[tuple[int, int]] = set()
        self._stopped: dict[int, dict[int, bool]] = {}
        """By Smuggler and turn: whether they offered a bribe when they were stopped."""

    def choose(self, view: SeatView, prompts: Sequence[Prompt]) -> tuple[Prompt, Action] | None:
        """Return its action and the prompt that it answers; None when it has nothing to decide.

        :param prompts: the open prompts as its seat sees them; those of other seats are ignored.
        """
        self._watch(view)
        mine = {prompt.do: prompt for prompt in prompts if prompt.seat == self.seat}
        if not mine:
            return None
        if "declare" in mine:
            return mine["declare"], self._declare(view, mine["declare"])
        if "stop_bribing" in mine:
            return self._bribe(view, mine)
        if "answer" in mine:
            return mine["answer"], actions.Answer(seat=self.seat, accept=self._accepts(view))
        if "decide" in mine:
            return mine["decide"], actions.Decide(seat=self.seat, inspect=self._insists(view))
        if "turn" in mine:
            position = self._rng.choice(_values(mine["turn"], "position"))
            return mine["turn"], actions.Turn(seat=self.seat, position=position)
        if "stop_drawing" in mine:
            return self._second_card(view, mine)
        if "pass" in mine:
            return self._turn(view, mine)
        return None

    # Its own turn

    def _turn(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        held = len(view.you.hand)
        ends_soon = view.last_turns is not None
        draws = "take" in mine or "draw" in mine
        if "convoy" in mine:
            cards, gain = self._best_convoy(view)
            if gain > 0 and (ends_soon or not draws or held > self._rng.choice((4, 5, 6, 6, 7))):
                self._rng.shuffle(laid := list(cards))
                return mine["convoy"], actions.LayConvoy(seat=self.seat, cards=tuple(laid))
        if draws and not ends_soon:
            return self._draw(view, mine)
        if draws and (slot := self._harmless_slot(view, mine)) is not None:
            return mine["take"], actions.Take(seat=self.seat, slot=slot)
        return mine["pass"], actions.Pass(seat=self.seat)

    def _draw(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        """Take the card that it likes best. A good card of the row is preferred to the pile."""
        if "take" in mine:
            slots = _values(mine["take"], "slot")
            best = max(slots, key=lambda slot: (self._liking(view.row[slot]), self._rng.random()))
            if "draw" not in mine or self._liking(view.row[best]) > 0 or self._rng.random() < 0.6:
                return mine["take"], actions.Take(seat=self.seat, slot=best)
        return mine["draw"], actions.Draw(seat=self.seat)

    def _second_card(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        if view.last_turns is not None or len(view.you.hand) > 8:
            return mine["stop_drawing"], actions.StopDrawing(seat=self.seat)
        return self._draw(view, mine) if len(mine) > 1 else (mine["stop_drawing"], actions.StopDrawing(seat=self.seat))

    def _harmless_slot(self, view: SeatView, mine: dict[str, Prompt]) -> int | None:
        """Return the slot of a Prohi, which scores in the hand, for a last turn without a good convoy; else None."""
        slots = _values(mine["take"], "slot") if "take" in mine else ()
        useful = [slot for slot in slots if view.row[slot] in PROHIS]
        return useful[0] if useful else None

    def _liking(self, card: Card | None) -> float:
        """Return how much it likes to take an open card."""
        if card is None:
            return -9.0
        return {"legal": 0.2, "illegal": self.skill.greed * self._daring, "lieutenant": 1.1}.get(
            card, 1.2
        ) + self._rng.gauss(0, 0.3)

    def _best_convoy(self, view: SeatView) -> tuple[Cards, float]:
        hand = view.you.hand
        chance = self._chance_of_inspection(view)
        options = {arranged(some) for size in (2, 3, 4) for some in combinations(hand, size)}
        noise = self.skill.noise
        rated = [(self._convoy_gain(cards, chance) + self._rng.gauss(0, noise), cards) for cards in sorted(options)]
        gain, cards = max(rated)
        return cards, gain

    def _convoy_gain(self, cards: Cards, chance: float) -> float:
        """Return the expected points of a convoy, compared with keeping its cards."""
        stored = worth(cards, "warehouse")
        kept = sum(WORTH["hand"][card] + (1500 if card in PROHIS else 0) for card in cards if card != "illegal")
        relief = RELIEF * cards.count("illegal")
        seized = seizure(cards, TYPICAL_TURNS)
        prize = 2500 * (1 - seized)
        loss = 0.5 * stored * seized
        return stored * (1 - chance * seized) + chance * (prize - loss) * self._daring + relief - kept

    def _chance_of_inspection(self, view: SeatView) -> float:
        others = sum(not player.passed for seat, player in enumerate(view.players) if seat != self.seat)
        return min(0.85, 0.2 * others) * (1 - 0.3 * self.skill.nerve)

    # Inspecting

    def _declare(self, view: SeatView, prompt: Prompt) -> actions.Declare:
        convoy = view.convoy
        assert convoy is not None
        owned: list[Prohi] = [prohi for prohi in _values(prompt, "prohi") if prohi is not None]
        played = [PROHIS.index(one.prohi) for one in convoy.declared if one.prohi is not None]
        able = [prohi for prohi in owned if PROHIS.index(prohi) > max(played, default=-1)]
        best: tuple[float, Prohi] | None = None
        for prohi in able:
            gain = self._inspection_gain(convoy, prohi) + self._rng.gauss(0, self.skill.noise)
            gain = max(gain, self.skill.foresight * self._waived(view, prohi))
            if best is None or gain > best[0]:
                best = gain, prohi
        foresight = self.skill.foresight
        worthwhile = best is not None and best[0] > 1500 * len(played) * (1 - foresight)
        goes = worthwhile and self._rng.random() < 0.45 + self.skill.nerve + 0.3 * foresight
        return actions.Declare(seat=self.seat, prohi=best[1] if best is not None and goes else None)

    def _inspection_gain(self, convoy: ConvoyView, prohi: Prohi, *, silent: bool = False) -> float:
        """Return the expected points of an inspection, which ends in a seizure or in the loss of the Prohi.

        :param silent: the Smuggler could offer a bribe and did not. Smugglers with much to lose usually offer one.
        """
        size = len(convoy.cards)
        each = self._suspicion(convoy.smuggler, silent=silent)
        caught = 1 - (1 - each) ** min(TURNS[prohi], size)
        spoils = size * (each * 4000 + (1 - each) * 1000) + WORTH["warehouse"][prohi] - WORTH["hand"][prohi]
        handed_over = 2 * WORTH["hand"][prohi] + 1500
        return caught * spoils - (1 - caught) * handed_over

    def _suspicion(self, smuggler: int, *, silent: bool) -> float:
        """Return the estimated probability that a card of that Smuggler is contraband."""
        seen = Counter(self._seen.get((smuggler, True)))
        if not silent:
            seen += self._seen.get((smuggler, False), Counter())
        weight = self.skill.memory
        thought = self.skill.suspicion
        if silent:
            # Silence gives no information about players who never offer bribes.
            stopped = self._stopped.get(smuggler, {})
            offers = (sum(stopped.values()) + 2 * USUALLY_OFFERED) / (len(stopped) + 2)
            thought += (self.skill.silence - thought) * min(1.0, offers / USUALLY_OFFERED)
        return (thought + weight * seen["illegal"]) / (JUDGED + weight * sum(seen.values()))

    def _accepts(self, view: SeatView) -> bool:
        convoy = view.convoy
        assert convoy is not None
        assert convoy.offer is not None
        assert convoy.prohi is not None
        shown = convoy.offer.cards
        bribe = worth(shown, "warehouse") if shown is not None else 1900 * convoy.offer.number
        bribe += WORTH["hand"][convoy.prohi]
        return bribe + self._rng.gauss(0, self.skill.noise) > self._inspection_gain(convoy, convoy.prohi)

    def _insists(self, view: SeatView) -> bool:
        convoy = view.convoy
        assert convoy is not None
        assert convoy.prohi is not None
        if self._rng.random() < self.skill.probing:
            return True
        gain = self._inspection_gain(convoy, convoy.prohi, silent=True) + self._rng.gauss(0, self.skill.noise)
        return gain > self._waived(view, convoy.prohi)

    def _waived(self, view: SeatView, prohi: Prohi) -> float:
        """Return the points that the owner of a Prohi gains by waiving the inspection (PR-31)."""
        return WORTH[view.options.waived_prohi][prohi] - WORTH["hand"][prohi]

    # Bribing

    def _bribe(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        convoy = view.convoy
        assert convoy is not None
        assert convoy.prohi is not None
        cards = tuple(card for card in convoy.cards if card is not None)
        at_risk = seizure(cards, TURNS[convoy.prohi]) * worth(cards, "warehouse")
        stop = mine["stop_bribing"], actions.StopBribing(seat=self.seat)
        if "offer" not in mine or convoy.rejected >= 2 or at_risk < self._rng.uniform(500, 4000):
            return stop
        choice = mine["offer"].choices["cards"]
        assert isinstance(choice, SomeOf)
        budget = at_risk * self._rng.uniform(0.3, 0.9)
        options = [
            some
            for size in (1, 2, 3)
            for some in sorted({arranged(some) for some in combinations(view.you.hand, size)})
            if tuple(sorted(some)) not in choice.but_not and self._price(some) <= budget
        ]
        if not options:
            return stop
        offered = max(options, key=lambda some: len(some) * 900 - self._price(some) + self._rng.gauss(0, 900))
        return mine["offer"], actions.Offer(seat=self.seat, cards=offered)

    def _price(self, cards: Iterable[Card]) -> float:
        """Return the cost of giving cards away: a weighted sum of their points in a warehouse and in the hand."""
        return sum(0.6 * WORTH["warehouse"][card] + 0.4 * WORTH["hand"][card] for card in cards)

    # Watching

    def _watch(self, view: SeatView) -> None:
        """Record the cards that inspections turned up, and whether the stopped Smuggler offered a bribe."""
        convoy = view.convoy
        if convoy is None:
            return
        if view.phase == "decide" or convoy.offer is not None or convoy.rejected:
            self._stopped.setdefault(convoy.smuggler, {})[view.turns] = view.phase != "decide"
        for position in convoy.turned:
            card = convoy.cards[position]
            if card is not None and (view.turns, position) not in self._counted:
                self._counted.add((view.turns, position))
                self._seen.setdefault((convoy.smuggler, convoy.rejected == 0), Counter())[card] += 1


def seizure(cards: Sequence[Card], turns: int) -> float:
    """Return the probability, 0–1, that an inspection of `turns` random cards ends in a seizure (PR-33 … PR-37)."""
    count = len(cards)
    illegal, legal = cards.count("illegal"), cards.count("legal")
    still_going, seized = 1.0, 0.0
    for turned in range(min(turns, count)):
        left = count - turned
        seized += still_going * illegal / left
        still_going *= max(0, legal - turned) / left
    return seized


def _values(prompt: Prompt, field: str) -> tuple[Any, ...]:
    """Return the values that a prompt offers for a field."""
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values
