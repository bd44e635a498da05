"""What a page's HTML says, and what is wrong with it that no browser complains of: each mends it in its own way."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Any

from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES

_TAG = re.compile(r"""<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_REGION = '<section class="region '
_ID = re.compile(r"""\sid="([^"]*)\"""")
_SAID = re.compile(r"""\s(?:aria-label|title|alt|data-sure|data-none|data-some|data-look-first)="([^"]*)\"""")
_REFERS = re.compile(r"""\s(?:for|aria-labelledby|aria-describedby|aria-controls)="([^"]*)\"""")
_STYLE_SHEET = re.compile(r"<link[^>]*rel=\"?stylesheet|<style")
_VOID = frozenset({"meta", "link", "input", "img", "br", "hr"})
_ENDS_A_PARAGRAPH = frozenset(
    {"p", "div", "ul", "ol", "dl", "table", "form", "section", "article", "aside", "header", "footer", "nav", "main"}
    | {"h1", "h2", "h3", "h4", "figure", "fieldset", "details", "dialog"}
)
_TAKES_TAPS = frozenset({"a", "button", "select", "label", "summary"})


@cache
def _code_like(game: str) -> re.Pattern[str]:
    families = {
        code.split(".")[0] for language in LANGUAGES for code in words_of(language, game).codes() if "." in code
    }
    return re.compile(rf"(?<![\w./-])(?:{'|'.join(sorted(families))})\.[a-z_]+")


def text_of(html: str) -> str:
    """Return what a page or a part of it says: without tags, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def sends_of(html: str) -> list[Any]:
    """Return what the buttons of a page or of a part of it send, in their order; `html` is unescaped."""
    return [json.loads(sent) for sent in re.findall(r"data-send='([^']*)'", html)]


def faults(html: str, game: str) -> list[str]:
    """Return what is wrong: tags that do not match, ids that occur twice, words that are missing."""
    ids = _ID.findall(html)
    found = [f"the id {name} twice" for name, count in Counter(ids).items() if count > 1]
    found += [
        f"no {name} to refer to" for refers in _REFERS.findall(html) for name in refers.split() if name not in ids
    ]
    if _STYLE_SHEET.search(html.partition("<body")[2]):
        found.append("a style sheet in the body: what comes with it stands unstyled until it is loaded")
    return found + [fault for piece in _pieces(html) for fault in _faults_within(piece, game)]


def _pieces(html: str) -> Iterator[str]:
    """Yield the regions of a live page, which are mostly those of the page before, and what stands round them."""
    around, *regions = html.split(_REGION)
    for region in regions:
        inside, _, after = region.partition(">")[2].rpartition("</section>")
        around += after
        yield inside
    yield around


@cache
def _faults_within(html: str, game: str) -> list[str]:
    text = _TAG.sub(" ", html.partition("<body")[2] or html) + " ".join(_SAID.findall(html))
    return [
        *_unbalanced(html),
        *(f"no words for {code}" for code in _code_like(game).findall(text)),
        *(f"unsaid: {sign}" for sign in re.findall(r"\bNone\b|\bUndefined\b|\{[a-z_]+\}", text)),
    ]


def _unbalanced(html: str) -> list[str]:
    stack: list[str] = []
    for match in _TAG.finditer(html):
        closing, name, inside = match.group(1), match.group(2).lower(), match.group(3)
        if closing:
            if not stack or stack.pop() != name:
                return [f"</{name}> closes nothing: …{html[max(0, match.start() - 80) : match.end()]}"]
        elif name not in _VOID and not inside.endswith("/"):
            if "p" in stack and name in _ENDS_A_PARAGRAPH:
                return [f"<{name}> within <p>: {html[match.start() : match.end() + 80]}"]
            if name in _TAKES_TAPS and (around := _TAKES_TAPS & set(stack)):
                return [f"<{name}> within <{min(around)}>: {html[match.start() : match.end() + 80]}"]
            stack.append(name)
    return [f"<{name}> is never closed" for name in stack]
