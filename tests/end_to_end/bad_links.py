"""A phone's bad connection: what becomes of a tap in each weather, and what the phone says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.end_to_end.served import Served, tap
from tests.end_to_end.wire import Wire
from tests.patience import GIVEN_UP_S

LAG_S = 0.15
SAID_WITHIN_MS = 3_000
STREAM_DEAD_MS = 6_000
"""After how long a silence a page takes its stream anew (`DEAD_MS` in web/static/live.js)."""
ANSWER_MS, BACK_MS = 6_000, 15_000
"""How long a page waits for an answer, and for the connection (`PATIENCE_MS`, `BACK_MS` in web/static/send.js)."""
MARK = "window.neverReloaded = true"
MARKED = "() => window.neverReloaded === true"
LISTEN = """() => {
    window.said = [];
    const sign = document.getElementById("toast");
    const heard = () => sign.checkVisibility() && window.said.push(sign.textContent.trim());
    new MutationObserver(heard).observe(sign, { attributes: true, childList: true });
}"""
"""Keeps what the page said: each message goes again by itself, maybe before a busy machine looks."""
FORGET = "() => window.said.splice(0)"
SAID = "what => window.said.includes(document.body.dataset[what])"
READY = "body.streaming:not(.fresh):not(.offline)"
COUNTED_OR_NOT = """before => Number(document.body.dataset.version) > before
    || document.getElementById("toast").textContent.trim() === document.body.dataset.noAnswer"""
WEATHERS = (
    "fair",
    "lagging",
    "gone_before",
    "gone_on_the_way_there",
    "gone_on_the_way_back",
    "silent",
    "gone_for_long",
    "late",
)
DEAD = "forgotten"
"""The weather that costs seconds of real time."""


class BadLink:
    """One phone that reaches the table through a `Wire`. Every tap counts once, and meets the weather that comes next.

    :param open_page: opens the phone's page at the served table's address.
    :param weathers: which there are, in turn, also for other links that are given the same list.
    """

    def __init__(self, served: Served, open_page: Callable[[], Any], weathers: list[str]) -> None:
        self._table = served.stand.table
        self._weathers = weathers
        self.wire = Wire(served.server.port)
        direct, served.base = served.base, f"http://127.0.0.1:{self.wire.port}"
        try:
            self.page = open_page()
        finally:
            served.base = direct
        self.page.clock.install()
        self.page.reload()
        self.page.locator(READY).wait_for()
        self.page.evaluate(MARK)
        self.page.evaluate(LISTEN)

    def tap(self, selector: str) -> None:
        """Tap what everybody will see done, and return when it counted and this phone has its connection again.

        :raises AssertionError: something else counted, or the phone did not say what the weather made of the tap.
        """
        before = self._version()
        weather = self._weathers.pop(0)
        self._weathers.append(weather)
        self.page.evaluate(FORGET)
        getattr(self, "_" + weather)(selector, before)
        self._await_counted(before)
        self.page.locator(READY).wait_for()
        self.page.locator("#connection").wait_for(state="hidden")

    def never_reloaded(self) -> bool:
        """Return whether the phone still shows the page that it opened."""
        return bool(self.page.evaluate(MARKED))

    def _version(self) -> int:
        return int(self._table.snapshot().version)

    def _await_counted(self, before: int) -> None:
        assert self._table.wait_newer(before, GIVEN_UP_S) is not None

    def _says(self, what: str) -> None:
        self.page.wait_for_function(SAID, arg=what)

    def _tap_again(self, selector: str) -> None:
        """Tap hurriedly, without a look at whether that may still be tapped."""
        self.page.locator(selector).evaluate_all("all => all.slice(0, 1).forEach(one => one.click())")

    def _tap_into_silence(self, selector: str) -> None:
        self.wire.cut_with_the_next()
        tap(self.page, selector)
        self.wire.await_sent()

    def _wait_in_vain(self) -> None:
        self.page.clock.fast_forward(ANSWER_MS)
        self.page.locator("#connection:not([hidden])").wait_for()
        self.page.clock.fast_forward(BACK_MS)
        self._says("noAnswer")

    def _fair(self, selector: str, before: int) -> None:
        """Nothing is wrong."""
        tap(self.page, selector)

    def _lagging(self, selector: str, before: int) -> None:
        """Everything takes long, and somebody taps twice."""
        self.wire.lag_s = LAG_S
        tap(self.page, selector)
        self._tap_again(selector)
        self._await_counted(before)
        self.wire.lag_s = 0.0

    def _gone_before(self, selector: str, before: int) -> None:
        """The phone has lost the Wi-Fi and knows it. It says that nothing was sent, and the next tap counts."""
        self.wire.sever()
        self.page.locator("body.offline:not(.fresh)").wait_for()
        self.page.locator(selector).first.tap()
        self._says("notSent")
        assert self._version() == before
        self.wire.mend()
        tap(self.page, selector)

    def _gone_on_the_way_there(self, selector: str, before: int) -> None:
        """The tap is lost in the air. The phone says that it keeps it, and sends it when the link is back."""
        self._tap_into_silence(selector)
        self.wire.sever()
        self._says("onItsWay")
        assert self._version() == before
        self.wire.mend()

    def _gone_on_the_way_back(self, selector: str, before: int) -> None:
        """The tap counted, but its answer was lost. The phone asks again, and it counts no second time."""
        self.wire.cut_with_the_next(back_alone=True)
        tap(self.page, selector)
        self._await_counted(before)
        self.wire.sever()
        self._says("onItsWay")
        self.wire.mend()

    def _silent(self, selector: str, before: int) -> None:
        """Nothing comes through, and no connection ends. That is said soon; a second tap adds nothing."""
        self._tap_into_silence(selector)
        self.page.clock.fast_forward(SAID_WITHIN_MS)
        self.page.locator("#connection:not([hidden])").wait_for()
        self._says("onItsWay")
        self._tap_again(selector)
        assert self._version() == before
        self.wire.mend()

    def _gone_for_long(self, selector: str, before: int) -> None:
        """The link stays away. The phone says that the table does not answer, and the next tap counts once."""
        self._tap_into_silence(selector)
        self.wire.sever()
        self._wait_in_vain()
        assert self._version() == before
        self.wire.mend()
        tap(self.page, selector)

    def _late(self, selector: str, before: int) -> None:
        """What waited in the air arrives after the phone gave up. It counts once; who taps again adds nothing."""
        self._tap_into_silence(selector)
        self._wait_in_vain()
        assert self._version() == before
        self.wire.mend()

    def _forgotten(self, selector: str, before: int) -> None:
        """The open connections are dead, and nothing tells. The phone finds new ones, or says to tap again."""
        self._tap_into_silence(selector)
        self.wire.forget()
        self.page.clock.fast_forward(STREAM_DEAD_MS)
        while True:
            self.page.wait_for_function(COUNTED_OR_NOT, arg=before)
            if self._version() > before:
                return
            tap(self.page, selector)
