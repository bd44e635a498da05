"""Renders the regions of a page from one snapshot and one viewer. It knows no game; games may bring their own pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jinja2
import msgspec

from appliance.snapshot import Snapshot
from web.doors.phones import Phones, Seat
from web.doors.seats import SeatKeys, seating_of
from web.pages import general
from web.pages.game_pages import is_played, pages_of, template_of
from web.pages.page_values import PageValues
from web.pages.quick_templates import drawn
from web.site import HostStore
from web.teaching.lessons import lesson_for, since_they_came
from web.teaching.what_now import Around, what_now
from web.words.speech import Speech
from web.words.viewer import Kind, Viewer

_encode = msgspec.msgpack.Encoder().encode
LOBBY_REGIONS: dict[Kind, tuple[str, ...]] = {"wall": ("lobby",), "kiosk": ("lobby",), "seat": ("lobby",)}


DRAWN_FROM: Mapping[str, tuple[str, ...]] = {
    "head": ("view", "hardware", "senses"),
    "scene": ("view", "picture", "names", "called", "robots"),
    "players": ("view", "picture", "names", "called", "robots"),
}
"""By region of the shared screens: the values, besides `say`, that games' own templates draw it from. Their view lacks
the prompts (`expects`). The HTML is used again for as long as these values stay the same."""


class _Drawing(NamedTuple):
    """The last HTML of a region, and the encoded values that its template was given."""

    source: bytes
    html: str


_AGAIN = '<i data-replays="{}" data-watched="{}" data-decided="{}"></i>'
"""The region that tells a page's script which rolls can be replayed, which one the touchscreen shows, and for which
ones the question whether to keep them is already asked or answered."""
_NEWEST = '<i data-newest="{}" hidden></i>'
"""Beside a page's moments: the newest line of the log, by which the page's script knows that the game goes on."""
FAULTS = "faults"
"""The region of every page that reports faults of the table's devices. It is empty if there are none."""

PAUSED = "paused"
"""The region of every page that covers everything else while the game is paused. It is empty otherwise."""

NOW = "now"
"""The region of every page that says what to do now, while a game is open."""

REST = "rest"
"""The region of wall and touchscreen that says when they may go dark (`dark.js`)."""


def shape_of(snapshot: Snapshot) -> str:
    """Return what a page is drawn as, and the folder of its templates: the open game's name, or "lobby"."""
    return snapshot.game or "lobby"


