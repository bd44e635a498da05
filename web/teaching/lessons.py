"""Lessons of the first round: one sentence and one drawing for an open prompt, for seats that said they are new.

They depend only on the open prompts and on the deeds done so far. A game has words (`teach.<do>`, and
`teach.<do>.you` for the phone of whoever is asked) and drawings (`drawing.html`) for its deeds. Without such words the
lesson explains how the prompt is answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from appliance.games.game_words import words_of
from appliance.games.protocol import Prompt
from appliance.words.catalogues import Words
from web.words.speech import Speech
from web.words.viewer import Viewer

FIRST_ROUND = 3
"""After choosing one answer of a prompt so often, a player gets no lesson on its other answers."""

Deeds = Mapping[tuple[str, int | None], int]
"""How often each deed was done, by deed and seat (None: the table did it)."""


def since_they_came(before: Mapping[int, Deeds], viewer: Viewer, deeds: Deeds) -> Deeds:
    """Return the deeds that may have taught `viewer` something: what a seat's robot did before has taught nobody.

    :param before: by seat that said it is new, the deeds of this game until then.
    """
    if not before:
        return deeds
    if viewer.seat is not None:
        counted = {key: done - before.get(viewer.seat, {}).get(key, 0) for key, done in deeds.items()}
    else:
        latest = {key: max(one.get(key, 0) for one in before.values()) for key in deeds}
        until = {key: latest if key[1] is None else before.get(key[1], latest) for key in deeds}
        counted = {key: done - until[key].get(key, 0) for key, done in deeds.items()}
    return {key: done for key, done in counted.items() if done > 0}


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson: the sentence, the deed that is drawn, and the seat it is for (None: spectators)."""

    text: str
    do: str
    seat: int | None


def lesson_for(
    viewer: Viewer,
    prompts: Sequence[Prompt],
    deeds: Deeds,
    new: Set[int],
    phones: Set[int],
    say: Speech,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Lesson | None:
    """Return the lesson that the page of `viewer` shows now, or None.

    A phone shows lessons for its own seat, the touchscreen for the seats without a phone, the wall for all seats.

    :param prompts: the open prompts in the public view.
    :param new: the seats that said they are new.
    :param phones: the seats that phones play.
    :param options: what the players agreed on, which a lesson may name.
    """
    due = [one for one in prompts if not one.optional and one.chance != "must"]
    learners = set(new)
    if viewer.seat is not None:
        learners &= {viewer.seat}
    elif viewer.kind == "kiosk":
        learners -= phones
    if not due or not learners:
        return None
    own = [one for one in due if one.seat in learners]
    for prompt in own:
        others = [one.do for one in own if (one.prompt, one.seat) == (prompt.prompt, prompt.seat)]
        chosen = max(deeds.get((do, prompt.seat), 0) for do in others)
        done = deeds.get((prompt.do, prompt.seat), 0) or chosen >= FIRST_ROUND
        if not done and (lesson := _of(prompt, prompt.seat, say, options)) is not None:
            return lesson
    if own and viewer.seat is not None:
        return None
    if viewer.seat is None and all(one.seat is not None for one in due):
        return None
    for prompt in due:
        done = prompt.seat in learners or any(do == prompt.do for do, _ in deeds)
        if not done and (lesson := _of(prompt, viewer.seat, say, options)) is not None:
            return lesson
    return None


@cache
def _explains_itself(words: Words) -> bool:
    return any(code.startswith("teach.") and code not in words_of(words.language, None) for code in words.codes())


def _of(prompt: Prompt, seat: int | None, say: Speech, options: Mapping[str, Any]) -> Lesson | None:
    """Return the lesson on what `prompt` asks."""
    own = f"teach.{prompt.do}"
    if own not in say.words and _explains_itself(say.words):
        # A game with lessons of its own has one for each deed that needs it.
        return None
    how: Literal["table", "veiled", "choice"] = (
        "table" if prompt.by == "table" else "veiled" if prompt.veiled else "choice"
    )
    values = {**options, "seat": prompt.seat}
    return Lesson(text=say(own if own in say.words else f"teach.by.{how}", values), do=prompt.do, seat=seat)
