"""Robot players. They choose from the view of their seat only, by a skill, a character and a seed.

A robot estimates the probability that a declaration is true from two things: the probability that four cards hold
nothing more, and how often this player was found lying. From it the robot computes the value in pounds of a search or
a denunciation, and the probability that its own declaration is searched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any

from appliance.games.customs.rules import actions
from appliance.games.customs.rules.cards import GOODS, HAND, PACK, Card, Good, dutiable
from appliance.games.customs.rules.phases.opening import COMPENSATION, FALSE_CLAIM, REWARD
from appliance.games.customs.rules.state import Declaration
from appliance.games.customs.rules.tariff import Tariff, duty, fines
from appliance.games.customs.rules.view import SeatView
from appliance.games.customs.table_data import demo_tariff, tariff_options
from appliance.games.protocol import Action, OneOf, Prompt

DUTIABLE_SHARE = sum(card in GOODS for card in PACK) / len(PACK)
"""Share of dutiable cards in the pack, 29 of 56: the probability that one unknown card is dutiable."""
BAG_HELD = HAND / len(PACK)
"""Probability that four unknown cards hold the Bag."""
RESERVE = 250
"""Pounds that a robot keeps when it lends."""
CREDIT = 800
"""Most pounds that one player may owe another. A robot lends nothing more to a debtor from an earlier round."""


RUIN = 1.0
"""Extra weight of each pound of a penalty that would leave the robot with less than `RESERVE`."""
USUAL = 2.0
"""Weight of the lie rate of all players, as a number of opened hands of the judged player."""


@dataclass(frozen=True)
class Skill:
    """How well a robot estimates: `noise` is the standard deviation of its estimates in pounds, `memory` 0–1 the weight
    of what it saw of a player."""

    noise: float
    memory: float


SKILLS: dict[str, Skill] = {
    "beginner": Skill(noise=260.0, memory=0.0),
    "average": Skill(noise=110.0, memory=0.5),
    "expert": Skill(noise=35.0, memory=1.0),
}


def demo_options() -> dict[str, Any]:
    """Return the options of a game that robots open: the demo tariff, not scored."""
    return tariff_options(demo_tariff())


class Robot:
    """One seat's player. It counts true and untrue declarations of each player, and stores when debts to it began.

    :param skill: a name of `SKILLS`.
    """

    def __init__(self, seat: int, skill: str, seed: int) -> None:
        self.seat = seat
        self.skill = SKILLS[skill]
        self._rng = Random(f"{seed}.{seat}")
        self._hope = self._rng.choice((0.4, 1.0, 1.6, 2.2))
        self._nosiness = self._rng.choice((0, 30, 60, 90)) * (1 - self.skill.memory)
        self._true: Counter[int] = Counter()
        self._untrue: Counter[int] = Counter()
        self._counted: set[tuple[int, int]] = set()
        self._owing_since: dict[int, int] = {}

    def choose(self, view: SeatView, prompts: Sequence[Prompt]) -> tuple[Prompt, Action] | None:
        """Return its action and the prompt that it answers; None when it has nothing to decide.

        It does not see real cards. Then a person declares and opens the hand for it.

        :param prompts: the view's prompts; those of other seats are ignored.
        """
        self._watch(view)
        mine = {prompt.do: prompt for prompt in prompts if prompt.seat == self.seat and not prompt.optional}
        if "declare" in mine and view.you.hand:
            declaration = self._declare(view)
            if declaration.bag:
                return mine["claim_bag"], actions.ClaimBag(seat=self.seat)
            return mine["declare"], actions.Declare(seat=self.seat, goods=declaration.goods)
        if "accept" in mine:
            search = self._search_gain(view, view.declaration) + self._error() > 0
            return _either(mine, search, actions.Search(seat=self.seat), actions.Accept(seat=self.seat))
        if "believe" in mine:
            inform = self._inform_gain(view, view.declaration) + self._nosiness + self._error() / 2 > 0
            return _either(mine, inform, actions.Disbelieve(seat=self.seat), actions.Believe(seat=self.seat))
        if "discard" in mine:
            return mine["discard"], actions.Discard(seat=self.seat, card=self._discard(view, mine["discard"]))
        if "ask_loan" in mine:
            return mine["ask_loan"], self._ask(view, mine["ask_loan"])
        if "refuse" in mine:
            return self._lend(view, mine)
        return None

    # Judging declarations

    def _watch(self, view: SeatView) -> None:
        """Count whether the open hand was declared truly, and store the round in which each debt to it began."""
        debtors = [loan.debtor for loan in view.loans if loan.creditor == self.seat]
        self._owing_since = {debtor: self._owing_since.get(debtor, view.round) for debtor in debtors}
        shown = view.opened
        if shown is not None and (view.round, view.turn) not in self._counted:
            self._counted.add((view.round, view.turn))
            (self._true if shown.honest else self._untrue)[shown.seat] += 1

    def honesty(self, view: SeatView, said: Declaration) -> float:
        """Return the estimated probability, 0–1, that a declaration is the complete truth."""
        memory, everybody = self.skill.memory, self._untrue.total() + self._true.total()
        usual = (1.0 - memory / 2 + memory * self._untrue.total()) / (2.0 + memory * everybody)
        seen = memory * (self._untrue[said.seat] + self._true[said.seat])
        lies = (USUAL * usual + memory * self._untrue[said.seat]) / (USUAL + seen)
        if said.bag:
            true, false = BAG_HELD, 0.1 * lies
        else:
            nothing_more = (1 - DUTIABLE_SHARE) ** (HAND - len(said.goods))
            true = nothing_more * (1.0 if not said.goods else 1.4 - lies)
            false = (1 - nothing_more) * lies * (0.55 if not said.goods else 0.3)
        return true / (true + false)

    def _hidden_fines(self, tariff: Tariff, said: Declaration) -> float:
        """Return the estimated fines of an untrue declaration in pounds, including those of the declared goods."""
        average = fines(tariff, (card for card in PACK if card in GOODS)) / (DUTIABLE_SHARE * len(PACK))
        places = HAND - len(said.goods)
        more = max(1.0, places * DUTIABLE_SHARE) * average * 0.8 if places else 0.0
        return fines(tariff, said.goods) + more + (FALSE_CLAIM if said.bag else 0)

    def _search_gain(self, view: SeatView, said: Declaration | None) -> float:
        """Return the pounds that the Officer gains by a search, compared with accepting."""
        assert said is not None
        tariff, honest = view.options.tariff, self.honesty(view, said)
        owed = duty(tariff, said.goods)
        return honest * (owed - COMPENSATION) + (1 - honest) * self._hidden_fines(tariff, said) - owed

    def _inform_gain(self, view: SeatView, said: Declaration | None) -> float:
        """Return the pounds that the next traveller gains by disbelieving."""
        assert said is not None
        honest = self.honesty(view, said)
        return (1 - honest) * REWARD - honest * COMPENSATION

    # Its own declarations

    def _declare(self, view: SeatView) -> Declaration:
        """Return the declaration with the lowest expected cost, by its estimate of what Officer and Informer do."""
        held = dutiable(view.you.hand)
        said = [Declaration(seat=self.seat, goods=goods) for goods in _parts(held)]
        said.append(Declaration(seat=self.seat, bag=True))
        return max(said, key=lambda one: self._worth(view, one, held) + self._error())

    def _worth(self, view: SeatView, said: Declaration, held: tuple[Good, ...]) -> float:
        tariff = view.options.tariff
        searched = _likely(self._search_gain(view, said) / 180 - self._hope)
        informed = (1 - searched) * _likely(self._inform_gain(view, said) / 60)
        owed = duty(tariff, said.goods)
        if "bag" in view.you.hand if said.bag else said.goods == held:
            return (searched + informed) * COMPENSATION - owed
        penalty: float = fines(tariff, held) + (FALSE_CLAIM if said.bag else 0)
        # Players who cannot pay soon leave the game (CU-60).
        penalty += RUIN * max(0, penalty + RESERVE - view.you.money)
        return -searched * penalty - (1 - searched) * owed - informed * penalty

    def _discard(self, view: SeatView, prompt: Prompt) -> Card:
        """Return the card to discard: the one with the highest fine."""
        cards: tuple[Card, ...] = _values(prompt, "card")
        tariff = view.options.tariff
        return max(cards, key=lambda card: tariff[card].fine if card in tariff else -1)

    # Money

    def _ask(self, view: SeatView, prompt: Prompt) -> Action:
        assert view.due is not None
        missing = max(1, view.due.amount - view.you.money)
        if missing > 10 * RESERVE:
            return actions.GiveUp(seat=self.seat)
        room = {seat: CREDIT - _owed(view, self.seat, seat) for seat in _values(prompt, "lender")}
        open_to = [seat for seat in room if room[seat] > 0]
        if not open_to:
            return actions.GiveUp(seat=self.seat)
        best = max(open_to, key=lambda seat: (view.players[seat].money or 0, room[seat], self._rng.random()))
        return actions.AskLoan(seat=self.seat, lender=best, amount=min(missing, room[best]))

    def _lend(self, view: SeatView, mine: dict[str, Prompt]) -> tuple[Prompt, Action]:
        asked = view.asked
        assert asked is not None
        keeps = view.you.money - asked.amount
        within = _owed(view, asked.debtor, self.seat) + asked.amount <= CREDIT
        patient = self._owing_since.get(asked.debtor, view.round) == view.round
        if "lend" in mine and keeps >= RESERVE and within and patient and self._rng.random() < 0.8:
            return mine["lend"], actions.Lend(seat=self.seat)
        return mine["refuse"], actions.Refuse(seat=self.seat)

    def _error(self) -> float:
        return self._rng.gauss(0.0, self.skill.noise)


def _owed(view: SeatView, debtor: int, creditor: int) -> int:
    """Return the pounds that `debtor` owes `creditor`. Loans are public."""
    return sum(loan.amount for loan in view.loans if (loan.debtor, loan.creditor) == (debtor, creditor))


def _either(mine: dict[str, Prompt], yes: bool, one: Action, other: Action) -> tuple[Prompt, Action]:
    chosen = one if yes else other
    return mine[str(type(chosen).__struct_config__.tag)], chosen


def _parts(held: tuple[Good, ...]) -> list[tuple[Good, ...]]:
    """Return every subset of the held goods, including none and all."""
    parts: dict[tuple[Good, ...], None] = {}
    for mask in range(2 ** len(held)):
        parts[tuple(good for place, good in enumerate(held) if mask >> place & 1)] = None
    return list(parts)


def _likely(ratio: float) -> float:
    """Return the logistic function of `ratio`: 0–1, one half at 0."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, ratio))))


def _values(prompt: Prompt, field: str) -> Any:
    """Return the values that a prompt offers for a field."""
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values
