"""From one snapshot and one viewer to the regions of a page. The frame knows no game: each brings its own pages."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import Pages
from appliance.games.protocol import Happening, Rejection, Rules
from appliance.snapshot import AmendmentPreview, Announcement, Deed, Pending, Snapshot
from appliance.words import LANGUAGES, Words, words
from hardware.readings import Device
from web.asks import asks_of
from web.phones import Phones
from web.seats import Seat, SeatKeys, seating_of
from web.site import HostStore, Site
from web.viewer import Kind, Viewer

_log = logging.getLogger(__name__)
_YOURS = {"seat": "you", "winner": "you", "target": "at_you", "source": "at_you", "owner": "at_you"}
"""By the value that names the reader's own seat: the ending of the code whose sentence speaks to them."""
LOBBY_REGIONS: dict[Kind, tuple[str, ...]] = {"wall": ("lobby",), "kiosk": ("lobby",), "seat": ("lobby",)}


def pages_of(name: str) -> Pages:
    """Return the pages of the game called `name`."""
    pages = the_game(name).pages
    assert pages is not None, "the games of the catalogue have pages"
    return pages()


@cache
def has_hands(name: str) -> bool:
    """Return whether the pages of the game called `name` show anything that is only one seat's own."""
    return (pages_of(name).FOLDER / "templates" / name / "hand.html").exists()


@cache
def has_phone_script(name: str) -> bool:
    """Return whether the phones of the game called `name` run a script of its own."""
    return (pages_of(name).FOLDER / "static" / "phone.js").exists()


class Speech:
    """Says codes in one language, for templates.

    :param you: the seat of the reader, who is not spoken of by name where the catalogue has words for it: a code that
        ends in `.you` where the sentence is about that seat, in `.at_you` where something is done to it.
    """

    def __init__(
        self, language: str, game_name: str | None, names: tuple[str, ...] = (), you: int | None = None
    ) -> None:
        self.words: Words = words(language, game_name)
        self.language = language
        self.names = names
        self.you = you

    def __call__(self, code: str, values: Mapping[str, Any] | None = None, **more: Any) -> str:
        """Return the sentence of `code`; an unknown one is said as it is: no wall goes dark for a word."""
        given = {**(values or {}), **more}
        if self.you is not None:
            yours = (f"{code}.{_YOURS[key]}" for key in _YOURS if given.get(key) == self.you)
            code = next((one for one in yours if one in self.words), code)
        try:
            return self.words.say(code, given, self.names)
        except KeyError:
            _log.warning("no words in %s for %s", self.language, code)
            return code

    def called(self, seats: Sequence[int]) -> list[str]:
        """Return the names of `seats`, for a sentence that only lists them; the reader is "you"."""
        return [self.words.say("you") if seat == self.you else self.names[seat] for seat in seats]

    def choice(self, deed: str, field: str | None, value: Any, action: Mapping[str, Any]) -> str:
        """Return the words of a button that does `deed`, choosing `value` for `field`: the most particular there are.

        They are those of `button.<deed>.<field>.<value>`, of `button.<deed>.<field>`, or of `button.<deed>`.
        """
        particular = [f"button.{deed}.{field}.{value}".lower(), f"button.{deed}.{field}"] if field is not None else []
        return self(next((code for code in particular if code in self.words), f"button.{deed}"), action)

    def number(self, number: int) -> str:
        """Return a whole number with the thousands mark of the language."""
        return self.words.number(number, ",")

    def several(self, family: str, names: Sequence[str]) -> str:
        """Return the words of `family` for `names`, joined as a list is spoken."""
        said = [self(f"{family}.{name}") for name in names]
        if len(said) == 1:
            return said[0]
        return self("list.and", first=", ".join(said[:-1]), last=said[-1])

    def pending(self, pending: Pending) -> str:
        """Return what the sensors say, and which of them say it."""
        do, values = pending.action["do"], pending.action
        kind = values.get("outcome") or ("nothing" if values.get("found") == [] else None)
        what = self(f"pending.{do}" + (f".{kind}" if kind else ""), values)
        code = "pending.says" if len(pending.because) > 1 else "pending.says_one"
        said = self(code, senses=self.several("sense", pending.because), what=what)
        return said[:1].upper() + said[1:]

    def did(self, deed: Deed, *, in_full: bool = False) -> str:
        """Return what came of a deed, as everybody heard it; `in_full`: all of it, not its beginning."""
        heard = deed.happened if in_full else deed.happened[:2]
        return " ".join(map(self.happened, heard)) or self("deed.recorded")

    def correction(self, preview: AmendmentPreview) -> tuple[str, str]:
        """Return what a correction replaces and what the table would say then, told apart where words can."""
        for in_full in (False, True):
            was = self.did(preview.deed, in_full=in_full)
            if preview.instead is None:
                return was, self("corrections.take_back")
            instead = self.did(preview.instead, in_full=in_full)
            if was != instead:
                return was, instead
        return was, self("corrections.hidden_value")

    def happened(self, happening: Happening) -> str:
        """Return the sentence of something that happened."""
        return self(f"happening.{happening.code}", happening.values)

    def announced(self, announcement: Announcement) -> Markup:
        """Return one line of the log, with the kind of correction it tells of."""
        text = escape(self.happened(announcement.happening))
        if announcement.kind == "happening":
            return text
        return Markup("<b>{}</b> {}").format(self(f"log.{announcement.kind}"), text)

    def rejected(self, rejection: Rejection) -> str:
        """Return why something was refused and what to do."""
        return self(f"rejection.{rejection.code}", rejection.values)


