"""What the routes share: the table, the sender's rights and language, and who plays each seat."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Literal

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from appliance.games.catalogue import GAMES
from appliance.games.league.result import Result
from appliance.sensing.roll_places import RollPlaces
from appliance.service.outside.feed import Feed
from appliance.service.upkeep.support import version
from appliance.snapshot import Snapshot
from appliance.table.table import Table
from hardware.clock import Clock
from web.doors.access import Access
from web.doors.owner import Owner
from web.doors.phones import Phones, Seat
from web.doors.pin_tries import PinTries
from web.doors.seats import SeatKeys, seating_of
from web.doors.shares import whose
from web.errors import Refused, or_refuse
from web.evening.kept import EveningStore
from web.evening.kept_rolls import KeptRolls
from web.evening.played_here import PlayedHere
from web.evening.tonight import CalledUp
from web.live.updates import Live
from web.pages.game_pages import has_hands
from web.pages.page_values import BesideTheGame, PageValues
from web.pages.render import PageRenderer
from web.site import HostStore, Site
from web.words.speech import Speech
from web.words.viewer import Kind, Viewer, language_of

_log = logging.getLogger(__name__)


class SeatControl:
    """Switches seats between "person" and "robot" (only on the simulated table).

    :param keep_lobby: called when a person sets up a game, so that robots do not open one meanwhile.
    :param lend_hands: called when a person asks the simulated hands to act for a seat.
    :param robots: the players' names in games that robots open.
    """

    def __init__(
        self,
        read: Callable[[int], str],
        change: Callable[[int, str], None],
        keep_lobby: Callable[[], None] = lambda: None,
        lend_hands: Callable[[int], None] = lambda seat: None,
        robots: Sequence[str] = (),
    ) -> None:
        self.read = read
        self.change = change
        self.keep_lobby = keep_lobby
        self.lend_hands = lend_hands
        self.robots = robots


class Web:
    """The routes' shared objects; in `app.extensions["smugglers"]`."""

    def __init__(
        self,
        app: Flask,
        table: Table,
        site: Site,
        clock: Clock,
        live_picture: Callable[[], bytes | None] | None,
        seat_control: SeatControl | None,
        rolls: RollPlaces | None = None,
        feed: Feed | None = None,
    ) -> None:
        self.table = table
        self.feed = Feed(table) if feed is None else feed
        self.site = site
        self.time_zone = site.time_zone()
        """As of the last heartbeat: pages that are open and pages that are loaded have to agree on it."""
        self.host = HostStore(site.host_file, site.language)
        self.owner = Owner(site.owner_file, site.pin)
        self.phones = Phones(clock, site.phones_file)
        self.keys = SeatKeys(site, self.owner, self.phones)
        self.evening = EveningStore(site.evening_file)
        self.evening.fit(table.snapshot().journal_seq)
        self.played_here = PlayedHere(table, self.evening)
        self.called_up = CalledUp(self.evening, self.played_here, lambda: self.live.refresh())
        self.live_picture = live_picture
        self.replays = None if rolls is None else rolls.replays
        self.seat_control = seat_control
        self.kept_rolls = KeptRolls(
            table.snapshot,
            (lambda number: None) if self.replays is None else self.replays.of,
            self.asked_to_agree,
            lambda: self.host.choices.live_picture,
        )
        beside = BesideTheGame(
            connected=lambda: self.live.seats(),
            newcomers=self.evening.newcomers,
            deeds_before=self.evening.deeds_before,
            plays=None if seat_control is None else seat_control.read,
            without_erased=self.evening.without_erased,
            tonight=lambda: self.evening.kept.night is not None,
            called_up=self.called_up.of,
            keeping=self.kept_rolls.now,
            time_zone=lambda: self.time_zone,
        )
        self.page_values = PageValues(
            self.host,
            self.keys,
            self.phones,
            beside,
            live_picture=live_picture is not None,
        )
        self.renderer = PageRenderer(app.jinja_env, self.page_values, self.host, self.keys, self.phones, version())
        self.live = Live(
            table,
            self.renderer.regions,
            self.renderer.page_of,
            clock.now_s,
            streams_most=site.streams_most,
            speed=clock.speed,
            rolls=rolls,
            beside=self._beside,
        )
        self.pin_tries = PinTries(clock)

    def entered(self, is_right: Callable[[], bool], again: str = "") -> bool:
        """Return whether the typed PIN or code is right. Entries are rate-limited (`PinTries`).

        :param again: the page at which it is typed; "": the page of the request.
        :raises Refused: `too_often`.
        """
        who = whose(request.remote_addr or "")
        if not self.pin_tries.take(who):
            raise Refused(429, "too_often", back=again)
        if not is_right():
            _log.warning("somebody entered a wrong PIN or code")
            return False
        self.pin_tries.forgive(who)
        return True

    def access(self) -> Access:
        """Return the rights of the sender of the current request."""
        return Access(request, self.keys, self.phones, self.table.snapshot())

    def need_host(self, page: str) -> Response | None:
        """Send a sender without the host's rights to the entry of the PIN, and then to `page`; None: they have them.

        :raises Refused: `pin_needed`, with a link to that entry: more than a page was requested.
        """
        if self.access().is_host:
            return None
        entry = url_for("host.unlock", back=page)
        if request.method == "GET":
            return redirect(entry)
        raise Refused(403, "pin_needed", back=entry)

    def sit_down(self, seat: int) -> None:
        """Give a robot's seat to the person who joined, or acted, by phone."""
        if self.seat_control is not None and self.seat_control.read(seat) == "robot":
            self.seat_control.change(seat, "person")
            self.live.refresh()

    def join(self, response: Response, seat: Seat, *, code: str = "", asker: str = "") -> None:
        """Give `seat` to the phone that gets `response`. The touchscreen then hides the seat's hand.

        :param code: the code of the join link.
        :param asker: instead of the code, the asker whose request was approved.
        :raises Refused: `join_code_used`, also if another phone was faster.
        """
        if request.method == "HEAD":
            return  # a HEAD request only checks the link and must not take the seat
        grant = self.phones.come_in(seat, asker) if asker else self.phones.take(seat, code)
        if not grant:
            raise Refused(410, "join_code_used", back="/seats")
        self.keys.hand_over(response, seat, grant)
        _log.info("#%d is played on a phone", seat.seat + 1)
        self.sit_down(seat.seat)
        self.live.refresh()

    def results(self) -> tuple[Result, ...]:
        """Return the results of the games that were won here.

        :raises Refused: the journal cannot be read now, or at all.
        """
        return or_refuse(self.played_here.results())

    def asked_to_agree(self, snapshot: Snapshot) -> frozenset[int]:
        """Return the seats that have to agree: all except those that robots play."""
        seats = range(len(snapshot.setup.players) if snapshot.setup else 0)
        control, on_phones = self.seat_control, self.phones.playing(seating_of(snapshot))
        return frozenset(
            seat for seat in seats if seat in on_phones or control is None or control.read(seat) != "robot"
        )

    def _beside(self, snapshot: Snapshot) -> tuple[frozenset[tuple[int, str]], frozenset[int], str]:
        """Return who waits for a yes, which lapses, whose phones sleep, where screens say that, and the time zone."""
        seating = seating_of(snapshot)
        asleep = self.phones.playing(seating) - self.live.seats() if snapshot.quiet else frozenset[int]()
        self.time_zone = self.site.time_zone()
        return frozenset(self.phones.asked(seating).items()), asleep, self.time_zone

    def hand_hidden(self, snapshot: Snapshot, seat: int) -> Literal["foreign_seat", "hand_on_phone"] | None:
        """Return why the touchscreen may not show the hand of a seat: a robot or a phone plays it; None: it may."""
        if snapshot.game is None or not has_hands(snapshot.game):
            return None
        if self.seat_control is not None and self.seat_control.read(seat) == "robot":
            return "foreign_seat"
        return "hand_on_phone" if seat in self.page_values.hands_on_phones(snapshot) else None

    def stand_up(self, seat: int) -> None:
        """Give a seat that a phone plays back to the touchscreen."""
        self.phones.let_go(self.seat_here(seat))
        self.live.refresh()

    def seat_here(self, seat: int) -> Seat:
        """Return `seat` of the open game."""
        return Seat(seating_of(self.table.snapshot()), seat)

    def language(self) -> str:
        """Return the language of the sender of the current request."""
        return language_of(request, self.host.choices.language)

    def viewer(self, kind: Kind, seat: int | None = None) -> Viewer:
        """Return the viewer that the sender of the current request is of a page of this kind."""
        return Viewer(kind, seat, self.language())

    def speech(self, game: str | None = None) -> Speech:
        """Return the words for the sender: of `game`, else of the game that the request names, else of the open one."""
        snapshot = self.table.snapshot()
        named = game or (request.view_args or {}).get("name") or request.args.get("game")
        spoken = named if named in GAMES else snapshot.game or next(iter(GAMES))
        names = tuple(player.name for player in snapshot.setup.players) if snapshot.setup else ()
        access = self.access()
        held = [] if access.is_kiosk else [seat for seat in access.seats if access.holds(seat)]
        you = held[0] if len(held) == 1 else None
        return Speech(self.language(), spoken, names, you)
