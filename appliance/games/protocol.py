"""The protocol that every game implements (DESIGN §4).

The rules of a game are pure: no clock, no randomness, no input or output. Results of chance arrive in actions. A
person's mistake is a `Rejection` value with a stable code; an exception is a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from hardware.readings import Reading

Json = Any
"""A value that JSON can hold."""


class Action(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """Base of all actions of players and of chance. Tag names are imperative (`roll`, `inspect`)."""


def tag_of(action: Action) -> str:
    """Return the action's tag, the value of its `do`."""
    return str(type(action).__struct_config__.tag)


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One player at set-up. `putty` is the name of the colour of their putty, in games with putty."""

    name: str
    putty: str | None = None


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The first line of a transcript. `options` is decoded by the game into its own options struct.

    `rules` is the rules revision that recorded it. `stand_in_masses`: the masses are not the real ones (DESIGN §4).
    """

    format: Literal[1]
    game: str
    players: tuple[Player, ...]
    oldest: int = 0
    options: dict[str, Json] = {}
    rules: int = 1
    stand_in_masses: bool = False


class Rejection(msgspec.Struct, frozen=True):
    """Why something was refused: a stable code, the rule id, and values for the sentence in the word catalogues."""

    code: str
    rule: str
    values: dict[str, Json] = {}


class Happening(msgspec.Struct, frozen=True):
    """What happened, to be announced: a code in the past tense (`sphere_passed`), values, and the rule that applied.

    `to` is the only seat that is told, or None for everyone. In `values`, the keys seat, target, source, winner
    hold seat numbers. `Game.word_families` declares which other values are words of the catalogue.
    """

    code: str
    values: dict[str, Json] = {}
    rule: str | None = None
    to: int | None = None


class OneOf(msgspec.Struct, frozen=True, tag="one_of", tag_field="choice"):
    """Exactly one of `values`."""

    values: tuple[Json, ...]


class ManyOf(msgspec.Struct, frozen=True, tag="many_of", tag_field="choice"):
    """A list of up to `at_most` of `values`, repeats allowed; may be empty when `at_least` is 0.

    `most_each`: how often each value may be chosen at most, in the order of `values`; empty means no limit.
    """

    values: tuple[Json, ...]
    at_most: int
    at_least: int = 0
    most_each: tuple[int, ...] = ()

    @property
    def most(self) -> dict[Json, int]:
        """How often each value may be chosen at most."""
        return dict(zip(self.values, self.most_each or (self.at_most,) * len(self.values), strict=True))


class SomeOf(msgspec.Struct, frozen=True, tag="some_of", tag_field="choice"):
    """`at_least` to `at_most` of `values`, each position at most once, in any order: for example cards of a hand.

    A value that occurs twice in `values` may be chosen twice. `but_not` lists illegal selections, each sorted.
    """

    values: tuple[Json, ...]
    at_least: int
    at_most: int
    but_not: tuple[tuple[Json, ...], ...] = ()


class Number(msgspec.Struct, frozen=True, tag="number", tag_field="choice"):
    """A number from `least` to `most`. `unit` is as in the field's name (`g`), empty for counts."""

    least: float
    most: float
    unit: str = ""
    whole: bool = False


class Text(msgspec.Struct, frozen=True, tag="text", tag_field="choice"):
    """A text that matches `pattern` (a seal, a salt)."""

    pattern: str


class AnyOrder(msgspec.Struct, frozen=True, tag="shuffle", tag_field="choice"):
    """An order of 0 … `count` − 1, each exactly once."""

    count: int


Choice = OneOf | ManyOf | SomeOf | Number | Text | AnyOrder


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer one open situation.

    `prompt` names the situation and stays the same while it is open. Several prompts with the same name are
    alternatives (attempt or decline; one entry for each source to take from), and answering any closes all.

    `seat` is the player who must act; None means the table. `choices` gives the legal values of each field of the
    action `do` other than `seat`. Every combination within one entry is legal.

    `optional`: it may be answered while it is open, but the game does not wait for it.

    `veiled`: only `seat` may see the choices. Others see that `seat` is asked, but not the possible answers. In the
    view of `seat` itself the prompt has the choices and is not veiled.

    `chance`: "must" – the appliance draws at once, fairly (AP-5); "may" – it draws when somebody asks for the
    electronic die; "no" – people choose.

    `by`: "seat" – the player at `seat` answers, on the phone or at the touchscreen; "table" – the answer is a fact of
    the table (a weight, a passage, a die, an expired time) and comes from sensors, the touchscreen or the host, never
    from a phone. A phone may still ask for a draw where `chance` is "may".
    """

    prompt: str
    seat: int | None
    do: str
    choices: Mapping[str, Choice] = {}
    optional: bool = False
    chance: Literal["no", "may", "must"] = "no"
    veiled: bool = False
    by: Literal["seat", "table"] = "seat"


IsPublic = Callable[[Any, str], bool]
"""Returns, for the state before an action and its tag, whether the action's result follows from what everybody sees. So
must the answer itself."""


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended: winning seats (several for a shared win, none when abandoned) and the name of the reason."""

    winners: tuple[int, ...]
    reason: str


