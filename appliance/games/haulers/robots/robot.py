"""Robot players. They choose from the view of their seat only, by a skill, a character and a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from appliance.games.haulers.robots.routes import FAR, distances, goal, square_of, trip
from appliance.games.haulers.rules import actions
from appliance.games.haulers.rules.actions import Vehicle
from appliance.games.haulers.rules.map.board import paths
from appliance.games.haulers.rules.stages import Raid
from appliance.games.haulers.rules.view import SeatView
from appliance.games.haulers.table_data import edition_options, our_edition
from appliance.games.protocol import Action, Number, OneOf, Prompt


@dataclass(frozen=True)
class Skill:
    """How well a robot plans and judges other players.

    `planning` 0–1 is the weight of distance against pay when it keeps cards. `nerve` is the probability that it
    smuggles without weigh stations of others; `caution` is how much each of those lowers it. `suspicion` is the
    probability that it checks. `thrift` is the cash in dollars that it keeps when it buys an upgrade or a boat, which
    seldom earn their price back. `watch` is the probability per turn that it builds a weigh station, which does.
    """

    planning: float
    nerve: float
    suspicion: float
    thrift: int
    watch: float
    caution: float


SKILLS: dict[str, Skill] = {
    "beginner": Skill(planning=0.3, nerve=0.4, suspicion=0.3, thrift=0, watch=0.1, caution=0.02),
    "average": Skill(planning=0.7, nerve=0.6, suspicion=0.6, thrift=500, watch=0.4, caution=0.02),
    "expert": Skill(planning=1.0, nerve=0.7, suspicion=0.8, thrift=6000, watch=1.0, caution=0.15),
}


def demo_options() -> dict[str, Any]:
    """Return the options of a game that robots open: the map and cards of this repository."""
    return edition_options(our_edition())


class Robot:
    """One seat's player. It has no memory and uses only the view.

    :param skill: a name of `SKILLS`.
    """

    def __init__(self, seat: int, skill: str, seed: int) -> None:
        self.seat = seat
        self.skill = SKILLS[skill]
        self._rng = Random(f"{seed}.{seat}")
        self._boldness = self._rng.uniform(0.7, 1.3)

    def choose(self, view: SeatView, prompts: Sequence[Prompt]) -> tuple[Prompt, Action] | None:
        """Return its action and the prompt that it answers; None when it has nothing to decide.

        :param prompts: the view's prompts; those of other seats are ignored.
        """
        mine = [prompt for prompt in prompts if prompt.seat == self.seat and prompt.chance != "must"]
        if not mine:
            return None
        by_deed: dict[str, list[Prompt]] = {}
        for prompt in mine:
            by_deed.setdefault(prompt.do, []).append(prompt)
        if "end_turn" in by_deed:
            return self._turn(view, by_deed)
        if isinstance(view.stage, Raid):
            return self._raided(view, view.stage, by_deed)
        if "go" in by_deed or "stop" in by_deed:
            return self._on_the_way(view, by_deed)
        if any(do in by_deed for do in ("offer", "accept", "roll_off", "show_papers")):
            return self._parley(view, by_deed)
        return self._small_things(view, by_deed)

    # -- a turn

    def _turn(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action]:
        me = view.players[self.seat]
        if "complete" in open_:
            loads = {load.card: load.pays for load in me.loads}
            return self._take(
                open_["complete"][0], load=max(_values(open_["complete"][0], "load"), key=loads.__getitem__)
            )
        if "transfer" in open_:
            prompt = next((one for one in open_["transfer"] if self._wants(view, one)), None)
            if prompt is not None:
                return self._take(prompt, load=_values(prompt, "load")[0], boat=_values(prompt, "boat")[0])
        if "start" in open_ and (begun := self._start(view, open_["start"][0])) is not None:
            return begun
        if "check" in open_ and self._rng.random() < self.skill.suspicion:
            prompt = self._rng.choice(open_["check"])
            return self._take(prompt, target=_values(prompt, "target")[0], vehicle=_values(prompt, "vehicle")[0])
        if "redraw" in open_ and me.boat is None and me.cash < view.prices["boat"]:
            return self._take(open_["redraw"][0])
        if "drive" in open_ or "sail" in open_:
            moved = self._move(view, open_)
            if moved is not None:
                return moved
        return self._shop(view, open_) or self._take(open_["end_turn"][0])

    def _wants(self, view: SeatView, transfer: Prompt) -> bool:
        """Return whether to transfer a load: onto the boat if it ends overseas, else onto the truck."""
        load = next(one for one in view.players[self.seat].loads if one.card == _values(transfer, "load")[0])
        ends_overseas = load.bottom in view.board.overseas
        return ends_overseas == (_values(transfer, "boat")[0] is not None)

    def _move(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action] | None:
        truck, boat = goal(view, self.seat, "truck"), goal(view, self.seat, "boat")
        if "sail" in open_ and boat is not None and (truck is None or self._rng.random() < 0.75):
            return self._take(open_["sail"][0], boat=_values(open_["sail"][0], "boat")[0])
        if "drive" in open_ and truck is not None:
            prompt = open_["drive"][0]
            return self._take(prompt, dice=max(_values(prompt, "dice")))
        return None

    def _start(self, view: SeatView, prompt: Prompt) -> tuple[Prompt, Action] | None:
        """Start the delivery that pays best per step. Without a boat skip overseas ones: they would block the truck."""
        has_boat = view.players[self.seat].boat is not None
        offered = {place: view.you.hand[place - 1] for place in _values(prompt, "card")}
        cards = {place: card for place, card in offered.items() if has_boat or not card.overseas}
        if not cards:
            return None
        place = max(cards, key=lambda at: cards[at].pays / (4 + trip(view.board, cards[at])))
        kinds = _values(prompt, "kind")
        lurkers = sum(station.owner != self.seat for station in view.stations.values())
        nerve = self.skill.nerve * self._boldness - self.skill.caution * lurkers
        smuggle = "smuggled" in kinds and ("legal" not in kinds or self._rng.random() < nerve)
        return self._take(prompt, card=place, kind="smuggled" if smuggle else "legal")

    def _shop(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action] | None:
        """Buy a useful item if enough cash is left afterwards."""
        me = view.players[self.seat]
        if view.ender is not None:
            return None
        overseas = sum(card.overseas for card in view.you.hand) + 2 * any(load.overseas for load in me.loads)
        wanted = [("turbo", 1.0), ("double", 0.9), ("radar", 0.25 * self.skill.suspicion)]
        for prompt in open_.get("launch", []):
            if overseas >= 2 and me.boat is None and me.cash >= view.prices["boat"] + self.skill.thrift:
                return self._take(prompt, at=self._mooring(view, prompt))
        for what, wish in wanted:
            for prompt in open_.get("buy", []):
                if (
                    _values(prompt, "what")[0] == what
                    and self._affords(view, what, self.skill.thrift)
                    and self._rng.random() < wish
                ):
                    return self._take(prompt, what=what)
        for prompt in open_.get("build", []):
            if self._affords(view, "station", 0) and self._rng.random() < self.skill.watch:
                return self._take(prompt, at=self._lair(view, prompt))
        return None

    def _affords(self, view: SeatView, ware: str, reserve: int) -> bool:
        if not view.options.money:
            return self._rng.random() < 0.3
        return view.players[self.seat].cash >= view.prices[ware] + reserve

    def _mooring(self, view: SeatView, prompt: Prompt) -> str:
        """Return the sea square nearest to a random overseas city of the hand."""
        cities = [city for card in view.you.hand for city in (card.top, card.bottom) if city in view.board.overseas]
        far = distances(view.board.sea, self._rng.choice(cities)) if cities else {}
        return str(min(_values(prompt, "at"), key=lambda at: (far.get(at, FAR), at)))

    def _lair(self, view: SeatView, prompt: Prompt) -> str:
        """Return the road square that is on most shortest paths from a random sample of cities."""
        cities = list(view.board.numbers.values())
        traffic: dict[str, int] = {}
        for city in self._rng.sample(cities, min(5, len(cities))):
            for path in paths(view.board.roads, city, FAR).values():
                for square in path[:-1]:
                    traffic[square] = traffic.get(square, 0) + 1
        return str(max(_values(prompt, "at"), key=lambda at: (traffic.get(at, 0), at)))

    # -- on the way

    def _on_the_way(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action]:
        for prompt in open_.get("transfer", []):
            if self._wants(view, prompt):
                return self._take(prompt, load=_values(prompt, "load")[0], boat=_values(prompt, "boat")[0])
        vehicle: Vehicle = "truck" if getattr(view.stage, "boat", None) is None else "boat"
        wanted = goal(view, self.seat, vehicle)
        if wanted is None or "go" not in open_:
            return self._take(open_["stop"][0])
        prompt = open_["go"][0]
        far = distances(view.board.ways(vehicle), wanted)
        here = square_of(view.players[self.seat], vehicle)
        best = min(_values(prompt, "to"), key=lambda to: (far.get(to, FAR), to))
        if far.get(best, FAR) >= far.get(here or "", FAR):
            return self._take(open_["stop"][0])
        return self._take(prompt, to=best)

    # -- checks

    def _parley(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action] | None:
        check = view.check
        assert check is not None
        if check.checker == self.seat:
            return self._as_checker(view, open_)
        risk = self._risk(view, check.boat)
        if risk and "show_papers" in open_:
            return self._take(open_["show_papers"][0])
        offer = getattr(check, "offer", None)
        if "accept" in open_ and offer is not None and offer.amount <= 0.5 * risk:
            return self._take(open_["accept"][0])
        money = [prompt for prompt in open_.get("offer", []) if "of" not in prompt.choices]
        bluff = self._rng.random() < 0.15 * self._boldness
        if money and offer is None and (risk or bluff):
            most = money[0].choices["amount"]
            assert isinstance(most, Number)
            wished = int((0.3 * risk if risk else 300) * self._rng.uniform(0.7, 1.2)) // 50 * 50
            if wished >= 50:
                return self._take(money[0], amount=max(1, min(wished, int(most.most))))
        return None

    def _risk(self, view: SeatView, boat: int | None) -> int:
        """Return the highest face value of own smuggled goods on one vehicle, 0 for none."""
        loads = view.players[self.seat].loads
        return max((load.pays for load in loads if load.kind == "smuggled" and load.boat == boat), default=0)

    def _raided(self, view: SeatView, raid: Raid, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action]:
        """Show papers if smuggled goods are on the vehicle, else let the dice decide."""
        return self._take(open_["show_papers" if self._risk(view, raid.boat) else "roll_off"][0])

    def _as_checker(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action]:
        """Accept a bribe that is worth more than the expected reward of a check, else roll."""
        check = view.check
        offer = getattr(check, "offer", None)
        if "accept" in open_ and offer is not None:
            worth = 1000 * 0.45 * self.skill.nerve * self._boldness
            if offer.of != "money" or offer.amount >= worth:
                return self._take(open_["accept"][0])
        return self._take(open_["roll_off"][0])

    # -- everything else

    def _small_things(self, view: SeatView, open_: dict[str, list[Prompt]]) -> tuple[Prompt, Action] | None:
        if "discard" in open_:
            prompt = open_["discard"][0]
            return self._take(prompt, card=min(_values(prompt, "card"), key=lambda at: self._value(view, at)))
        if "call_in" in open_:
            check = self._rng.random() < 0.3 + 0.6 * self.skill.suspicion
            return self._take(open_["call_in" if check else "wave_on"][0])
        if "inspect" in open_:
            prompt = open_["inspect"][0]
            closed = {load.card for player in view.players for load in player.loads if not load.open}
            loads = [load for load in _values(prompt, "load") if load in closed] or list(_values(prompt, "load"))
            return self._take(prompt, load=self._rng.choice(loads))
        if "draw" in open_:
            return self._take(open_["draw"][0])
        if "swap_mission" in open_ and self._rng.random() < 0.5:
            return self._take(open_["swap_mission"][0])
        if "sabotage" in open_:
            prompt = open_["sabotage"][0]
            return self._take(prompt, target=max(_values(prompt, "target"), key=lambda seat: view.players[seat].cash))
        if "buy_turn" in open_:
            player = view.players[self.seat]
            worthwhile = any(
                load.kind is not None and load.pays > 2 * (player.turn_price or FAR) for load in player.loads
            )
            return self._take(open_["buy_turn" if worthwhile else "decline"][0])
        if "judge" in open_:
            # A robot cannot read the mission's text: it accepts the player's claim.
            prompt = open_["judge"][0]
            return self._take(prompt, target=_values(prompt, "target")[0], fulfilled=True)
        for do in ("keep_mission", "lend", "wave_on", "skip", "decline", "refuse"):
            if do in open_:
                return self._take(open_[do][0])
        prompt = next(iter(open_.values()))[0]
        return self._take(prompt, **{field: self._any(choice) for field, choice in prompt.choices.items()})

    def _value(self, view: SeatView, place: int) -> float:
        """Return the value of keeping a card in hand: its pay per effort."""
        card, board = view.you.hand[place - 1], view.board
        me = view.players[self.seat]
        away = len(paths(board.roads, me.truck or "", FAR).get(card.top, ())) if me.truck else 0
        effort = 4 + self.skill.planning * (0.7 * away + trip(board, card))
        value = card.pays / effort
        return value * (0.4 if card.overseas and me.boat is None else 1.0) * self._rng.uniform(0.95, 1.05)

    def _any(self, choice: Any) -> Any:
        if isinstance(choice, OneOf):
            return self._rng.choice(choice.values)
        assert isinstance(choice, Number)
        return self._rng.randint(int(choice.least), int(choice.most))

    def _take(self, prompt: Prompt, **fields: Any) -> tuple[Prompt, Action]:
        """Return the answer to a prompt. If it needs a payment, choose one of the possible ways at random."""
        if "pay" in prompt.choices and "pay" not in fields:
            fields["pay"] = self._rng.choice(_values(prompt, "pay"))
        return prompt, _DEEDS[prompt.do](seat=self.seat, **fields)


_DEEDS: dict[str, Any] = {str(kind.__struct_config__.tag): kind for kind in actions.HaulersAction.__args__}


def _values(prompt: Prompt, field: str) -> tuple[Any, ...]:
    """Return the values that a prompt offers for a field."""
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values
