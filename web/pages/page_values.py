"""The values that the templates of a page may use, from one snapshot and one viewer.

The game's view removes everything secret before a template sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
from markupsafe import Markup

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Remark, Setup
from appliance.snapshot import Snapshot
from hardware.readings import SENSES, Device
from web.doors.phones import Phones, Seat
from web.doors.seats import SeatKeys, seating_of
from web.evening.kept_rolls import Keeping
from web.pages import general
from web.pages.game_pages import has_hands, may_leave, pages_of
from web.pages.moments import recent
from web.pages.public_values import PublicValues, asks_in, happened_in, log_of, public_values
from web.site import HostStore
from web.teaching.lessons import Deeds
from web.teaching.what_now import spoken_remark
from web.words.speech import Speech, speech_of
from web.words.viewer import Viewer


class BesideTheGame(msgspec.Struct, frozen=True, kw_only=True):
    """What pages show that no snapshot has. Each field is called for every page that is rendered; none may wait.

    `connected` returns the seats whose phones are connected now, `newcomers` the seats of a seating that said they are
    new, and `deeds_before` what was done in a game before each of them said so. `plays` returns who plays a seat,
    "person" or "robot"; it is None without robots. `without_erased` returns the set-up of a past game without the names
    that were erased. `tonight` returns whether a league night is on, and `called_up` the guests who play its next game,
    by the journal's newest entry. `keeping` returns which rolls are kept, and which somebody has asked to keep.
    `time_zone` returns the zone of the host's hours (`Site.time_zone`).
    """

    connected: Callable[[], frozenset[int]]
    newcomers: Callable[[str], frozenset[int]]
    deeds_before: Callable[[int | None], Mapping[int, Deeds]]
    plays: Callable[[int], str] | None
    without_erased: Callable[[Setup, int, str], Setup]
    tonight: Callable[[], bool]
    called_up: Callable[[int], tuple[str, ...]]
    keeping: Callable[[], Keeping]
    time_zone: Callable[[], str]


class PageValues:
    """Collects the values of a page: what the game shows its viewer, and what is known beside the game."""

    def __init__(
        self,
        host: HostStore,
        keys: SeatKeys,
        phones: Phones,
        beside: BesideTheGame,
        *,
        live_picture: bool,
    ) -> None:
        self.beside = beside
        self._host = host
        self._keys = keys
        self._phones = phones
        self._live_picture = live_picture
        self._newest: tuple[Snapshot, PublicValues] | None = None
        self._speeches: dict[Viewer, Speech] = {}

    def of(self, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
        """Return the values that every template of a page may use."""
        names = tuple(player.name for player in snapshot.setup.players) if snapshot.setup else ()
        say = self._speech(snapshot, names, viewer)
        values: dict[str, Any] = {
            "say": say,
            "viewer": viewer,
            "seat": viewer.seat,
            "snapshot": snapshot,
            "hardware": _hardware(snapshot),
            "senses": _working(snapshot),
            "track_sensed": not {"camera", "beams"}.isdisjoint(_working(snapshot)),
            "hands_to_lend": self.beside.plays is not None,
            "host": self._host.choices,
            "games": GAMES,
            "tonight": self.beside.tonight(),
            "live_picture": self._live_picture and self._host.choices.live_picture,
        }
        if snapshot.game is None or snapshot.setup is None:
            called = say("guests.somebody")
            lately = [(past, self.beside.without_erased(past.setup, past.game, called)) for past in snapshot.lately]
            told = [(past, speech_of(setup, viewer.language)) for past, setup in lately]
            return values | {"lately": told, "called_up": self.beside.called_up(snapshot.journal_seq)}
        public = self._public(snapshot, snapshot.game, snapshot.setup)
        rules, state, pages, seat = public.rules, snapshot.state, pages_of(snapshot.game), viewer.seat
        log, happened, view, picture, asks = public.log, public.happened, public.view, public.picture, public.asks
        if seat is not None:
            log, view = log_of(snapshot, seat), rules.view(state, seat)
            happened = happened_in(log)
            asks = asks_in(snapshot, rules.expects(state, seat), public.prompts, by_phone=True)
            picture = pages.picture(view, seat) if pages else None
        seats, plays = range(len(names)), self.beside.plays
        seating = seating_of(snapshot)
        on_phones = self._phones.playing(seating)
        return values | {
            "view": view,
            "names": names,
            "again": public.again,
            "game_name": snapshot.game,
            "picture": picture if pages else general.picture(rules, state, seat, say),
            "holding": frozenset() if pages else frozenset(one for one in seats if general.has_own(rules, state, one)),
            "public_prompts": public.prompts,
            "asks": asks,
            "due": [ask for ask in asks if not ask.optional],
            "sealed": rules.secret_fields,
            "remarks": _remarks(snapshot, say),
            "replays": public.replays,
            "keeping": self.beside.keeping(),
            "may_leave": partial(may_leave, rules, state, 0 if snapshot.paused else len(names)),
            "outcome": public.outcome,
            "called": _called(snapshot),
            "log": log,
            "happened": happened,
            "recent": partial(recent, log, snapshot.game_id),
            "join_code": self._join_code(seating, on_phones, say),
            "robots": self._robots(len(names)),
            "phones": self.hands_on_phones(snapshot),
            "on_phones": on_phones,
            "asleep": on_phones - self.beside.connected(),
            "newcomers": self.beside.newcomers(seating),
            "deeds_before": self.beside.deeds_before(snapshot.game_id),
            "askers": {
                seat: asker for seat, asker in self._phones.asked(seating).items() if viewer.seat in (None, seat)
            },
            "plays_me": None if plays is None or viewer.seat is None else plays(viewer.seat),
        }

    def _public(self, snapshot: Snapshot, game: str, setup: Setup) -> PublicValues:
        """Return the public values; those of the newest snapshot are worked out once for the pages of all viewers."""
        known = self._newest
        if known is None or known[0] is not snapshot:
            known = self._newest = snapshot, public_values(snapshot, game, setup)
        return known[1]

    def _speech(self, snapshot: Snapshot, names: tuple[str, ...], viewer: Viewer) -> Speech:
        """Return the words for `viewer`. They are kept while the game and its players stay the same."""
        known = self._speeches.get(viewer)
        if known is None or (known.game_name, known.names) != (snapshot.game, names):
            known = self._speeches[viewer] = Speech(viewer.language, snapshot.game, names, viewer.seat)
        return known

    def hands_on_phones(self, snapshot: Snapshot) -> frozenset[int]:
        """Return the seats whose hands are shown on phones, and therefore on no shared screen."""
        if snapshot.game is None or not has_hands(snapshot.game):
            return frozenset()
        return self._phones.playing(seating_of(snapshot))

    def _robots(self, seats: int) -> frozenset[int]:
        plays = self.beside.plays
        return frozenset(seat for seat in range(seats) if plays is not None and plays(seat) == "robot")

    def _join_code(self, seating: str, taken: frozenset[int], say: Speech) -> Callable[[int], Markup]:
        """Return a function that draws a seat's join code. For a seat on a phone it draws only that it is taken."""

        def drawn(seat: int) -> Markup:
            if seat in taken:
                return Markup('<span class="qr taken">{}</span>').format(say("seats.taken"))
            return Markup(self._keys.join_code_svg(Seat(seating, seat)))  # noqa: S704  # our own drawing

        return drawn


