"""What the rules do while a game waits in one stage, said once: what is asked, what is refused, what each action does.

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
    """Says what is due and from whom: the rejection of every action that the stage does not take."""
    prompts: Callable[[StateT, int | None], Iterable[Prompt]] = lambda state, viewer: ()
    """The open prompts as the viewer at a seat (None: everybody) may see them."""
    does: Mapping[type[Action], Callable[[BuilderT, Any], Rejection | None]] = {}
    """What each action does that the stage takes. A returned rejection says what is wrong with the action itself."""
    asked: Callable[[StateT], Collection[int | None]] | None = None
    """The seats that the stage waits for. None: everybody, or nobody in particular."""
    left: Callable[[BuilderT, int], None] = _nothing
    """Goes on after a player left at this stage."""

    def take(self, builder: BuilderT, action: Action) -> Rejection | None:
        """Do `action`. Return why not where the stage does not take it, or not from that seat."""
        does = self.does.get(type(action))
        if does is None or not self._asks(builder.state, action):
            return self.due(builder.state)
        return does(builder, action)

    def _asks(self, state: StateT, action: Action) -> bool:
        seat = getattr(action, "seat", None)
        return self.asked is None or seat is None or seat in self.asked(state)
