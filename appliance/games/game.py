"""The declaration of a game: one frozen description. Its parts are imported on first use.

Each game exposes one `GAME` in `appliance/games/<name>/game.py`. docs/adding-a-game.md explains it step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from appliance.games.base.no_sensors import NoSensors
from appliance.games.protocol import (
    Action,
    Happening,
    IsPublic,
    Player,
    Prompt,
    Referee,
    Rejection,
    Remark,
    Rules,
    Setup,
    Timing,
)
from appliance.games.table_data import OwnFile
from hardware.panel import Melody
from hardware.readings import Device


class Robot(Protocol):
    """One seat's automatic player."""

    def choose(self, view: Any, prompts: tuple[Prompt, ...], /) -> tuple[Prompt, Action] | None:
        """Return an action and the prompt that it answers; None when there is nothing to decide."""
        ...


class Robots(Protocol):
    """The automatic players of a game."""

    @property
    def SKILLS(self) -> Mapping[str, Any]:
        """The levels of skill by name, weakest first."""
        ...

    def demo_options(self) -> dict[str, Any]:
        """Return the options of the games that robots open by themselves."""
        ...

    def Robot(self, seat: int, skill: str, seed: int) -> Robot:
        """Return a player for `seat`."""
        ...


class PanelCues(Protocol):
    """Lights and tunes of a game on the panel."""

    def lit_lane(self, view: Any) -> int | None:
        """Return the lane to light, from everybody's view; None for none."""
        ...

    def melody(self, happened: Iterable[Happening]) -> Melody | None:
        """Return the tune for what happened, or None."""
        ...


class Pages(Protocol):
    """The game's own pages. A game without them uses the frame's generic pages."""

    @property
    def FOLDER(self) -> Path:
        """Holds `templates/<name>/` and `static/`."""
        ...

    @property
    def REGIONS(self) -> Mapping[Any, tuple[str, ...]]:
        """The regions of each kind of page (wall, kiosk, seat): templates `<name>/<kind>/<region>.html`, or
        `<name>/<region>.html` where all kinds show the same. `web.pages.render.DRAWN_FROM` says what some may show.
        """
        ...

    def picture(self, view: Any, seat: int | None) -> Any:
        """Return what the templates draw, from the view of one viewer."""
        ...


class TableData(Protocol):
    """Reads files with the values that are printed on an owner's own copy of the game (AP-9)."""

    @property
    def KEYS(self) -> frozenset[str]:
        """Top-level names that occur only in this game's files."""
        ...

    @property
    def EXAMPLE(self) -> Path:
        """A file to start from."""
        ...

    def read_own(self, given: dict[str, Any], name: str) -> OwnFile | tuple[Rejection, ...]:
        """Return the options that a file gives a set-up, or all its errors."""
        ...


Anonymise = Callable[[Rules, Setup, Sequence[Action]], tuple[Action, ...] | None]
"""Returns actions that fold to the same public game, with every secret replaced (DESIGN §4); None when none are found.

:raises ValueError: the actions do not fold.
"""
PostMortem = Callable[[Setup, Sequence[Action]], Any]
"""Returns the secrets of a finished game, from its set-up and effective actions (AP-4).

:raises ValueError: the actions do not fold.
"""
Hands = Callable[..., Any]
"""Makes simulated hands for the demo (`appliance.composition.demo.demo.Players`).

It is called with the simulation, the players, a robot for each seat, and two functions that submit an action and press
a button of the table.
"""


class Mistake(NamedTuple):
    """An action that may have been recorded wrongly, and the action that may have been meant.

    `deed` is the recorded action; `instead` is the other one, or None when nobody acted. Both hold public fields, with
    the tag under "do". `before` is the public view before the recorded action. `votes` holds what each sensor read for
    it. `remarks` holds the current remarks by topic.
    """

    deed: Mapping[str, Any]
    instead: Mapping[str, Any] | None
    before: Mapping[str, Any]
    votes: Mapping[str, str]
    remarks: Mapping[str, Remark]


@dataclass(frozen=True, kw_only=True)
class Game:
    """The parts of one game. Every part but the rules is a function that imports it when called."""

    rules: Rules
    folder: Path
    """The game's folder. Its subfolder `words/` holds the word catalogues."""
    rule_prefix: str
    """The prefix of its rule ids: `CU` for CU-1, CU-2 … The text of a rule is `rule.CU-1` in the words."""
    referee: Callable[[Setup, Timing], Referee] = lambda setup, timing: NoSensors()
    """Makes the referee for a valid set-up."""
    robots: Callable[[], Robots] | None = None
    hands: Callable[[], Hands] | None = None
    """Makes the simulated hands for the demo; None: robots only submit actions."""
    devices: Callable[[Setup], frozenset[Device]] = lambda setup: frozenset()
    """Returns the devices whose readings its referee uses. Screens show a message when one of them fails."""
    wishes: frozenset[str] = frozenset()
    """The commands of its referee that any player may give on a phone. The others work only on the touchscreen."""
    replay_scope: Callable[[Any], int | None] = lambda state: None
    """Returns a key, such as the round number: replays of rolls are kept while it stays the same. None: none are."""
    mistaken: Callable[[Mistake], float] | None = None
    """Returns how likely a mistake is, as a weight from 0. Corrections are offered likeliest first. None: no offers."""
    is_public: Callable[[Setup], IsPublic | None] = lambda setup: None
    """Returns which actions tell nothing hidden (AP-3); None: all. What a correction would change is shown only up to
    the first other action."""
    panel: Callable[[], PanelCues] | None = None
    pages: Callable[[], Pages] | None = None
    table_data: Callable[[], TableData] | None = None
    anonymise: Callable[[], Anonymise] | None = None
    """None: a game with secret fields is exported only with everyone's consent."""
    post_mortem: Callable[[], PostMortem] | None = None
    """The secrets of a finished game, for players who all agreed to see them. The template is `post_mortem.html`."""
    word_families: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Maps the key of a value in happenings, rejections and views to the family of its catalogue entries
    (`{"kind": "fruit"}`: `kind="plum"` has the entry `fruit.plum`). A list has the plural of the key."""
    demo_players: Callable[[Sequence[str]], tuple[Player, ...]] = lambda names: tuple(Player(name=n) for n in names)
    """Makes players from their names, for robots and guest lists. Each game chooses what its players bring."""
    untyped_name: Callable[[Player], str] = lambda player: ""
    """Returns the code of the word that its set-up page gives a player who typed no name; "": "Player 2" and so on."""

    @property
    def name(self) -> str:
        """The name that set-ups give."""
        return self.rules.name

    @property
    def word_folders(self) -> tuple[Path, ...]:
        """The folders of its catalogues: the words of its rules, then the words of its own pages."""
        return (self.folder / "words", self.folder / "pages" / "words")