_SENSES: tuple[Device, ...] = ("camera", "beams", "scale")


def _working(snapshot: Snapshot) -> list[Device]:
    return [one for one in _SENSES if (said := snapshot.health.get(one)) is not None and said.status == "ok"]


def marked(new: str, old: str) -> Markup:
    """Return the text `new` with those of its words marked that are not in `old`, and struck out what only that had."""
    before, after = (str(escape(text)).split() for text in (old, new))
    said = []
    for how, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = " ".join(before[a:b]), " ".join(after[c:d])
        said.append(come if how == "equal" else f"<ins>{come}</ins>" if come else f"<del>{gone}</del>")
    # One small word that both have ("the") does not part what changed around it.
    return Markup(re.sub(r"</ins> ([^\W\d]+) <ins>", r" \1 ", " ".join(said)))  # noqa: S704  # every word was escaped


class PageRenderer:
    """Renders regions. Everything secret was removed by the game's view before a template sees it."""

    def __init__(
        self,
        environment: jinja2.Environment,
        site: Site,
        host: HostStore,
        keys: SeatKeys,
        hardware_name: str,
        live_picture: bool,
    ) -> None:
        self._environment = environment
        self._site = site
        self._host = host
        self._keys = keys
        self._hardware_name = hardware_name
        self._live_picture = live_picture
        self.plays: Callable[[int], str] | None = None
        """Who plays a seat, "person" or "robot"; None where there are no robots."""
        self.phones = Phones()

    def regions(self, snapshot: Snapshot, viewer: Viewer) -> tuple[str, dict[str, str]]:
        """Return the page's shape and the HTML of each of its regions."""
        if viewer.seat is not None and self.phones.was_let_go(Seat(seating_of(snapshot), viewer.seat)):
            # Another shape than the page has: it loads itself anew, and is told that the seat is not its any more.
            return "let_go", {}
        values = self.values(snapshot, viewer)
        if snapshot.game is None:
            shape, prefix, names = "lobby", "lobby", LOBBY_REGIONS[viewer.kind]
        else:
            shape = prefix = snapshot.game
            names = pages_of(snapshot.game).REGIONS[viewer.kind]
        render = self._environment.get_template
        return shape, {name: render(f"{prefix}/{viewer.kind}/{name}.html").render(values) for name in names}

    def warm_up(self) -> None:
        """Read every template and catalogue: else the first tap of the first game would wait for them."""
        for name in self._environment.list_templates(extensions=["html"]):
            self._environment.get_template(name)
        for name, language in itertools.product(GAMES, LANGUAGES):
            words(language, name)

    def values(self, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
        """Return what every template of a page may use."""
        names = tuple(player.name for player in snapshot.setup.players) if snapshot.setup else ()
        values: dict[str, Any] = {
            "say": Speech(viewer.language, snapshot.game, names, viewer.seat),
            "viewer": viewer,
            "seat": viewer.seat,
            "snapshot": snapshot,
            "hardware": self._hardware(snapshot),
            "senses": _working(snapshot),
            "track_sensed": not {"camera", "beams"}.isdisjoint(_working(snapshot)),
            "has_hands": self.plays is not None,
            "host": self._host.choices,
            "games": GAMES,
            "live_picture": self._live_picture and self._host.choices.live_picture,
        }
        if snapshot.game is None or snapshot.setup is None:
            return values
        rules = rules_of(snapshot.game)
        view = rules.view(snapshot.state, viewer.seat)
        return values | {
            "view": view,
            "names": names,
            "game_name": snapshot.game,
            "picture": pages_of(snapshot.game).picture(view, viewer.seat),
            "asks": asks_of(rules.expects(snapshot.state, viewer.seat), by_phone=viewer.kind == "seat"),
            "outcome": rules.outcome(snapshot.state),
            "called": _called(snapshot),
            "log": [a for a in snapshot.log if a.happening.to is None or a.happening.to == viewer.seat],
            "join_code": self._join_code(snapshot, viewer.language),
            "robots": self._robots(len(names)),
            "phones": self.hands_on_phones(snapshot),
            "plays_me": None if self.plays is None or viewer.seat is None else self.plays(viewer.seat),
        }

    def _hardware(self, snapshot: Snapshot) -> str:
        """Return what senses the table now: of a real one, the devices that work ("pi" is all of them)."""
        if self._hardware_name != "pi":
            return self._hardware_name
        working = _working(snapshot)
        return "-".join(["pi", *(working if len(working) < len(_SENSES) else [])]) if working else "none"

    def hands_on_phones(self, snapshot: Snapshot) -> frozenset[int]:
        """Return the seats whose hands phones show: no shared screen does."""
        if snapshot.game is None or not has_hands(snapshot.game):
            return frozenset()
        return self.phones.playing(seating_of(snapshot))

    def _robots(self, seats: int) -> frozenset[int]:
        return frozenset(seat for seat in range(seats) if self.plays is not None and self.plays(seat) == "robot")

    def _join_code(self, snapshot: Snapshot, language: str) -> Any:
        """Return what draws a seat's code; of one that a phone plays only that it does, on whatever screen."""
        identity = seating_of(snapshot)
        taken = self.phones.playing(identity)
        said = words(language, snapshot.game).say("seats.taken")
        sign = Markup('<span class="qr taken">{}</span>').format(said)
        return lambda seat: sign if seat in taken else Markup(self._keys.join_code_svg(Seat(identity, seat)))  # noqa: S704  # our own drawing

    def codes_on_wall(self, snapshot: Snapshot, language: str) -> frozenset[int]:
        """Return the seats whose codes everybody may scan off the wall now."""
        if snapshot.setup is None:
            return frozenset()
        identity = seating_of(snapshot)
        _, regions = self.regions(snapshot, Viewer("wall", None, language))
        wall = "".join(regions.values())
        seats = range(len(snapshot.setup.players))
        return frozenset(seat for seat in seats if self._keys.join_code_svg(Seat(identity, seat)) in wall)


def _called(snapshot: Snapshot) -> frozenset[int]:
    """Return the seats that a remark speaks to: of all who are asked for the same, those whose turn it is."""
    named = (remark.values.get("seat") for remark in snapshot.remarks.values())
    return frozenset(seat for seat in named if isinstance(seat, int))


def rules_of(name: str) -> Rules:
    """Return the rules of an open snapshot's game."""
    return the_game(name).rules
