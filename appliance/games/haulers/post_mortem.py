"""The true kinds of the deliveries of a finished game of Haulers, for players who all agreed to see them (AP-4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from appliance.games.base.folding import Folded, folded
from appliance.games.haulers.rules.actions import Kind
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Contest, Parley, Raid
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Action, Setup

End = Literal["delivered", "caught", "lost", "under_way"]
Escape = Literal["bribed", "papers", "dice"]
"""How a load passed a check without being inspected."""
_ESCAPES: dict[str, Escape] = {
    "bribe_paid": "bribed",
    "bribe_paid_in_white": "bribed",
    "bribe_paid_in_blue": "bribed",
    "papers_shown": "papers",
    "papers_shown_to_police": "papers",
    "carrier_got_away": "dice",
}


class Hauled(msgspec.Struct, frozen=True, kw_only=True):
    """One started delivery: its seat, its top and bottom city, its face value in dollars, and its true kind.

    `escapes` are the checks that it passed without being inspected, in order.
    """

    seat: int
    top: str
    bottom: str
    pays: int
    kind: Kind
    escapes: tuple[Escape, ...] = ()
    end: End = "under_way"


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Every delivery in the order of starts, and `counts`: for each catalogue code one number per seat.

    The numbers are smuggled deliveries, checks that they escaped, and bribes paid for legal deliveries.
    """

    deliveries: tuple[Hauled, ...]
    counts: dict[str, tuple[int, ...]]


def post_mortem(setup: Setup, actions: Sequence[Action]) -> Told:
    """Return every delivery that was started.

    :raises ValueError: the actions do not fold.
    """
    told: list[Hauled] = []
    open_: dict[tuple[int, int], int] = {}
    for one in folded(RULES, setup, actions):
        before, after = _loads(one.before), _loads(one.step.state)
        codes = {happening.code for happening in one.step.happened}
        for load in _past_a_check(one, codes):
            place = open_[load]
            escape = next(_ESCAPES[code] for code in _ESCAPES if code in codes)
            told[place] = msgspec.structs.replace(told[place], escapes=(*told[place].escapes, escape))
        for load in before.keys() - after.keys():
            place = open_.pop(load)
            told[place] = msgspec.structs.replace(told[place], end=_end(codes))
        for load in after.keys() - before.keys():
            open_[load] = len(told)
            card = one.step.state.card(load[1])
            told.append(Hauled(seat=load[0], top=card.top, bottom=card.bottom, pays=card.pays, kind=after[load]))
    return Told(deliveries=tuple(told), counts=_counts(told, len(setup.players)))


def _loads(state: State) -> dict[tuple[int, int], Kind]:
    """Return the kind of each load in transit by its seat and card."""
    return {(seat, load.card): load.kind for seat, player in enumerate(state.players) for load in player.loads}


def _past_a_check(one: Folded, codes: set[str]) -> Iterable[tuple[int, int]]:
    """Return the closed loads that passed a check in this step."""
    if not codes & _ESCAPES.keys():
        return
    check = next(stage for stage in reversed(one.before.agenda) if isinstance(stage, Contest | Parley | Raid))
    loads = one.before.loads_on(check.carrier, check.boat)
    yield from ((check.carrier, load.card) for load in loads if not load.open)


def _end(codes: set[str]) -> End:
    if "smuggling_found" in codes:
        return "caught"
    return "delivered" if any("_delivered" in code for code in codes) else "lost"


def _counts(told: Sequence[Hauled], seats: int) -> dict[str, tuple[int, ...]]:
    smuggled = [one for one in told if one.kind == "smuggled"]
    counted = {
        "post_mortem.smuggled": [(one.seat, 1) for one in smuggled],
        "post_mortem.escaped": [(one.seat, len(one.escapes)) for one in smuggled],
        "post_mortem.bluffed": [(one.seat, one.escapes.count("bribed")) for one in told if one.kind == "legal"],
    }
    return {
        code: tuple(sum(n for who, n in of if who == seat) for seat in range(seats)) for code, of in counted.items()
    }
