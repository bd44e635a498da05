"""Whether words can be read: how each differs from what the browser has painted behind it (WCAG 2.2, 1.4.3).

The browser paints a page without its words and with its words grown fat. So gradients, patterns, veils, pictures and
opacity count as they are seen, whatever they are made of. Axe judges no words on a gradient or a pattern.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

TOLD_APART = 6
"""By so many levels of 255 a pixel differs where a word lies; layers round colours by one."""
SAME_INK = 40
"""Where a pixel differs more from the colour of a word, another word lies."""
FEWEST_PX = 4
"""Of a word that is too faint: a single pixel is chance."""
TURNS_MOST = 60
"""How often a page is scrolled to words that have not been looked at."""
# The words on a page, each with what it needs: words that look alike, by their classes and those round them, once.
FIND = """where => {
    const light = matchMedia("(prefers-color-scheme: light)").matches + document.documentElement.lang;
    const looks = e => [e.localName, e.getAttribute("class"), e.ariaPressed, e.checked, e.open].join()
        + (e.parentElement ? "<" + looks(e.parentElement) : light);
    const least = e => {
        const { fontSize, fontWeight } = getComputedStyle(e);
        const px = parseFloat(fontSize) * (e.ownerSVGElement ? Math.abs(e.getScreenCTM().d) : 1);
        return px >= (fontWeight >= 700 ? 18.66 : 24) - 0.01 ? 3 : 4.5;
    };
    const passed = e => e.closest("title, script, .sr, :disabled, [aria-disabled=true]")
        || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
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
    window.looked ??= new Set();
    window.words = [];
    const add = (e, words, node, part = "") => {
        if (!words.trim() || passed(e)) return;
        const look = looks(e) + part;
        const what = `${words.trim().slice(0, 40)} <${e.localName} class="${e.getAttribute("class") || ""}">`;
        if (!window.looked.has(look)) window.words.push({
            e, node, look, least: least(e), what, grounds: e.ownerSVGElement ? [] : grounds(e),
        });
    };
    for (const root of document.querySelectorAll(where)) {
        const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        for (let one = root; one; one = nodes.nextNode()) {
            if (one.nodeType === 3) {
                add(one.parentElement, one.data, one);
                continue;
            }
            if (one.matches("input")) add(one, one.value || one.placeholder || "", one);
            for (const part of ["::before", "::after"])
                add(one, getComputedStyle(one, part).content.replace(/^(none|normal|"\\s*")$/, ""), one, part);
        }
    }
}"""
# Scrolls to a word that was not looked at, and returns what lies in sight of all of them.
NEXT = """() => {
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
    if (!first) return [];
    if (!whole(first)) first.e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const now = window.words.filter(one => one === first || whole(one));
    for (const one of now) window.looked.add(one.look);
    return now.map(one => ({ ...one, e: 0, node: 0, places: places(one) }));
}"""
PAINT = """how => {
    const texts = "svg :is(text, tspan)";
    const rules = {
        "": "",
        none: `-webkit-text-fill-color: transparent; text-decoration-color: transparent } ${texts} { fill: transparent`,
        marked: `-webkit-text-fill-color: #f0f } ${texts} { fill: #f0f`,
        fat: `-webkit-text-stroke: 4px currentcolor } ${texts} { stroke-width: 5px`,
    }[how].replaceAll(/[;}]|$/g, " !important $&");
    window.paint ??= new CSSStyleSheet();
    window.paint.replaceSync("");
    for (const one of document.querySelectorAll(texts)) {
        const { fill, stroke, paintOrder } = getComputedStyle(one);
        const haloed = paintOrder !== "normal";
        one.style.setProperty("stroke", how === "fat" && !haloed ? fill : "", "important");
        one.style.setProperty("fill", how === "none" && haloed ? stroke : "", "important");
    }
    if (how) window.paint.replaceSync(`*, ::before, ::after, ::placeholder {
        transition: none !important; text-shadow: none !important; caret-color: transparent !important; ${rules} }`);
    if (!document.adoptedStyleSheets.includes(window.paint)) document.adoptedStyleSheets.push(window.paint);
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
    devtools = screen.context.new_cdp_session(screen)
    found = []
    for unfolded in (False, True):
        if unfolded and not screen.evaluate(UNFOLD, True):
            break
        screen.evaluate(FIND, where)
        for _ in range(TURNS_MOST):
            words = screen.evaluate(NEXT)
            if not words:
                break
            found += _too_faint(words, _painter(screen, devtools, words))
        else:
            raise AssertionError("words that never come into sight")
    screen.evaluate(UNFOLD, False)
    screen.evaluate(PAINT, "")
    devtools.detach()
    return found


def _painter(screen: Any, devtools: Any, words: list[Any]) -> Callable[[str], Picture]:
    """Return what paints the part of a page in which `words` lie; their places count from its corner from now on."""
    places = [place for one in words for place in one["places"]]
    left, top = (min((place[axis] for place in places), default=0) for axis in (0, 1))
    right, bottom = (max((place[axis] for place in places), default=1) for axis in (2, 3))
    for place in places:
        place[:] = place[0] - left, place[1] - top, place[2] - left, place[3] - top
    scrolled = screen.evaluate("() => [scrollX, scrollY]")
    clip = {"x": left + scrolled[0], "y": top + scrolled[1], "width": right - left, "height": bottom - top, "scale": 1}

    def painted(how: str) -> Picture:
        screen.evaluate(PAINT, how)
        asked = {"format": "png", "optimizeForSpeed": True, "clip": clip}
        shot = b64decode(devtools.send("Page.captureScreenshot", asked)["data"])
        return np.asarray(cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_COLOR), np.uint8)

    return painted


def _too_faint(words: list[Any], painted: Callable[[str], Picture]) -> list[str]:
    ground, fat = painted("none"), painted("fat")
    apart = cv2.absdiff(fat, ground).max(axis=2)
    unseen = [one for one in words if all(apart[_within(place)].max() <= TOLD_APART for place in one["places"])]
    marked = cv2.absdiff(painted("marked"), ground).max(axis=2) if unseen else apart
    found = []
    for one in words:
        for place in one["places"]:
            part = _within(place)
            worst = _worst(ground[part], fat[part], apart[part], one["grounds"])
            if one in unseen and (marked[part] > TOLD_APART).any():
                worst = 1.0, "the colour of what lies behind"
            if worst[0] < one["least"] - 0.005:
                found.append(f"contrast {worst[0]:.2f} of {one['least']}, {worst[1]}: {one['what']}")
                break
    return found


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
