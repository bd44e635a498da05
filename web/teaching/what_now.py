"""The one sentence that every screen shows at every moment: what to do now, who does it, and where.

It depends on the open prompts, on what the sensors wait for, and on which seats play on phones. This module knows no
game. A game may have its own words for a place and a deed (`now.tray.roll`); otherwise general words are used.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import msgspec

from appliance.games.protocol import Area, Prompt, Remark
from appliance.snapshot import Snapshot
from hardware.readings import Device
from web.words.asks import Ask
from web.words.speech import Speech
from web.words.viewer import Viewer

WATCHED_BY: tuple[tuple[Area, frozenset[Device]], ...] = (
    ("pan", frozenset({"scale"})),
    ("tray", frozenset({"camera"})),
    ("track", frozenset({"camera", "beams"})),
)
"""The areas that sensors watch. One of the devices of an area is enough."""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of the sentence besides the snapshot.

    `asks`: what the viewer's page offers. `prompts`: the open prompts in the public view. `asleep`: the seats whose
    phones are not connected. `plays_me`: who plays the viewer's seat, if there are robots.
    """

    say: Speech
    viewer: Viewer
    prompts: Sequence[Prompt]
    asks: Sequence[Ask]
    senses: Sequence[Device]
    phones: Set[int]
    robots: Set[int]
    asleep: Set[int] = frozenset()
    plays_me: str | None = None
    over: bool = False


def spoken_remark(snapshot: Snapshot, say: Speech) -> Remark | None:
    """Return the remark that serves as the sentence; None if none does.

    Such a remark addresses one seat, or the game has words for it as an instruction (`now.<code>`).
    """
    if snapshot.pending is not None or snapshot.practice:
        return None
    if (asking := next((one for one in snapshot.remarks.values() if f"now.{one.code}" in say.words), None)) is not None:
        return asking
    if snapshot.question is not None:
        return None
    return next((one for one in snapshot.remarks.values() if isinstance(one.values.get("seat"), int)), None)


def what_now(snapshot: Snapshot, around: Around) -> str:
    """Return the sentence for a viewer. It is never empty while a game is open."""
    say, here = around.say, ".here" if around.viewer.kind == "kiosk" else ""
    if around.over:
        return say(f"now.over{here}")
    if snapshot.paused:
        return say(f"now.paused{here}")
    if snapshot.practice:
        return say("now.practice")
    remark = spoken_remark(snapshot, say)
    if snapshot.question is not None and remark is None:
        return say(f"now.question{here}")
    due = [one for one in around.prompts if not one.optional]
    if snapshot.pending is not None and all(one.chance != "must" for one in due):
        return say(f"now.pending{here}")
    if remark is not None:
        own = f"now.{remark.code}"
        return say(own if own in say.words else f"remark.{remark.code}", remark.values)
    if not due:
        return say("now.nobody")
    if any(one.chance == "must" for one in due):
        return say("now.draws")
    # Among alternatives (it happens on the table, or its player declines), prefer the one on the table.
    fact = next((one for one in due if one.by == "table" and one.prompt == due[0].prompt), None)
    if fact is None and _sensed(snapshot, around) is not None:
        fact = due[0]
    return _by_people(snapshot, around, due) if fact is None else _at_the_table(snapshot, around, fact)


def _sensed(snapshot: Snapshot, around: Around) -> Area | None:
    """Return the area where a working sensor waits for something, or None."""
    places = (area for area, senses in WATCHED_BY if not senses.isdisjoint(around.senses))
    return next((area for area in places if area in snapshot.attention), None)


def _at_the_table(snapshot: Snapshot, around: Around, prompt: Prompt) -> str:
    """Return the sentence for something that happens on the table: sensors wait for it, or people tap it."""
    say, values = around.say, {} if prompt.seat is None else {"seat": prompt.seat}
    whose = "" if values else ".table"
    if (area := _sensed(snapshot, around)) is not None:
        quiet = ".quiet" if snapshot.quiet else ""
        told = _say(say, f"now.{area}.{prompt.do}{quiet}", f"now.{area}{quiet or whose}", values)
        return f"{told} {say('now.or_tap')}" if around.viewer.kind == "kiosk" and not quiet else told
    for name in snapshot.timers:
        own = f"now.timer.{prompt.do}"
        return say(own, values) if own in say.words else say("now.timer", values | {"timer": say(f"timer.{name}")})
    if around.viewer.kind == "kiosk":
        return _say(say, f"now.{prompt.do}", f"now.{'chance' if prompt.chance == 'may' else 'tap'}{whose}.here", values)
    draws = prompt.chance == "may" and around.viewer.seat in (None, prompt.seat)
    return _say(say, f"now.{prompt.do}", f"now.{'chance' if draws else 'tap'}{whose}", values)


def _by_people(snapshot: Snapshot, around: Around, due: Sequence[Prompt]) -> str:
    """Return the sentence that says who chooses, and where. Robots are named only if no person has to choose."""
    say, viewer = around.say, around.viewer
    seats = list(dict.fromkeys(one.seat for one in due if one.seat is not None))
    if viewer.seat is not None and viewer.seat in seats:
        if around.plays_me == "robot":
            return say("now.you.robot")
        offered = any(ask.seat == viewer.seat and ask.controls for ask in around.asks if not ask.optional)
        return say("now.you" if offered else "now.you.table")
    if not seats:
        return say("now.tap.table.here" if viewer.kind == "kiosk" else "now.tap.table")
    people = [seat for seat in seats if seat not in around.robots]
    if not people:
        return _named(say, "now.robot", seats)
    if snapshot.quiet and (asleep := [seat for seat in people if seat in around.asleep]):
        return _named(say, "now.asleep", asleep)
    on_phones = [seat for seat in people if seat in around.phones]
    if on_phones == people:
        return _named(say, "now.phone", people)
    if on_phones:
        return say("now.several", seats=people)
    return _named(say, "now.here" if viewer.kind == "kiosk" else "now.touchscreen", people)


def _named(say: Speech, code: str, seats: Sequence[int]) -> str:
    return say(code, seat=seats[0]) if len(seats) == 1 else say(f"{code}.all", seats=list(seats))


def _say(say: Speech, own: str, general: str, values: dict[str, Any]) -> str:
    return say(own if own in say.words else general, values)
