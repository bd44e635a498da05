"""A wall, a touchscreen and a phone which show pages as they lie, nobody touching them."""

from __future__ import annotations

import re
from typing import Any

from tests.pages import Pages
from tests.patience import GIVEN_UP_MS

SIZES = {"wall": (1920, 1080), "kiosk": (800, 480), "seat": (390, 844)}
_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)
# The curtain as web/static/hand.js draws it, and the finger that holds.
CURTAIN = """html => {
    document.querySelector("dialog.curtain")?.remove();
    const sheet = Object.assign(document.createElement("dialog"), {className: "curtain", innerHTML: html});
    sheet.setAttribute("aria-labelledby", "curtain-for");
    document.body.append(sheet);
    sheet.showModal();
}"""
HOLD = "on => document.body.classList.toggle('looking', on)"
SHOW = """async html => {
    const page = new DOMParser().parseFromString(html, "text/html");
    document.documentElement.lang = page.documentElement.lang;
    document.title = page.title;
    const style = all => Array.from(all.querySelectorAll("link[rel=stylesheet]"), one => one.getAttribute("href"));
    const has = style(document), wants = style(page);
    for (const one of document.querySelectorAll("link[rel=stylesheet]"))
        if (!wants.includes(one.getAttribute("href"))) one.remove();
    await Promise.all(wants.filter(one => !has.includes(one)).map(href => new Promise(done => {
        const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href, onload: done});
        document.head.append(link);
    })));
    document.body.replaceWith(page.body);
    // As the page's script does as soon as it hears taps.
    for (const one of document.querySelectorAll("[inert]")) one.inert = false;
    for (const moving of document.getAnimations())
        if (moving.effect.getComputedTiming().endTime < Infinity) moving.finish();
}"""
# What has moved in a layer of its own is painted in the page's again a frame later, a little otherwise at its rim.
AT_REST = """async () => {
    await new Promise(requestAnimationFrame);
    for (const moving of document.getAnimations())
        if (moving.effect.getComputedTiming().endTime < Infinity) moving.finish();
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}"""


class Screens:
    """A wall, a touchscreen and a phone, which show one page after the other, at rest: without its scripts."""

    def __init__(self, browser: Any, pages: Pages) -> None:
        self._client = pages.app.test_client()
        self._browser = browser
        self._shown: dict[str, Any] = {}

    def close(self) -> None:
        for screen in self._shown.values():
            screen.context.close()

    def screen(self, kind: str, html: str) -> Any:
        """Return the screen of that kind; it shows the page of the first who asks for it, without its scripts."""
        return self._shown.get(kind) or self._open(kind, html)

    def _open(self, kind: str, html: str) -> Any:
        screen = self._shown[kind] = self._context(kind).new_page()
        screen.set_default_timeout(GIVEN_UP_MS)
        screen.route("**/*", lambda route: self._answer(route, html))
        screen.goto("http://127.0.0.1/page")
        return screen

    def _context(self, kind: str) -> Any:
        wide, high = SIZES[kind]
        return self._browser.new_context(
            viewport={"width": wide, "height": high}, has_touch=True, reduced_motion="reduce", bypass_csp=True
        )

    def _answer(self, route: Any, html: str) -> None:
        path = "/" + route.request.url.split("/", 3)[3]
        if path == "/page":
            route.fulfill(body=_SCRIPT.sub("", html), content_type="text/html")
            return
        answer = self._client.get(path, buffered=True)
        route.fulfill(status=answer.status_code, body=answer.data, headers=dict(answer.headers))
