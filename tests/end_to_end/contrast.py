"""Whether words can be read: how each differs from what the browser has painted behind it (WCAG 2.2, 1.4.3).

The browser paints a page without its words and with its words grown fat. So gradients, patterns, veils, pictures and
opacity count as they are seen, whatever they are made of. Axe judges no words on a gradient or a pattern.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.end_to_end.at_rest import AT_REST

Picture = NDArray[np.uint8]

TOLD_APART = 6
"""By so many levels of 255 a pixel differs where a word lies; layers round colours by one."""
SAME_INK = 40
"""Where a pixel differs more from the colour of a word, another word lies."""
FEWEST_PX = 4
"""Of a word that is too faint: a single pixel is chance."""
TURNS_MOST = 60
"""How often a page is scrolled to words that have not been looked at."""
# Finds the words on a page that look like none seen before, by their classes and those round them; returns how many.
# What is drawn has no room of its own: there words of another language lie elsewhere.
FIND = """where => {
    const light = matchMedia("(prefers-color-scheme: light)").matches;
    const { lang } = document.documentElement;
    const known = new Map([[null, light]]);
    window.looks ??= new Map();
    const number = look => window.looks.get(look) ?? (window.looks.set(look, window.looks.size), window.looks.size - 1);
    const looks = e => {
        const own = () => [e.localName, e.getAttribute("class"), e.ariaPressed, e.checked, e.open].join();
        if (!known.has(e)) known.set(e, number(own() + "<" + looks(e.parentElement)));
        return known.get(e);
    };
    const passed = e => e.closest("title, script, .sr, :disabled, [aria-disabled=true]")
        || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    window.looked ??= new Set();
    window.bare ??= new Set();
    window.words = [];
    const add = (e, words, node, part = "") => {
        const look = looks(e) + part + (e.ownerSVGElement ? lang : "");
        if (window.looked.has(look) || !words.trim() || passed(e)) return;
        const what = `${words.trim().slice(0, 40)} <${e.localName} class="${e.getAttribute("class") || ""}">`;
        window.words.push({ e, node, look, what });
    };
    const addBesides = (e, part) => {
        const look = looks(e) + part;
        if (window.bare.has(look) || window.looked.has(look)) return;
        const words = getComputedStyle(e, part).content.replace(/^(none|normal|"\\s*")$/, "");
        if (words) add(e, words, e, part);
        else window.bare.add(look);
    };
    for (const root of document.querySelectorAll(where)) {
        const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        for (let one = root; one; one = nodes.nextNode()) {
            if (one.nodeType === 3) {
                add(one.parentElement, one.data, one);
                continue;
            }
            if (one.matches("input")) add(one, one.value || one.placeholder || "", one);
            for (const part of ["::before", "::after"]) addBesides(one, part);
        }
    }
    return window.words.length;
}"""
# Scrolls to a word that was not looked at, and returns what lies in sight of all of them, and how far it scrolled.
NEXT = """() => {
    const parts = colour => [...colour.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
    const over = (top, under) => top.slice(0, 3).map((part, n) => Math.round(part * top[3] + under[n] * (1 - top[3])));
    const unique = colours => [...new Map(colours.map(one => [one.join(), one])).values()];
    const laid = (colours, unders) => unique(unders.flatMap(under => colours.map(one => over(parts(one), under))));
    const grounds = e => {
        if (!e) return [[255, 255, 255]];
        const { backgroundImage, backgroundColor, position } = getComputedStyle(e);
        const opaque = backgroundColor.startsWith("rgb(");
        if (position === "fixed" && !opaque) return [];
        let found = laid([backgroundColor], opaque ? [[0, 0, 0]] : grounds(e.parentElement));
        for (const layer of backgroundImage.split(/, (?=[a-z-]+-gradient)/).reverse())
            found = laid(layer.match(/rgba?\\([^)]*\\)/g) || ["rgba(0, 0, 0, 0)"], found);
        return found;
    };
    const sight = e => {
        let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
        for (; e && e !== document.body; e = e.parentElement) {
            const { overflowX, position } = getComputedStyle(e);
            if (overflowX !== "visible" && !e.ownerSVGElement) {
                const box = e.getBoundingClientRect();
                left = Math.max(left, box.left), right = Math.min(right, box.right);
                top = Math.max(top, box.top), bottom = Math.min(bottom, box.bottom);
            }
            if (position === "fixed") break;
        }
        return [left, top, right, bottom];
    };
    const boxes = node => {
        if (node.nodeType !== 3) return [node.getBoundingClientRect()];
        const range = document.createRange();
        range.selectNodeContents(node);
        return Array.from(range.getClientRects());
    };
    const covered = (e, box) => {
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        let at = document.elementFromPoint(x, y);
        // A piece lies over the words of a map for a while, and its shadow.
        const round = [[-12, 0], [12, 0], [0, -12], [0, 12]];
        const near = round.map(([dx, dy]) => document.elementFromPoint(x + dx, y + dy));
        if (e.ownerSVGElement && at && !e.contains(at)) return true;
        if (e.ownerSVGElement && near.some(one => one?.closest(".piece"))) return !e.closest(".piece");
        while (at && !/sticky|fixed/.test(getComputedStyle(at).position)) at = at.parentElement;
        return at && !at.contains(e);
    };
    const least = e => {
        const { fontSize, fontWeight } = getComputedStyle(e);
        const px = parseFloat(fontSize) * (e.ownerSVGElement ? Math.abs(e.getScreenCTM().d) : 1);
        return px >= (fontWeight >= 700 ? 18.66 : 24) - 0.01 ? 3 : 4.5;
    };
    const places = ({ e, node }) => {
        const [left, top, right, bottom] = sight(e);
        return boxes(node).filter(box => !covered(e, box)).map(box => [
            Math.max(box.left, left), Math.max(box.top, top), Math.min(box.right, right), Math.min(box.bottom, bottom),
        ].map(Math.round)).filter(([x, y, to, down]) => to > x && down > y);
    };
    const whole = ({ e, node }) => {
        const [, top, , bottom] = sight(e);
        return boxes(node).every(box => box.top >= top - 1 && box.bottom <= bottom + 1 && !covered(e, box));
    };
    window.words = window.words.filter(one => !window.looked.has(one.look) && boxes(one.node).some(box => box.width));
    const [first] = window.words;
    if (!first) return null;
    if (!whole(first)) first.e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    window.inked = window.words.filter(one => one === first || whole(one));
    for (const one of window.inked) window.looked.add(one.look);
    const words = window.inked.map(({ e, node, what }) => (
        { what, least: least(e), grounds: e.ownerSVGElement ? [] : grounds(e), places: places({ e, node }) }));
    return { words, scrolled: [scrollX, scrollY] };
}"""
# Hides all words of a page, or shows them again; returns whether they were hidden.
HIDE = """hidden => {
    const all = part => `${part}, ${part}::before, ${part}::after, ${part}::placeholder`;
    const rules = [
        [all("*"), "transition: none; text-shadow: none; caret-color: transparent; text-decoration-color: transparent"],
        [all(":not([data-ink])"), "-webkit-text-fill-color: transparent; -webkit-text-stroke: 0 transparent"],
        ["svg :is(text, tspan):not([data-ink])", "fill: transparent"],
        [all("[data-ink=none]"), "-webkit-text-fill-color: transparent"],
        [all("[data-ink=fat]"), "-webkit-text-fill-color: currentcolor; -webkit-text-stroke: 4px currentcolor"],
        [all("[data-ink=marked]"), "-webkit-text-fill-color: #f0f"],
    ].map(([where, what]) => `${where} { ${what.replaceAll(/;|$/g, " !important$&")} }`);
    if (!window.ink) document.adoptedStyleSheets.push(window.ink = new CSSStyleSheet());
    const before = window.ink.cssRules.length > 0;
    if (before !== hidden) window.ink.replaceSync(hidden ? rules.join("\\n") : "");
    return before;
}"""
# Shows the words that are looked at now, or hides them again (""). What is drawn with a halo has its ground in it.
INK = """how => {
    for (const one of window.inked) {
        const { e } = one;
        const drawn = e.ownerSVGElement ? [e, e.closest("text")] : [];
        for (const part of new Set([e, ...drawn.filter(Boolean)])) {
            if (how) part.dataset.ink = how;
            else delete part.dataset.ink;
        }
        if (!drawn.length) continue;
        one.style ??= e.getAttribute("style") || "";
        e.setAttribute("style", one.style);
        if (!how) continue;
        const { fill, stroke, paintOrder } = one.drawn ??= { ...getComputedStyle(e) };
        const haloed = paintOrder !== "normal";
        const fills = { none: haloed ? stroke : "transparent", marked: "#f0f", fat: fill };
        e.style.setProperty("fill", fills[how], "important");
        if (how !== "fat" || haloed) continue;
        e.style.setProperty("stroke", fill, "important");
        e.style.setProperty("stroke-width", "5px", "important");
    }
}"""
UNFOLD = """open => {
    const folded = document.querySelectorAll(open ? "details:not([open])" : "details[data-unfolded]");
    for (const one of folded) {
        one.open = open;
        one.toggleAttribute("data-unfolded", open);
    }
    return folded.length;
}"""


def faint(screen: Any, where: str = "body") -> list[str]:
    """Return the words in some places of a page that differ too little from what lies behind them.

    Words that look like others seen on the same screen before are taken as read.
    """
    hidden = screen.evaluate(HIDE, True)
    devtools = screen.context.new_cdp_session(screen)
    found = []
    for unfolded in (False, True):
        if unfolded and not screen.evaluate(UNFOLD, True):
            break
        if screen.evaluate(FIND, where):
            found += _faint_of_found(screen, devtools)
    screen.evaluate(UNFOLD, False)
    screen.evaluate(HIDE, hidden)
    devtools.detach()
    return found


def _faint_of_found(screen: Any, devtools: Any) -> list[str]:
    found: list[str] = []
    for _ in range(TURNS_MOST):
        sight = screen.evaluate(NEXT)
        if sight is None:
            return found
        paint = _painter(screen, devtools, **sight)
        if _too_faint(sight["words"], paint):
            # On a busy machine a picture may be older than the ink: what is found is looked at again, at rest.
            found += _too_faint(sight["words"], partial(paint, rests=True))
        screen.evaluate(INK, "")
    raise AssertionError("words that never come into sight")


def _painter(screen: Any, devtools: Any, words: list[Any], scrolled: list[float]) -> Callable[..., Picture]:
    """Return what paints the part of a page in which `words` lie; their places count from its corner from now on."""
    places = [place for one in words for place in one["places"]]
    left, top = (min((place[axis] for place in places), default=0) for axis in (0, 1))
    right, bottom = (max((place[axis] for place in places), default=1) for axis in (2, 3))
    for place in places:
        place[:] = place[0] - left, place[1] - top, place[2] - left, place[3] - top
    clip = {"x": left + scrolled[0], "y": top + scrolled[1], "width": right - left, "height": bottom - top, "scale": 1}

    def painted(how: str, *, rests: bool = False) -> Picture:
        screen.evaluate(INK, how)
        if rests:
            screen.evaluate(AT_REST)
        asked = {"format": "png", "optimizeForSpeed": True, "clip": clip}
        shot = b64decode(devtools.send("Page.captureScreenshot", asked)["data"])
        return np.asarray(cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_COLOR), np.uint8)

    return painted


def _too_faint(words: list[Any], painted: Callable[[str], Picture]) -> list[str]:
    ground, fat = painted("none"), painted("fat")
    apart = cv2.absdiff(fat, ground).max(axis=2)
    unseen = [one for one in words if all(apart[_within(place)].max() <= TOLD_APART for place in one["places"])]
    if not unseen and not any(_fault(one, ground, fat, apart) for one in words):
        return []
    # What lies beside a letter may be painted a little otherwise at its rim, but does not change with its colour.
    marked = cv2.absdiff(painted("marked"), ground).max(axis=2)
    apart[marked <= SAME_INK] = 0
    lost = "contrast 1.00, the colour of what lies behind: "
    found = [
        lost + one["what"]
        for one in unseen
        if any((marked[_within(place)] > TOLD_APART).any() for place in one["places"])
    ]
    return found + [fault for one in words if (fault := _fault(one, ground, fat, apart))]


def _fault(word: Any, ground: Picture, fat: Picture, apart: Picture) -> str:
    """Return what is wrong with the line of a word that differs least from what lies behind it, or ""."""
    for part in map(_within, word["places"]):
        contrast, colours = _worst(ground[part], fat[part], apart[part], word["grounds"])
        if contrast < word["least"] - 0.005:
            return f"contrast {contrast:.2f} of {word['least']}, {colours}: {word['what']}"
    return ""


def _worst(ground: Picture, fat: Picture, apart: Picture, stops: list[list[int]]) -> tuple[float, str]:
    """Return the contrast of a line of words to the worst of what lies behind it, and the two colours.

    The rim of a letter is painted in part: its colour is that of its middle, which differs most. Words of another
    length lie elsewhere on a gradient: all its `stops` count, in RGB, with the veils that lie over them.
    """
    ink = np.median(fat[apart >= 0.9 * apart.max()], axis=0).astype(np.uint8)
    lies = (apart > TOLD_APART) & (cv2.absdiff(fat, np.full_like(fat, ink)).max(axis=2) < SAME_INK)
    if lies.sum() < FEWEST_PX:
        return np.inf, ""
    behind = np.concatenate([ground[lies], *[np.full((FEWEST_PX, 3), one[::-1], np.uint8) for one in stops]])
    own, other = float(_light(ink)), _light(behind)
    contrast = (np.maximum(own, other) + 0.05) / (np.minimum(own, other) + 0.05)
    at = np.argsort(contrast)[FEWEST_PX - 1]
    return float(contrast[at]), f"#{bytes(ink[::-1]).hex()} on #{bytes(behind[at, ::-1]).hex()}"


def _within(place: list[int]) -> tuple[slice, slice]:
    left, top, right, bottom = place
    return slice(top, bottom), slice(left, right)


def _light(pixels: Picture) -> NDArray[np.float64]:
    """Return the relative luminance of pixels in BGR."""
    share = pixels / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ (0.0722, 0.7152, 0.2126))
