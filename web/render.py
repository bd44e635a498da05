"""Renders the regions of a page from one snapshot and one viewer. It knows no game; games may bring their own pages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.games.protocol import Remark, Setup
from appliance.snapshot import Snapshot
from appliance.words import LANGUAGES
from hardware.readings import SENSES, Device
from web import general
from web.asks import asks_of
from web.evening.kept_rolls import Keeping
from web.game_pages import has_hands, is_played, may_leave, pages_of, rules_of, template_of
from web.moments import recent
from web.phones import Phones, Seat
from web.seats import SeatKeys, seating_of
from web.site import HostStore, Site
from web.speech import Speech, speech_of
from web.teaching.lessons import Deeds, lesson_for, since_they_came
from web.teaching.what_now import Around, spoken_remark, what_now
from web.viewer import Kind, Viewer

_encode = msgspec.msgpack.Encoder().encode
ROWS_MOST = 4
"""Most rows of buttons that the general pages draw for a prompt. A larger prompt asks for one field after the other."""
LOBBY_REGIONS: dict[Kind, tuple[str, ...]] = {"wall": ("lobby",), "kiosk": ("lobby",), "seat": ("lobby",)}


FROM_THE_VIEW = ("scene", "players")
"""Regions of shared screens that games' own templates draw from `_VIEW_VALUES` alone. Their view lacks the prompts
(`expects`), so the HTML is reused for as long as the public view stays the same."""
_VIEW_VALUES = ("say", "view", "picture", "names", "called", "robots")


class _Drawing(NamedTuple):
    """The last HTML of a region, and the encoded values that its template was given."""

    source: bytes
    html: str


_AGAIN = '<i data-replays="{}" data-watched="{}" data-decided="{}"></i>'
"""The region that tells a page's script which rolls can be replayed, which one the touchscreen shows, and for which
ones the question whether to keep them is already asked or answered."""
FAULTS = "faults"
"""The region of every page that reports faults of the table's devices. It is empty if there are none."""

PAUSED = "paused"
"""The region of every page that covers everything else while the game is paused. It is empty otherwise."""

NOW = "now"
"""The region of every page that says what to do now, while a game is open."""

REST = "rest"
"""The region of wall and touchscreen that says when they may go dark (`dark.js`)."""


def _working(snapshot: Snapshot) -> list[Device]:
    return [one for one in SENSES if (said := snapshot.health.get(one)) is not None and said.status == "ok"]


def _again(setup: Setup) -> dict[str, Any]:
    """Return the fields of `POST /games` that open the same game for the same players again."""
    given = msgspec.to_builtins(setup)
    return {field: given[field] for field in ("game", "players", "oldest", "options") if field in given}


