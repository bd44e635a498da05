"""Each round the seats answer one prompt after the other; what they answered is shown, their hands are not.

No sentence, no template, no robot: what the frame makes of rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import (
    Action,
    AnyOrder,
    Choice,
    Happening,
    ManyOf,
    Number,
    OneOf,
    Outcome,
    Prompt,
    Rejection,
    Setup,
    SomeOf,
    Step,
    Text,
)

FRUIT = ("apple", "pear", "sloe")


class Declare(Action, frozen=True, tag="declare"):
    """A number with a choice: what a merchant says."""

    seat: int
    kind: str
    amount: int


class Pack(Action, frozen=True, tag="pack"):
    """Two lists."""

    seat: int
    crate: tuple[str, ...]
    sack: tuple[str, ...]


class Discard(Action, frozen=True, tag="discard"):
    """Cards out of the own hand, with a text."""

    seat: int
    cards: tuple[str, ...]
    note: str


class Stack(Action, frozen=True, tag="stack"):
    """A shuffle asked of a person."""

    seat: int
    order: tuple[int, ...]


class Weigh(Action, frozen=True, tag="weigh"):
    """Three fields, one of them a number with decimals that may be negative."""

    seat: int
    scale: Literal[1, 2]
    delta_g: float
    sure: bool


class Pay(Action, frozen=True, tag="pay"):
    """A choice for each of two payers: rows of taps."""

    seat: int
    payer: str
    coin: str


class Peek(Action, frozen=True, tag="peek"):
    """One card of the own hand, which others must not know."""

    seat: int
    card: str


QUESTIONS: tuple[tuple[type[Action], Mapping[str, Choice]], ...] = (
    (Declare, {"kind": OneOf(FRUIT), "amount": Number(1, 40, "kg", whole=True)}),
    (Pack, {"crate": ManyOf(FRUIT, 3, 1), "sack": ManyOf(FRUIT, 2, most_each=(1, 1, 1))}),
    (Discard, {"cards": SomeOf((), 1, 2), "note": Text("[a-z]{2,8}")}),
    (Stack, {"order": AnyOrder(3)}),
    (Weigh, {"scale": OneOf((1, 2)), "delta_g": Number(-5, 5, "g"), "sure": OneOf((True, False))}),
    (Pay, {"payer": OneOf(("host", "guest")), "coin": OneOf(("gold", "tin"))}),
    (Peek, {"card": OneOf(())}),
)
HANDS = (("king", "queen", "knave", "queen"), ("ten", "nine", "eight", "nine"))


class PlayerView(msgspec.Struct, frozen=True):
    name: str
    answers: int
    hand: tuple[str, ...] | None


class View(msgspec.Struct, frozen=True):
    step: int
    players: tuple[PlayerView, ...]
    last: dict[str, Any]
    expects: tuple[Prompt, ...]


class State(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    actions: tuple[Any, ...] = ()


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every kind of option that the general set-up asks for."""

    polite: bool = True
    goods: Literal["fresh", "dried"] = "fresh"
    rounds: Annotated[int, msgspec.Meta(ge=1, le=4)] = 1
    purse: Annotated[int, msgspec.Meta(ge=0, le=500)] = 100
    label: str = "kept as it is"


class Odds:
    name = "odds"
    revision = 1
    seats = range(2, 3)
    action_type: Any = Declare | Pack | Discard | Stack | Weigh | Pay | Peek
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {"peek": frozenset({"card"})}

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        if len(setup.players) not in self.seats:
            return Rejection("two_only", "OE-1")
        try:
            msgspec.convert(setup.options, Options)
        except msgspec.ValidationError:
            return Rejection("bad_option", "OE-2")
        return Step(State(tuple(player.name for player in setup.players)), (Happening("stalls_opened"),))

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        for prompt in self.expects(state, getattr(action, "seat", None)):
            if type(action).__struct_config__.tag == prompt.do and action.seat == prompt.seat:  # type: ignore[attr-defined]
                told = {f: v for f, v in msgspec.structs.asdict(action).items() if f not in ("card", "cards")}
                happened = (Happening(f"{prompt.do}_done", told), Happening("own_turn_over", {}, to=prompt.seat))
                return Step(msgspec.structs.replace(state, actions=(*state.actions, action)), happened)
        return Rejection("not_asked_now", "OE-3", {"seat": getattr(action, "seat", None)})

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        number, turn = divmod(len(state.actions), 2)
        if self.outcome(state) is not None:
            return ()
        kind, choices = QUESTIONS[number]
        hand = self._hand(state, turn)
        own: dict[str, Choice] = {
            "cards": SomeOf(hand, 1, 2, (("nine", "nine"), ("queen", "queen"))),
            "card": OneOf(hand),
        }
        private = not own.keys().isdisjoint(choices)
        asked = {field: own.get(field, choice) for field, choice in choices.items()}
        veiled = private and seat != turn
        tag = str(kind.__struct_config__.tag)
        return (Prompt(prompt=f"{tag}.{turn}", seat=turn, do=tag, choices={} if veiled else asked, veiled=veiled),)

    def _hand(self, state: State, seat: int) -> tuple[str, ...]:
        hand = list(HANDS[seat])
        for action in state.actions:
            if isinstance(action, Discard) and action.seat == seat:
                for card in action.cards:
                    hand.remove(card)
        return tuple(hand)

    def view(self, state: State, seat: int | None) -> View:
        mine = [self._hand(state, one) if one == seat else None for one in range(2)]
        answers = [sum(action.seat == one for action in state.actions) for one in range(2)]
        players = tuple(map(PlayerView, state.names, answers, mine))
        last = msgspec.structs.asdict(state.actions[-1]) if state.actions else {}
        public = {field: value for field, value in last.items() if field not in ("card", "cards")}
        return View(len(state.actions), players, public, self.expects(state, seat))

    def outcome(self, state: State) -> Outcome | None:
        return Outcome((1,), "all_answered") if len(state.actions) == 2 * len(QUESTIONS) else None


assert {kind for kind, _ in QUESTIONS} == set(get_args(Odds.action_type))
GAME = Game(rules=Odds(), folder=Path(__file__).parent, rule_prefix="OE")
