"""The general pages, for games without pages of their own. They are generated from the game's view alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from appliance.games.protocol import Rules
from web.words.speech import Speech

REGIONS: Mapping[str, tuple[str, ...]] = {
    "wall": ("head", "scene", "ask", "players", "log"),
    "kiosk": ("head", "scene", "ask", "players"),
    "seat": ("page",),
}
FOLDER = "general"
"""The folder of their templates."""
_ASKED = "expects"
"""The field of a view that contains the prompts. It is left out here, because pages draw prompts as buttons."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a view: its label, and a text or further facts."""

    label: str
    text: str = ""
    facts: tuple[Fact, ...] = ()


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One line in which two views differ."""

    label: str
    before: str
    after: str


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A view in readable form. `facts` and `players` (the facts of each seat) are public; `own` is for the viewer."""

    facts: tuple[Fact, ...]
    players: tuple[tuple[Fact, ...], ...]
    own: tuple[Fact, ...]


def picture(rules: Rules, state: Any, seat: int | None, say: Speech) -> Picture:
    """Return what templates draw for the viewer at `seat`.

    A list of structs with one element per seat contains facts about the players, whatever its name. Everything in
    which the seat's view differs from the public view is the viewer's own.
    """
    public = _read(rules.view(state, None))
    players: list[tuple[Fact, ...]] = [() for _ in say.names]
    table = {}
    for key, value in public.items():
        if _one_for_each(value, len(players)):
            players = [(*facts, *_facts(one, say)) for facts, one in zip(players, value, strict=True)]
        else:
            table[key] = value
    apart = {} if seat is None else _difference(_read(rules.view(state, seat)), public)
    own = (_facts(one, say) for key, value in apart.items() for one in (value if key not in table else [{key: value}]))
    return Picture(
        facts=tuple(_facts(table, say)),
        players=tuple(players),
        own=tuple(fact for facts in own for fact in facts),
    )


def changes_of(before: Any, after: Any, say: Speech) -> list[Change]:
    """Return the lines in which two public views differ, for the table that shows a correction's effect."""
    was, now = (dict(_lines("", _facts(_read(view), say))) for view in (before, after))
    labels = [*was, *(label for label in now if label not in was)]
    lines = (Change(label=label, before=was.get(label, "–"), after=now.get(label, "–")) for label in labels)
    return [line for line in lines if line.before != line.after]


def has_own(rules: Rules, state: Any, seat: int) -> bool:
    """Return whether there is anything that only `seat` may see now: values of its view, or choices."""
    public, own = rules.view(state, None), rules.view(state, seat)
    mine = [[p for p in rules.expects(state, viewer) if p.seat == seat] for viewer in (None, seat)]
    return mine[0] != mine[1] or bool(_difference(_read(own), _read(public)))


def _read(view: Any) -> dict[str, Any]:
    given: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view))
    return {key: value for key, value in given.items() if key != _ASKED}


def _one_for_each(value: Any, seats: int) -> bool:
    return isinstance(value, list) and len(value) == seats and all(isinstance(one, dict) for one in value)


def _difference(own: Any, public: Any) -> Any:
    """Return the parts of `own` that differ from `public`. No difference gives an empty list or mapping."""
    if isinstance(own, dict) and isinstance(public, dict):
        apart = {key: value for key, value in own.items() if key not in public or value != public[key]}
        return {key: _difference(value, public.get(key)) for key, value in apart.items()}
    if isinstance(own, list) and isinstance(public, list) and len(own) == len(public):
        pairs = zip(own, public, strict=True)
        return [_difference(one, other) for one, other in pairs if one != other]
    return own


def _facts(values: Mapping[str, Any], say: Speech) -> Iterator[Fact]:
    """Yield the facts of a struct, without None and without players' names, which every page shows elsewhere."""
    for key, value in values.items():
        if value is None or (key == "name" and value in say.names):
            continue
        if isinstance(value, dict) and value:
            yield Fact(label=say.label(key), facts=tuple(_facts(value, say)))
        elif isinstance(value, list) and value and all(isinstance(one, dict | list) for one in value):
            nested = (tuple(_facts(one, say)) if isinstance(one, dict) else (_line(key, one, say),) for one in value)
            yield Fact(label=say.label(key), facts=tuple(fact for facts in nested for fact in facts))
        else:
            yield _line(key, value, say)


def _line(key: str, value: Any, say: Speech) -> Fact:
    return Fact(label=say.label(key), text=say.value(key, value))


def _lines(head: str, facts: Iterable[Fact]) -> Iterator[tuple[str, str]]:
    """Yield nested facts as a flat list. The parents' labels become part of the label; repeated labels are numbered."""
    seen: dict[str, int] = {}
    for fact in facts:
        seen[fact.label] = seen.get(fact.label, 0) + 1
        label = f"{head}{fact.label}" + (f" {seen[fact.label]}" if seen[fact.label] > 1 else "")
        if fact.facts:
            yield from _lines(f"{label} · ", fact.facts)
        else:
            yield label, fact.text