class PageRenderer:
    """Renders regions. The game's view removes everything secret before a template sees it."""

    def __init__(
        self,
        environment: jinja2.Environment,
        site: Site,
        host: HostStore,
        keys: SeatKeys,
        phones: Phones,
        hardware_name: str,
        live_picture: bool,
    ) -> None:
        self._environment = environment
        self._site = site
        self._host = host
        self._keys = keys
        self.phones = phones
        self._hardware_name = hardware_name
        self._live_picture = live_picture
        self.connected: Callable[[], frozenset[int]] | None = None
        """Returns the seats whose phones are connected now; None if this is not known."""
        self.newcomers: Callable[[str], frozenset[int]] = lambda seating: frozenset()
        """Returns the seats of a seating that said they are new."""
        self.deeds_before: Callable[[int | None], Mapping[int, Deeds]] = lambda game: {}
        """Returns, by seat that said it is new, what was done in that game until then."""
        self.plays: Callable[[int], str] | None = None
        """Returns who plays a seat, "person" or "robot"; None without robots."""
        self.without_erased: Callable[[Setup, int, str], Setup] = lambda setup, game, called: setup
        """Returns the set-up of a past game without the names that were erased."""
        self.tonight: Callable[[], bool] = lambda: False
        """Returns whether a league night is on."""
        self.keeping: Callable[[], Keeping] = Keeping
        """Returns which rolls are kept, and which somebody has asked to keep."""
        self.called_up: Callable[[int], tuple[str, ...]] = lambda newest: ()
        """Returns the guests who play the next game of the night, by the journal's newest entry; it must not wait."""
        self._templates: dict[tuple[str, Kind, str], jinja2.Template] = {}
        self._drawn: dict[tuple[str, str], _Drawing] = {}

    def regions(self, snapshot: Snapshot, viewer: Viewer) -> tuple[str, dict[str, str]]:
        """Return the page's shape and the HTML of each of its regions."""
        values = self.values(snapshot, viewer)
        if snapshot.game is None:
            shape, prefix, names = "lobby", "lobby", LOBBY_REGIONS[viewer.kind]
        else:
            shape = prefix = snapshot.game
            names = (pages_of(snapshot.game) or general).REGIONS[viewer.kind]
        regions = {FAULTS: self.faults(snapshot, viewer), NOW: self._now(values, viewer)} | {
            name: self._region(prefix, name, viewer, values) for name in names
        }
        regions[PAUSED] = self._environment.get_template("paused.html").render(values) if snapshot.paused else ""
        if viewer.kind != "seat":
            regions[REST] = self._rest(snapshot)
        if values.get("replays"):
            numbers = " ".join(str(one.number) for one in snapshot.replays)
            decided = "" if viewer.kind == "wall" else " ".join(map(str, values["keeping"].decided))
            regions["again"] = _AGAIN.format(numbers, snapshot.watched or "", decided)
        if viewer.kind != "wall" and snapshot.game is not None:
            at_the_door = values["askers"] or snapshot.asked or values["keeping"].asked
            regions["door"] = self._environment.get_template("door.html").render(values) if at_the_door else ""
        if viewer.kind == "seat" and snapshot.game is not None:
            regions["after"] = self._environment.get_template("to_after.html").render(values)
        return shape, regions

    def now(self, snapshot: Snapshot, viewer: Viewer) -> str:
        """Return the HTML that says what to do now; empty in the lobby, whose page says it itself."""
        return self._now(self.values(snapshot, viewer), viewer)

    def _now(self, values: dict[str, Any], viewer: Viewer) -> str:
        if "view" not in values:
            return ""
        snapshot, phones, say = values["snapshot"], values["on_phones"], values["say"]
        prompts = rules_of(snapshot.game).expects(snapshot.state, None)
        around = Around(
            say=say,
            viewer=viewer,
            prompts=prompts,
            asks=values["asks"],
            senses=values["senses"],
            phones=phones,
            robots=values["robots"],
            asleep=frozenset() if self.connected is None else phones - self.connected(),
            plays_me=values["plays_me"],
            over=values["outcome"] is not None,
        )
        new = frozenset() if around.over or snapshot.practice or snapshot.paused else values["newcomers"]
        agreed = getattr(values["view"], "options", None)
        options = msgspec.structs.asdict(agreed) if isinstance(agreed, msgspec.Struct) else {}
        deeds = since_they_came(self.deeds_before(snapshot.game_id), viewer, snapshot.deeds)
        lesson = lesson_for(viewer, prompts, deeds, new, phones, say, options) if new else None
        now = what_now(snapshot, around)
        return self._environment.get_template("now.html").render(values, now=now, lesson=lesson)

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
        """Return an id of what a page belongs to. When it changes, the page reloads: with another game, or when the
        seat of a phone's page was given back. The phone's page then says so."""
        if viewer.seat is None:
            return str(snapshot.game_id)
        return f"{snapshot.game_id}.{self.phones.times_let_go(Seat(seating_of(snapshot), viewer.seat))}"

    def _region(self, prefix: str, name: str, viewer: Viewer, values: dict[str, Any]) -> str:
        template = self._template(prefix, viewer.kind, name)
        found = str(template.name)
        if name not in FROM_THE_VIEW or viewer.seat is not None or not found.startswith(f"{prefix}/"):
            return template.render(values)
        view = values["view"]
        # The names of prompts change with every action but are not drawn.
        view = msgspec.structs.replace(view, expects=()) if hasattr(view, "expects") else view
        given = {key: values[key] for key in _VIEW_VALUES} | {"view": view}
        if found != f"{prefix}/{name}.html":
            given["viewer"] = viewer
        # `say` depends only on the language, which is in the cache key, and on the names.
        source = _encode([given[key] for key in _VIEW_VALUES if key != "say"])
        drawn = self._drawn.get((found, viewer.language))
        if drawn is None or drawn.source != source:
            drawn = self._drawn[found, viewer.language] = _Drawing(source, template.render(given))
        return drawn.html

    def _template(self, prefix: str, kind: Kind, name: str) -> jinja2.Template:
        """Return a region's template: the game's for this kind of page, else for all kinds, else the general one."""
        where = prefix, kind, name
        if where not in self._templates:
            own, general_one = template_of(prefix, f"{kind}/{name}.html")
            self._templates[where] = self._environment.select_template([own, f"{prefix}/{name}.html", general_one])
        return self._templates[where]

    def warm_up(self) -> None:
        """Load every template and catalogue, so that the first tap of the first game need not wait for them."""
        for name in self._environment.list_templates(extensions=["html"]):
            self._environment.get_template(name)
        for name, language in itertools.product(GAMES, LANGUAGES):
            words_of(language, name)

    def values(self, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
        """Return the values that every template of a page may use."""
        names = tuple(player.name for player in snapshot.setup.players) if snapshot.setup else ()
        say = Speech(viewer.language, snapshot.game, names, viewer.seat)
        values: dict[str, Any] = {
            "say": say,
            "viewer": viewer,
            "seat": viewer.seat,
            "snapshot": snapshot,
            "hardware": self._hardware(snapshot),
            "senses": _working(snapshot),
            "track_sensed": not {"camera", "beams"}.isdisjoint(_working(snapshot)),
            "has_hands": self.plays is not None,
            "host": self._host.choices,
            "games": GAMES,
            "tonight": self.tonight(),
            "live_picture": self._live_picture and self._host.choices.live_picture,
        }
        if snapshot.game is None or snapshot.setup is None:
            called = say("guests.somebody")
            lately = [(past, self.without_erased(past.setup, past.game, called)) for past in snapshot.lately]
            told = [(past, speech_of(setup, viewer.language)) for past, setup in lately]
            return values | {"lately": told, "called_up": self.called_up(snapshot.journal_seq)}
        rules = rules_of(snapshot.game)
        log = [line for line in snapshot.log if line.happening.to is None or line.happening.to == viewer.seat]
        view, state = rules.view(snapshot.state, viewer.seat), snapshot.state
        pages = pages_of(snapshot.game)
        seats = range(len(names))
        return values | {
            "view": view,
            "names": names,
            "again": _again(snapshot.setup),
            "game_name": snapshot.game,
            "picture": pages.picture(view, viewer.seat) if pages else general.picture(rules, state, viewer.seat, say),
            "holding": frozenset() if pages else frozenset(one for one in seats if general.has_own(rules, state, one)),
            "asks": asks_of(
                () if snapshot.paused else rules.expects(state, viewer.seat),
                by_phone=viewer.kind == "seat",
                public=rules.expects(state, None),
                rows_most=None if pages else ROWS_MOST,
            ),
            "sealed": rules.secret_fields,
            "remarks": _remarks(snapshot, say),
            "replays": the_game(snapshot.game).replay_scope(state) is not None,
            "keeping": self.keeping(),
            "may_leave": partial(may_leave, rules, state, 0 if snapshot.paused else len(names)),
            "outcome": rules.outcome(snapshot.state),
            "called": _called(snapshot),
            "log": log,
            "recent": partial(recent, log, snapshot.game_id),
            "join_code": self._join_code(snapshot, viewer.language),
            "robots": self._robots(len(names)),
            "phones": self.hands_on_phones(snapshot),
            "on_phones": self.phones.playing(seating_of(snapshot)),
            "newcomers": self.newcomers(seating_of(snapshot)),
            "askers": {
                seat: asker
                for seat, asker in self.phones.asked(seating_of(snapshot)).items()
                if viewer.seat in (None, seat)
            },
            "plays_me": None if self.plays is None or viewer.seat is None else self.plays(viewer.seat),
        }

    def _hardware(self, snapshot: Snapshot) -> str:
        """Return what senses the table now: on a real table, the working devices that the game uses.

        "pi": all of them; "none": none of them; "unused": the game needs no device. If only some work: "pi-" and their
        names in a game that uses every device, else "partly".
        """
        if self._hardware_name != "pi":
            return self._hardware_name
        used = frozenset(SENSES)
        if snapshot.game is not None and snapshot.setup is not None:
            used = the_game(snapshot.game).devices(snapshot.setup)
        if not used:
            return "unused"
        working = [device for device in _working(snapshot) if device in used]
        if not working or len(working) == len(used):
            return "pi" if working else "none"
        return "-".join(["pi", *working]) if used.issuperset(SENSES) else "partly"

    def hands_on_phones(self, snapshot: Snapshot) -> frozenset[int]:
        """Return the seats whose hands are shown on phones, and therefore on no shared screen."""
        if snapshot.game is None or not has_hands(snapshot.game):
            return frozenset()
        return self.phones.playing(seating_of(snapshot))

    def _robots(self, seats: int) -> frozenset[int]:
        return frozenset(seat for seat in range(seats) if self.plays is not None and self.plays(seat) == "robot")

    def _join_code(self, snapshot: Snapshot, language: str) -> Any:
        """Return a function that draws a seat's join code. For a seat on a phone it draws only that it is taken."""
        identity = seating_of(snapshot)
        taken = self.phones.playing(identity)
        said = words_of(language, snapshot.game).say("seats.taken")
        sign = Markup('<span class="qr taken">{}</span>').format(said)
        return lambda seat: sign if seat in taken else Markup(self._keys.join_code_svg(Seat(identity, seat)))  # noqa: S704  # our own drawing

    def codes_on_wall(self, snapshot: Snapshot, language: str) -> frozenset[int]:
        """Return the seats whose join codes the wall shows now."""
        if snapshot.setup is None:
            return frozenset()
        identity = seating_of(snapshot)
        _, regions = self.regions(snapshot, Viewer("wall", None, language))
        wall = "".join(regions.values())
        seats = range(len(snapshot.setup.players))
        return frozenset(seat for seat in seats if self._keys.join_code_svg(Seat(identity, seat)) in wall)


def _remarks(snapshot: Snapshot, say: Speech) -> tuple[Remark, ...]:
    """Return the remarks except the one that every page shows as what to do now."""
    said = spoken_remark(snapshot, say)
    return tuple(one for one in snapshot.remarks.values() if one is not said)


def _called(snapshot: Snapshot) -> frozenset[int]:
    """Return the seats that a remark addresses. Among several seats with the same prompt, it is their turn."""
    named = (remark.values.get("seat") for remark in snapshot.remarks.values())
    return frozenset(seat for seat in named if isinstance(seat, int))