class PageRenderer:
    """Renders regions from the values that `PageValues` collects."""

    def __init__(
        self,
        environment: jinja2.Environment,
        values: PageValues,
        host: HostStore,
        keys: SeatKeys,
        phones: Phones,
        release: str,
    ) -> None:
        self._environment = environment
        self._values = values
        self._host = host
        self._keys = keys
        self._phones = phones
        self._release = release
        self._templates: dict[tuple[str, Kind, str], jinja2.Template] = {}
        self._drawn: dict[tuple[str, str], _Drawing] = {}

    def regions(self, snapshot: Snapshot, viewer: Viewer) -> dict[str, str]:
        """Return the HTML of each region of a page."""
        values = self._given(snapshot, viewer)
        names = LOBBY_REGIONS if snapshot.game is None else (pages_of(snapshot.game) or general).REGIONS
        regions = {FAULTS: self.faults(snapshot, viewer), NOW: self._now(values, viewer)} | {
            name: self._region(shape_of(snapshot), name, viewer, values) for name in names[viewer.kind]
        }
        if "moments" in regions and snapshot.log:
            regions["moments"] += _NEWEST.format(snapshot.log[-1].seq)
        regions[PAUSED] = self._part("paused.html", values) if snapshot.paused else ""
        if viewer.kind != "seat":
            regions[REST] = self._rest(snapshot)
        if values.get("replays"):
            numbers = " ".join(str(one.number) for one in snapshot.replays)
            decided = "" if viewer.kind == "wall" else " ".join(map(str, values["keeping"].decided))
            regions["again"] = _AGAIN.format(numbers, snapshot.watched or "", decided)
        if viewer.kind != "wall" and snapshot.game is not None:
            at_the_door = values["askers"] or snapshot.asked or values["keeping"].asked
            regions["door"] = self._part("door.html", values) if at_the_door else ""
        if viewer.kind == "seat" and snapshot.game is not None:
            regions["after"] = self._part("to_after.html", values)
        return regions

    def now(self, snapshot: Snapshot, viewer: Viewer) -> str:
        """Return the HTML that says what to do now; empty in the lobby, whose page says it itself."""
        return self._now(self._given(snapshot, viewer), viewer)

    def _given(self, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
        """Return all that the templates of a page are given: the environment's globals and the values."""
        return {**self._environment.globals, **self._values.of(snapshot, viewer)}

    def _part(self, name: str, values: dict[str, Any]) -> str:
        return drawn(self._environment.get_template(name), values)

    def _now(self, values: dict[str, Any], viewer: Viewer) -> str:
        if "view" not in values:
            return ""
        snapshot, phones, say = values["snapshot"], values["on_phones"], values["say"]
        prompts = values["public_prompts"]
        around = Around(
            say=say,
            viewer=viewer,
            prompts=prompts,
            asks=values["asks"],
            senses=values["senses"],
            phones=phones,
            robots=values["robots"],
            asleep=values["asleep"],
            plays_me=values["plays_me"],
            over=values["outcome"] is not None,
        )
        new = frozenset() if around.over or snapshot.practice or snapshot.paused else values["newcomers"]
        agreed = getattr(values["view"], "options", None)
        options = msgspec.structs.asdict(agreed) if isinstance(agreed, msgspec.Struct) else {}
        deeds = since_they_came(values["deeds_before"], viewer, snapshot.deeds)
        lesson = lesson_for(viewer, prompts, deeds, new, phones, say, options) if new else None
        now = what_now(snapshot, around)
        return self._part("now.html", {**values, "now": now, "lesson": lesson})

    def _rest(self, snapshot: Snapshot) -> str:
        """Return the element that tells a screen in which hours it may go dark; empty while a game is played."""
        host = self._host.choices
        if is_played(snapshot) or host.dark_from_h == host.dark_until_h:
            return ""
        return f'<i hidden data-dark-from-h="{host.dark_from_h}" data-dark-until-h="{host.dark_until_h}"></i>'

    def faults(self, snapshot: Snapshot, viewer: Viewer) -> str:
        """Return the HTML that reports faults of the devices; empty if there are none."""
        if not snapshot.faults:
            return ""
        say = Speech(viewer.language, snapshot.game, (), viewer.seat)
        values = {"say": say, "viewer": viewer, "snapshot": snapshot}
        return self._environment.get_template("faults.html").render(values).strip()

    def page_of(self, snapshot: Snapshot, viewer: Viewer) -> str:
        """Return an id of what a page belongs to. When it changes, the page reloads: after an upgrade, with another
        game, when what only a whole page is told changes (language, dimming, quiet hours, time zone), or when the seat
        of a phone's page was given back. The phone's page then says so."""
        host = self._host.choices
        told = f"{host.language}-{host.dim_after_s}-{host.quiet_from_h}-{host.quiet_until_h}"
        zone = self._values.beside.time_zone()
        page_of = f"{shape_of(snapshot)}.{snapshot.game_id}.{told}.{zone}.{self._release}"
        if viewer.seat is None:
            return page_of
        return f"{page_of}.{self._phones.times_let_go(Seat(seating_of(snapshot), viewer.seat))}"

    def _region(self, shape: str, name: str, viewer: Viewer, values: dict[str, Any]) -> str:
        template = self._template(shape, viewer.kind, name)
        found = str(template.name)
        if name not in DRAWN_FROM or viewer.seat is not None or not found.startswith(f"{shape}/"):
            return drawn(template, values)
        view = values["view"]
        # The names of prompts change with every action but are not drawn.
        view = msgspec.structs.replace(view, expects=()) if hasattr(view, "expects") else view
        given = {key: values[key] for key in DRAWN_FROM[name]} | {"view": view}
        # `say` depends only on the language, which is in the cache key, and on the names.
        source = _encode([list(given.values()), values["names"]])
        known = self._drawn.get((found, viewer.language))
        if known is None or known.source != source:
            viewer_too = {} if found == f"{shape}/{name}.html" else {"viewer": viewer}
            known = self._drawn[found, viewer.language] = _Drawing(
                source, template.render(given, say=values["say"], **viewer_too)
            )
        return known.html

    def _template(self, shape: str, kind: Kind, name: str) -> jinja2.Template:
        """Return a region's template: the game's for this kind of page, else for all kinds, else the general one."""
        where = shape, kind, name
        if where not in self._templates:
            own, general_one = template_of(shape, f"{kind}/{name}.html")
            self._templates[where] = self._environment.select_template([own, f"{shape}/{name}.html", general_one])
        return self._templates[where]

    def codes_on_wall(self, snapshot: Snapshot, language: str) -> frozenset[int]:
        """Return the seats whose join codes the wall shows now."""
        if snapshot.setup is None:
            return frozenset()
        identity = seating_of(snapshot)
        wall = "".join(self.regions(snapshot, Viewer("wall", None, language)).values())
        seats = range(len(snapshot.setup.players))
        return frozenset(seat for seat in seats if self._keys.join_code_svg(Seat(identity, seat)) in wall)
