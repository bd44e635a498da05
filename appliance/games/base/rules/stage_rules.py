"""The rules of one stage of a game: its prompts, its rejections, and a handler for each action.

Each game lists its stages in `rules/stages.py`. `rules/phases/` holds their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from appliance.games.protocol import Action, Prompt, Rejection

StateT = TypeVar("StateT", bound=Any)
BuilderT = TypeVar("BuilderT", bound=Any)


def _nothing(*_: Any) -> None:
    return None


class StageRules(msgspec.Struct, Generic[StateT, BuilderT], frozen=True, kw_only=True):
    """The rules of one stage. Its functions are called only while it is open."""

    due: Callable[[StateT], Rejection]
    """Returns the rejection of every action that the stage does not accept. It says what is due and from whom."""
    prompts: Callable[[StateT, int | None], Iterable[Prompt]] = lambda state, viewer: ()
    """Returns the open prompts as the viewer at a seat (None: everybody) may see them."""
    does: Mapping[type[Action], Callable[[BuilderT, Any], Rejection | None]] = {}
    """The handler of each action that the stage accepts. It returns a rejection if the action itself is invalid."""
    asked: Callable[[StateT], Collection[int | None]] | None = None
    """Returns the seats that the stage waits for. None: any seat may act."""
    left: Callable[[BuilderT, int], None] = _nothing
    """Called after a player left during this stage, to continue the game."""

    def take(self, builder: BuilderT, action: Action) -> Rejection | None:
        """Do `action`. Return a rejection if the stage does not accept it, or not from that seat."""
        does = self.does.get(type(action))
        if does is None or not self._asks(builder.state, action):
            return self.due(builder.state)
        return does(builder, action)

    def _asks(self, state: StateT, action: Action) -> bool:
        seat = getattr(action, "seat", None)
        return self.asked is None or seat is None or seat in self.asked(state)