def _hardware(snapshot: Snapshot) -> str:
    """Return what senses the table now: on a real table, the working devices that the game uses.

    "pi": all of them; "none": none of them; "unused": the game needs no device. If only some work: "pi-" and their
    names in a game that uses every device, else "partly".
    """
    if snapshot.hardware != "pi":
        return snapshot.hardware
    used = frozenset(SENSES)
    if snapshot.game is not None and snapshot.setup is not None:
        used = the_game(snapshot.game).devices(snapshot.setup)
    if not used:
        return "unused"
    working = [device for device in _working(snapshot) if device in used]
    if not working or len(working) == len(used):
        return "pi" if working else "none"
    return "-".join(["pi", *working]) if used.issuperset(SENSES) else "partly"


def _working(snapshot: Snapshot) -> list[Device]:
    return [one for one in SENSES if (said := snapshot.health.get(one)) is not None and said.status == "ok"]


def _remarks(snapshot: Snapshot, say: Speech) -> tuple[Remark, ...]:
    """Return the remarks except the one that every page shows as what to do now."""
    said = spoken_remark(snapshot, say)
    return tuple(one for one in snapshot.remarks.values() if one is not said)


def _called(snapshot: Snapshot) -> frozenset[int]:
    """Return the seats that a remark addresses. Among several seats with the same prompt, it is their turn."""
    named = (remark.values.get("seat") for remark in snapshot.remarks.values())
    return frozenset(seat for seat in named if isinstance(seat, int))
