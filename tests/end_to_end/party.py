"""People round a table: set up on the touchscreen, joined with phones by the codes on the wall, everything by taps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np

from tests.end_to_end.served import KIOSK, OVERFLOW, PHONE, WALL, Served, tap
from tests.patience import GIVEN_UP_S
from web.words.viewer import Viewer

Page = Any
NEWEST = "version => Number(document.body.dataset.version) >= version"
FACES = ".curtain [data-card], .curtain .hand [data-value]"


@contextmanager
def held(page: Page, selector: str) -> Iterator[None]:
    """Keep a finger on what is there."""
    page.locator(selector).first.hover()
    page.mouse.down()
    try:
        page.locator("body.looking").wait_for()
        yield
    finally:
        page.mouse.up()
        page.locator("body:not(.looking)").wait_for()


LOOKS = 20
"""So often somebody looks at a code before they give up."""


def _read(code: Page) -> str:
    """Return what a code says, on the light paper that a code is read against; "" where it cannot be read."""
    code.evaluate("code => { code.style.background = '#fff'; code.style.padding = '16px'; }")
    picture = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    paper = cv2.copyMakeBorder(picture, 30, 30, 30, 30, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    # A phone tries from nearer and farther, too: OpenCV's detectors miss a good code at some sizes, and the plain one
    # misses one code of a hundred at every size.
    looks = [cv2.resize(paper, None, fx=times, fy=times) for times in (1, 3, 2, 4, 1.5, 2.5)]
    readers = cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector()
    return next(filter(None, (reader.detectAndDecode(look)[0] for reader in readers for look in looks)), "")


class Party:
    """One wall, one touchscreen, and a phone for each of those who have one; the others play at the touchscreen.

    :param phones: each phone's language, by seat.
    :param options: what is chosen at set-up, by option.
    """

    def __init__(self, served: Served, game: str, names: Sequence[str], phones: dict[int, str], **options: str) -> None:
        self.served = served
        self.names = names
        self.wall: Page = served.page("/", WALL)
        self.kiosk: Page = served.page(f"/kiosk/setup/{game}", KIOSK)
        self._set_up(options)
        self.seated()
        self.phones = {seat: self._join(seat, language) for seat, language in phones.items()}
        self._viewers = [Viewer("wall", None, "en"), Viewer("kiosk", None, "en")]
        self._viewers += [Viewer("seat", seat, language) for seat, language in phones.items()]
        self._sent: dict[Viewer, dict[str, bytes]] = {}
        self.settle()

    def seated(self) -> None:
        """Called when the game is open, before phones join."""

    def touch(self, screen: Page, selector: str) -> None:
        """Tap the first that is there, as soon as the page takes taps."""
        tap(screen, selector)

    def press(self, wanted: Any) -> None:
        """Tap something on the page of set-up."""
        wanted.tap()

    @property
    def state(self) -> Any:
        """The true state of the table."""
        return self.served.stand.table.snapshot().state

    def screen_of(self, seat: int) -> Page:
        """Return where `seat` plays: on its phone, else on the touchscreen."""
        return self.phones.get(seat, self.kiosk)

    def pages(self) -> list[Page]:
        """Return all screens that are on."""
        return [self.wall, self.kiosk, *self.phones.values()]

    def tap(self, seat: int, selector: str) -> None:
        """Let `seat` tap, where it plays: something that changes that screen alone."""
        self.touch(self.screen_of(seat), selector)

    def act(self, seat: int, selector: str) -> None:
        """Let `seat` tap what everybody will see done, and wait until all screens show it."""
        self._act_on(self.screen_of(seat), selector)

    def tap_at_the_table(self, selector: str) -> None:
        """Let somebody tap on the touchscreen what changes that screen alone."""
        self.touch(self.kiosk, selector)

    def act_at_the_table(self, selector: str) -> None:
        """Let somebody tap on the touchscreen what everybody will see done."""
        self._act_on(self.kiosk, selector)

    def _act_on(self, screen: Page, selector: str) -> None:
        table = self.served.stand.table
        before = table.snapshot().version
        self.touch(screen, selector)
        assert table.wait_newer(before, GIVEN_UP_S) is not None, (selector, screen.url)
        self.settle()

    def settle(self) -> None:
        """Wait until every screen for which something is new shows it; the others are sent nothing."""
        snapshot = self.served.stand.table.snapshot()
        for page, viewer in zip(self.pages(), self._viewers, strict=True):
            due = self.served.stand.app.extensions["smugglers"].live.pages.of(snapshot, viewer).regions
            if self._sent.get(viewer, due) != due:
                page.wait_for_function(NEWEST, arg=snapshot.version)
            self._sent[viewer] = due

    def answer(self, seat: int, **action: Any) -> None:
        """Let `seat` tap the button that does `action`, wherever on its screen that is."""
        wanted = {"seat": seat, **action}
        buttons = self.screen_of(seat).locator("[data-send]")
        told = buttons.evaluate_all("all => all.map(b => b.offsetParent && !b.disabled ? b.dataset.send : 'null')")
        number = next((number for number, send in enumerate(told) if json.loads(send) == wanted), None)
        assert number is not None, f"no button for {wanted}"
        self.act(seat, f"[data-send] >> nth={number}")

    def look_at_hand(self, seat: int) -> list[str]:
        """Open the curtain of a seat without a phone, hold the hand and let go; return its kinds as they lie."""
        screen = self.screen_of(seat)
        if seat not in self.phones and not self.kiosk.locator(".curtain").count():
            self.tap(seat, f'[data-hold="/kiosk/hand/{seat}"]')
            self.kiosk.wait_for_selector(".curtain[open]")
        cards = screen.locator("main .own [data-card], main .picks [data-value]" if seat in self.phones else FACES)
        face = cards.locator("svg, .card, .delivery").first
        assert not face.is_visible(), "a hand that nobody holds is closed"
        with held(screen, "[data-look]"):
            face.wait_for()
            kinds = cards.evaluate_all("cards => cards.map(c => c.dataset.card || c.dataset.value)")
        face.wait_for(state="hidden")
        return list(kinds)

    def check_layout(self) -> None:
        """Nothing runs out of a screen, and no script complained."""
        for page in self.pages():
            wide, high = page.evaluate(OVERFLOW)
            assert wide <= 0, page.url
            assert high <= 0 or page not in (self.wall, self.kiosk), page.url
        assert self.served.complaints == []

    def _set_up(self, options: dict[str, str]) -> None:
        kiosk = self.kiosk
        seats = kiosk.locator("[data-player]")
        for number in range(seats.count()):
            seat, wanted = seats.nth(number), number < len(self.names)
            if (seat.get_attribute("data-on") == "1") != wanted:
                self.press(seat.locator("[data-toggle]"))
            if wanted:
                self.press(seat.locator("[data-name]"))
                self.press(kiosk.locator("[data-chip]", has_text=self.names[number]).first)
        for option, value in options.items():
            choice = kiosk.locator(f"label:has([data-option='{option}'][value='{value}'])")
            if not choice.is_visible():
                self.press(kiosk.locator("details.more summary"))
            self.press(choice)
        self.press(kiosk.locator("button[type=submit]").first)
        kiosk.wait_for_url("**/kiosk")

    def _join(self, seat: int, language: str) -> Page:
        """Read the seat's code off the wall as a camera does, and open what it says."""
        code = self.wall.locator(".joining li").nth(seat).locator("svg.qr")
        code.wait_for()
        # The wall draws its codes anew as others sit down: whoever holds a camera looks again.
        said = next(filter(None, (_read(code) for _ in range(LOOKS))), "")
        address = urlsplit(said)
        assert address.hostname == self.served.stand.site.address, "the code leads to the table"
        phone = self.served.page(address.path, PHONE, language)
        phone.wait_for_url(f"**/seat/{seat}")
        return phone


def shown(page: Page, selector: str, prefix: str) -> list[str]:
    """Return what is drawn within `selector`: the names of the symbols that begin with `prefix`."""
    names = page.locator(f"{selector} use").evaluate_all("uses => uses.map(use => use.getAttribute('href'))")
    return [name.removeprefix(f"#{prefix}") for name in names if name.startswith(f"#{prefix}")]
