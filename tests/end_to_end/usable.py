"""What a page must be for everybody: what axe finds, how large targets and type are; and the moments to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from appliance.games.catalogue import the_game
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.playing import own_prompts
from tests.end_to_end.at_rest import AT_REST, CURTAIN, HOLD, SHOW, Screens
from tests.end_to_end.contrast import HIDE, faint
from tests.moments import Moment, moments_of
from tests.pages import Page, Pages
from tests.places import ROOT

AXE = (ROOT / "tests" / "vendor" / "axe.min.js").read_text(encoding="utf-8")
TARGET_PX = {"kiosk": 48, "hand": 48, "seat": 44, "wall": 24}
"""WCAG 2.2 asks for 24; a wall is tapped by nobody but whoever opened it, with a mouse."""
TYPE_PX = 11
WALL_TYPE_PX = 24
"""What is read from three metres."""
_REGION = re.compile(r'<section class="region [^"]*" id="([^"]+)"')
_ELEMENT = re.compile(r"<([a-z][a-z0-9]*)([^>]*)>")
_LOOKS = re.compile(r"""\b(?:class|role|type|fill|aria-pressed)="[^"]*"|\b(?:hidden|disabled|aria-[a-z]+)\b""")
_WORDED = [
    *("aria-command-name", "aria-input-field-name", "aria-toggle-field-name", "button-name", "document-title"),
    *("empty-heading", "html-lang-valid", "image-alt", "input-button-name", "label", "link-name", "role-img-alt"),
    *("select-name", "summary-name", "svg-img-alt", "valid-lang"),
]
"""axe's rules that the words of a language can break."""
WORDED: dict[str, Any] = {"runOnly": {"type": "rule", "values": _WORDED}}
STRUCTURE: dict[str, Any] = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"color-contrast": {"enabled": False}},
}
LOOK = """async ([where, options]) => {
    const context = where.length ? { include: where } : document;
    const found = await axe.run(context, { ...options, resultTypes: ["violations"] });
    return found.violations.flatMap(fault => fault.nodes.map(
        node => `${fault.id}: ${node.html.slice(0, 120)} ${(node.any[0] || {message: ""}).message.slice(0, 110)}`));
}"""
THEMED = """() => Array.from(document.styleSheets).some(sheet => Array.from(sheet.cssRules).some(
    rule => rule.media && rule.media.mediaText.includes("prefers-color-scheme")))"""
MOMENTS = """() => Array.from(document.querySelectorAll("[data-moment]")).filter(one => one.childElementCount)
    .map(one => one.dataset.kind || "")"""