StateT = TypeVar("StateT")


class Step(msgspec.Struct, Generic[StateT], frozen=True):
    """A successful `apply`: the new state, and what happened, in order."""

    state: StateT
    happened: tuple[Happening, ...] = ()


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """An action that the referee derived from sensors. The table submits it after `grace_s` unless somebody objects.

    `prompt` is the open situation it answers. `because` names the sensors it is based on ("camera", "beams", "scale").
    `votes` maps each sensor to a code of the game's words (`vote.<sensor>.<code>`) that tells people what it read.
    """

    action: Action
    prompt: str
    because: tuple[str, ...]
    grace_s: float
    votes: Mapping[str, str] = {}


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The sensors are unsure or disagree, so people decide (AP-7).

    People answer one of the open prompts. `code` is the reason why they are asked.

    `votes` is as in `Proposal`.
    """

    prompt: str
    code: str
    values: dict[str, Json] = {}
    votes: Mapping[str, str] = {}


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """A hint for people at the table that needs no answer ("lay it on lane 5").

    It replaces the previous remark of its `topic`. A `code` of "" removes the remark.
    """

    topic: str
    code: str
    values: dict[str, Json] = {}


class Timer(msgspec.Struct, frozen=True, kw_only=True):
    """A running timer for display: its name ("thinking_time"), its start and its end in monotonic seconds.

    A timer whose end equals its start removes the timer of that name.
    """

    name: str
    started_s: float
    ends_s: float


Advice = Proposal | Question | Remark | Timer

Area = Literal["track", "tray", "boss", "pan"]
"""A part of the table that the camera can watch."""


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Times of a referee in seconds: the grace of a clear proposal, and the fixed time that every weighing is shown."""

    grace_s: float = 2.0
    weighing_shown_s: float = 6.0


class Referee(Protocol):
    """Turns readings into advice for one open game. Single-threaded. The caller passes the time."""

    def sense(self, state: Any, reading: Reading) -> Sequence[Advice]:
        """Return the advice after one reading. `state` is the current state."""
        ...

    def tick(self, state: Any, now_s: float) -> Sequence[Advice]:
        """Return the advice that is due at `now_s`. Called at least five times a second."""
        ...

    def stepped(self, state: Any, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Return the advice after the game moved to `state` by `action` (None: by set-up, an amendment or undo)."""
        ...

    def command(self, state: Any, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """Handle a table button that is not an action, such as "turn_hourglass"."""
        ...

    def attention(self, state: Any) -> frozenset[Area]:
        """Return the parts of the table to watch now. The camera must not be used for any other part."""
        ...

    def resume(self, state: Any, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Resume after a restart, with the timers that were running. Their ends are already on the new clock."""
        ...


class Rules(Protocol):
    """The rules of a game: pure. Implementations are stateless objects (`appliance/games/<name>/rules`)."""

    name: str
    revision: int
    """Increases when the same actions lead to a different game. Set-ups record it."""
    seats: range
    action_type: Any
    """The union of this game's action structs, for msgspec."""
    options_type: Any
    """The struct of this game's options, every field with its default."""
    secret_fields: Mapping[str, frozenset[str]]
    """For each action tag, the fields that the journal seals and exports replace."""

    def set_up(self, setup: Setup) -> Step[Any] | Rejection:
        """Start a game."""
        ...

    def apply(self, state: Any, action: Action) -> Step[Any] | Rejection:
        """Do `action` in `state`."""
        ...

    def expects(self, state: Any, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts, as the viewer at `seat` (None: everyone) may see them."""
        ...

    def view(self, state: Any, seat: int | None) -> Any:
        """Return what the viewer at `seat` (None: everyone) may know, as a msgspec struct. Secrets end here."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """Return how the game ended, or None while it is open."""
        ...
