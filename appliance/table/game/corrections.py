"""Ranks likely corrections: which action was recorded wrongly, and what it should have been.

Only a game that defines `Game.mistaken` gets offers. They are made from public prompts only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from appliance.games.game import Mistake
from appliance.games.protocol import ManyOf, OneOf, Prompt, Rejection, Remark
from appliance.games.read_action import read_action
from appliance.journal.fold.history import History
from appliance.snapshot import Asked, Deed, Offer

OFFERS_MOST = 8
OF_ONE_DEED = 3
"""Number of offers for one action while there are offers for other actions, too."""
LOOKED_AT = 10
"""Number of the newest actions that are considered: players object soon."""
LATER = 0.45
"""Factor on the weight of an action for each newer action."""
SET_ASIDE = 0.3
"""Factor on the weight of a correction that would make later actions impossible."""
CONTESTED, ALONE = 3.0, 1.5
"""Factors on the weight of an action that sensors disagreed on, or that only one sensor judged."""
LEAST = 0.01


class Grounds(msgspec.Struct, frozen=True):
    """The evidence for an action: the sensors that judged it (empty: people entered it), the verdict of each, and
    whether the table was asked because the sensors were unsure."""

    because: tuple[str, ...] = ()
    votes: Mapping[str, str] = {}
    contested: bool = False

    @property
    def doubt(self) -> float:
        """How many times likelier than usual the action is wrong."""
        return CONTESTED if self.contested else ALONE if len(self.because) == 1 else 1.0


class Corrections:
    """The evidence for the actions of one game, and the corrections that players ask for, at most one per seat."""

    def __init__(self) -> None:
        self.asked: tuple[Asked, ...] = ()
        self._grounds: dict[int, Grounds] = {}

    def note(self, seq: int, grounds: Grounds) -> None:
        """Record the evidence for the action of entry `seq`."""
        self._grounds[seq] = grounds

    def offers(self, history: History, remarks: Mapping[str, Remark]) -> tuple[Offer, ...]:
        """Return the most likely corrections, the likeliest first."""
        return offers(history, self._grounds, remarks, OFFERS_MOST)

    def ask(self, seat: int, wanted: Offer) -> None:
        """Record that `seat` asks for `wanted`. It replaces an earlier request of that seat."""
        self.refuse(seat)
        self.asked = (*self.asked, Asked(seat, wanted))

    def refuse(self, seat: int) -> None:
        """Remove the request of `seat`."""
        self.asked = tuple(one for one in self.asked if one.seat != seat)

    def made(self) -> None:
        """Remove all requests, because the game was corrected."""
        self.asked = ()


def offers(
    history: History, grounds: Mapping[int, Grounds], remarks: Mapping[str, Remark], at_most: int
) -> tuple[Offer, ...]:
    """Return the most likely corrections. Of those that end in the same words only the likeliest is among them.

    :param grounds: evidence by entry number; an entry may be missing.
    :param remarks: the remarks that the table shows now.
    """
    mistaken = history.game.mistaken
    if mistaken is None:
        return ()
    weighed: list[tuple[float, Offer]] = []
    now = msgspec.to_builtins(history.game.rules.view(history.state, None))
    age = 0
    for deed in history.correctable(LOOKED_AT):
        found = history.alternatives(deed.seq)
        if deed.drawn or isinstance(found, Rejection):
            continue
        before = history.view_before(deed.seq)
        known = grounds.get(deed.seq, Grounds())
        for instead in (*answers(found.prompts), None):
            if instead == deed.action:
                continue
            meant = Mistake(deed.action, instead, before, known.votes, remarks)
            weight = mistaken(meant) * known.doubt * LATER**age
            if weight >= LEAST and (offer := _offer(history, deed, instead, now)) is not None:
                weighed.append((weight * (SET_ASIDE if offer.sets_aside else 1.0), offer))
        age += 1
    weighed.sort(key=lambda one: -one[0])
    return mixed(told_apart(offer for _, offer in weighed), at_most)


def told_apart(likeliest: Iterable[Offer]) -> list[Offer]:
    """Return the offers in their order, without those that end in the same words as one before them."""
    apart: dict[bytes, Offer] = {}
    for offer in likeliest:
        apart.setdefault(_told(offer), offer)
    return list(apart.values())


def _told(offer: Offer) -> bytes:
    """Return what people are told of the offer: what would have happened, or what would not have been done."""
    if offer.instead is None:
        return msgspec.json.encode(offer.deed.action)
    short = offer.instead.told()
    happened = short if short != offer.deed.told() else offer.instead.happened
    return msgspec.json.encode([(one.code, one.values) for one in happened])


def mixed(likeliest: list[Offer], at_most: int) -> tuple[Offer, ...]:
    """Return the first of `likeliest` in their order, with room for the other actions than the likeliest one."""
    taken: dict[int, int] = {}
    first: list[int] = []
    rest: list[int] = []
    for place, offer in enumerate(likeliest):
        taken[offer.seq] = taken.get(offer.seq, 0) + 1
        (first if taken[offer.seq] <= OF_ONE_DEED else rest).append(place)
    return tuple(likeliest[place] for place in sorted((first + rest)[:at_most]))


def _offer(history: History, deed: Deed, instead: dict[str, Any] | None, now: Any) -> Offer | None:
    """Return the offer; None where the rules refuse it, leave the public view unchanged, or would tell a secret."""
    rules = history.game.rules
    action = None if instead is None else read_action(instead, rules)
    refold = history.refold(deed.seq, action, in_public=True)
    if isinstance(refold, Rejection) or not refold.deeds:
        return None
    preview = history.preview(refold)
    if action is not None and not preview.covered and msgspec.to_builtins(preview.after) == now:
        return None
    return Offer(seq=deed.seq, deed=deed, action=instead, instead=preview.instead, sets_aside=len(preview.set_aside))


def answers(prompts: Iterable[Prompt]) -> Iterator[dict[str, Any]]:
    """Yield the answers to prompts whose fields are all `OneOf`, or `ManyOf` that needs at most one value."""
    for prompt in prompts:
        if prompt.veiled or prompt.chance == "must":
            continue
        whose = {} if prompt.seat is None else {"seat": prompt.seat}
        each = []
        for choice in prompt.choices.values():
            match choice:
                case OneOf(values):
                    each.append(values)
                case ManyOf(values, _, at_least) if at_least < 2:
                    each.append((*([()] if not at_least else []), *((one,) for one in values)))
                case _:
                    each.append(())
        for values in itertools.product(*each):
            plain = (list(one) if isinstance(one, tuple) else one for one in values)
            yield {"do": prompt.do, **whose, **dict(zip(prompt.choices, plain, strict=True))}