# Returns the words that the stage cuts off or breaks in two.
STAGE = """kind => {
    const stage = document.getElementById("stage");
    const moment = Array.from(document.querySelectorAll("[data-moment]")).findLast(one => one.dataset.kind === kind);
    stage.classList.toggle("on", Boolean(kind));
    stage.replaceChildren(...(kind ? [moment.cloneNode(true)] : []));
    if (!kind) return [];
    stage.firstChild.hidden = false;
    const frame = stage.getBoundingClientRect();
    const broken = Array.from(stage.querySelectorAll(".m-title")).flatMap(one => {
        const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode(), word = document.createRange();
        return Array.from(text.data.matchAll(/[^\\s-]+-?/g)).filter(found => {
            word.setStart(text, found.index);
            word.setEnd(text, found.index + found[0].length);
            return new Set(Array.from(word.getClientRects(), box => box.top)).size > 1;
        }).map(found => found[0]);
    });
    return broken.concat(Array.from(stage.querySelectorAll("p, bdi, .m-name")).filter(one => {
        const box = one.getBoundingClientRect();
        return box.top < frame.top - 1 || box.bottom > frame.bottom + 1
            || box.left < frame.left || box.right > frame.right;
    }).map(one => one.textContent));
}"""
# A target is as large as what answers to a finger: a label, what a pseudo-element adds. Links within a sentence are
# as high as its line (WCAG 2.5.8).
TARGETS = """least => {
    const seen = e => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden";
    const small = [], all = "a[href], button, summary, select, input:not([type=hidden]), [data-hold]";
    for (const e of (document.querySelector("dialog[open]") || document).querySelectorAll(all)) {
        if (e.disabled || !seen(e) || getComputedStyle(e).display === "inline") continue;
        const target = (e.labels && e.labels[0]) || e;
        target.scrollIntoView({block: "center", inline: "center"});
        const box = target.getBoundingClientRect();
        if (box.width > least - 0.6 && box.height > least - 0.6) continue;
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        const reach = (dx, dy) => {
            for (let far = 1; far < least; far++) {
                const at = document.elementFromPoint(x + dx * far, y + dy * far);
                if (!at || !(target.contains(at) || at.closest("label") === target)) return far;
            }
            return least;
        };
        const wide = reach(-1, 0) + reach(1, 0) > least - 1, high = reach(0, -1) + reach(0, 1) > least - 1;
        const size = `${Math.round(box.width)}x${Math.round(box.height)}`;
        if (!wide || !high) small.push(`${size} ${e.outerHTML.slice(0, 110)}`);
    }
    return small;
}"""
# What stands in a wall's <nav> is for whoever opened the page, at the mouse.
TYPE = """least => {
    const small = new Set(), texts = document.createTreeWalker(
        document.querySelector("dialog[open]") || document.body, NodeFilter.SHOW_TEXT);
    for (let text; (text = texts.nextNode()); ) {
        const e = text.parentElement;
        const aside = e.closest(".sr, [aria-hidden=true], script, .kind-wall nav");
        if (aside || !text.data.trim() || !e.getClientRects().length) continue;
        const scale = e.ownerSVGElement ? Math.abs(e.getScreenCTM().d) : 1;
        const px = parseFloat(getComputedStyle(e).fontSize) * scale;
        const what = `${text.data.trim().slice(0, 40)} <${e.localName} class="${e.getAttribute("class") || ""}">`;
        if (px < least - 0.05) small.add(`${px.toFixed(1)} px: ${what}`);
    }
    return [...small];
}"""


def moments_to_see(game: str) -> list[Moment]:
    """Return few moments in which every deed of `game` is asked for, of the table and of a seat, and its end."""
    asked: dict[str, tuple[Moment, set[Any]]] = {}
    for moment in moments_of(game):
        if moment.told not in asked:
            asked[moment.told] = moment, _features(moment)
    chosen, due = [], set[Any]().union(*(features for _, features in asked.values()))
    while due:
        moment, features = max(asked.values(), key=lambda one: len(one[1] & due))
        chosen.append(moment)
        due -= features
    return chosen


def _parts(html: str) -> dict[str, str]:
    """Return the regions of a live page by their ids, and what stands round them by ""."""
    around, *regions = _REGION.split(html)
    parts = {}
    for name, region in zip(regions[::2], regions[1::2], strict=True):
        inside, _, after = region.rpartition("</section>")
        parts[name] = inside
        around += after
    return {"": around} | parts


def built(html: str) -> str:
    """Return the elements of a piece of HTML with what the eye sees of them beside their words."""
    return " ".join(f"{name} {' '.join(_LOOKS.findall(inside))}" for name, inside in _ELEMENT.findall(html))


def _features(moment: Moment) -> set[Any]:
    rules = the_game(moment.game).rules
    if rules.outcome(moment.snapshot.state) is not None:
        return {"over"}
    return {prompt.do for prompt in own_prompts(rules, moment.snapshot.state)}


def pages_to_see(pages: Pages, moment: Moment) -> Iterator[Page]:
    """Yield the wall, the touchscreen, the phones and hands of one who is asked and of one who is not, and the rest."""
    prompts = own_prompts(the_game(moment.game).rules, moment.snapshot.state)
    asked = {prompt.seat for prompt in prompts if prompt.seat is not None}
    seats = moment.snapshot.setup.players if moment.snapshot.setup else ()
    waiting = [seat for seat in range(len(seats)) if seat not in asked]
    some = [*sorted(asked)[:1], *waiting[:1]]
    unseen = {f"{kind}-{seat}" for kind in ("seat", "hand") for seat in range(len(seats)) if seat not in some}
    shown = (page for page in pages.of(moment) if page.viewer not in unseen)
    # A hand lies on the touchscreen's page.
    yield from sorted(shown, key=lambda page: (page.language, page.viewer.startswith("hand"), page.viewer == "kiosk"))


def check_pages_of(game: str, browser: Any) -> None:
    """Fail where a page of `game` cannot be used by everybody, in any language and in any of its themes."""
    pages, screens, wrong = Pages(), JudgedScreens(browser, Pages()), dict[str, str]()
    try:
        for moment in moments_to_see(game):
            for page in pages_to_see(pages, moment):
                where = f"{moment.source} step {moment.step} {page.viewer} {page.language}"
                for fault in screens.faults(page):
                    wrong.setdefault(fault, where)
    finally:
        screens.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))


class JudgedScreens(Screens):
    """Screens that tell what is wrong with the pages they show; their words show only while they are judged.

    What every language shares is looked at in the first one, and each part of a page once for all that are built
    alike: of the same elements with the same classes.
    """

    def __init__(self, browser: Any, pages: Pages) -> None:
        super().__init__(browser, pages)
        self._staged: set[tuple[str, str]] = set()
        self._built: set[tuple[str, str, str]] = set()

    def faults(self, page: Page) -> list[str]:
        """Return what is wrong with a page as it lies, and with each of its moments as it is staged."""
        kind = page.viewer.split("-")[0].split(".")[0]
        shown = "kiosk" if kind == "hand" else kind
        screen = self.screen(shown, page.html)
        screen.evaluate(CURTAIN if kind == "hand" else SHOW, page.html)
        least = {"wall": WALL_TYPE_PX}.get(kind, TYPE_PX)
        found = self._axe(screen, kind, page)
        found += [f"type {fault}" for fault in screen.evaluate(TYPE, least)]
        found += [f"target {fault}" for fault in screen.evaluate(TARGETS, TARGET_PX[kind])]
        for what in screen.evaluate(MOMENTS):
            if (kind, what) not in self._staged:
                self._staged.add((kind, what))
                found += self._staged_faults(screen, what, least)
        return found

    def _staged_faults(self, screen: Any, what: str, least: int) -> list[str]:
        beyond = screen.evaluate(STAGE, what)
        looked = [*screen.evaluate(LOOK, [["#stage"], STRUCTURE]), *self._faint(screen, ["#stage"])]
        found = [f"{what}: {fault}" for fault in [*looked, *screen.evaluate(TYPE, least)]]
        screen.evaluate(STAGE, "")
        return found + [f"{what} is cut off: {text}" for text in beyond]

    def _axe(self, screen: Any, kind: str, page: Page) -> list[str]:
        parts = {where: (kind, page.language, built(html)) for where, html in _parts(page.html).items()}
        new = [where for where, looks in parts.items() if looks not in self._built]
        self._built.update(parts.values())
        if not new:
            return []
        inside = [".curtain"] if kind == "hand" else [] if "" in new else [f"#{where}" for where in new]
        rules = WORDED if page.language != LANGUAGES[0] else STRUCTURE
        return [*(f"axe {fault}" for fault in screen.evaluate(LOOK, [inside, rules])), *self._faint(screen, inside)]

    def _faint(self, screen: Any, where: list[str]) -> list[str]:
        """Return what cannot be read in each theme that the page has, with what is private held to be seen."""
        screen.evaluate(HOLD, True)
        screen.evaluate(AT_REST)
        found = []
        for theme in ("dark", "light") if screen.evaluate(THEMED) else ("light",):
            screen.emulate_media(color_scheme=theme)
            found += [f"{theme}: {fault}" for fault in faint(screen, ",".join(where) or "body")]
        screen.evaluate(HOLD, False)
        return found

    def _open(self, kind: str, html: str) -> Any:
        screen = super()._open(kind, html)
        screen.evaluate(AXE)
        # Words that show at each look and hide after it would make most of the work: a whole page's style anew.
        screen.evaluate(HIDE, True)
        return screen
