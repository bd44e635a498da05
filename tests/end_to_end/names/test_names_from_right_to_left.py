"""Names that are written from right to left move nothing that stands beside them, as the browser lays them out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES
from appliance.games.protocol import Player
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, random_setups
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]

NAMES = ("\u05d3\u05d5\u05d3", "\u05e9\u05e8\u05d4 B", "\u0645\u0631\u064a\u0645", "\u0645\u06cc\u0646\u0627")
BOTH = NAMES[1]
# The second word of a name of both directions stands on the left of its first.
TURNED = r"""name => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        for (let at = node.data.indexOf(name); at >= 0; at = node.data.indexOf(name, at + 1)) {
            const [first, last] = [at, at + name.length - 1].map(one => {
                const range = document.createRange();
                range.setStart(node, one);
                range.setEnd(node, one + 1);
                return range.getBoundingClientRect();
            });
            if (last.width && last.top < first.bottom && first.top < last.bottom && last.left > first.left)
                found.push(node.parentElement.outerHTML);
        }
    return found;
}"""
# What follows a name in its line stands on its right, in the order in which it is written.
MISPLACED = r"""names => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const paragraph = node => {
        let one = node.parentElement;
        while (getComputedStyle(one).display === "inline") one = one.parentElement;
        return one;
    };
    const boxes = (node, from, to) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        return Array.from(range.getClientRects());
    };
    for (const [number, node] of texts.entries()) {
        const text = node.data;
        for (const name of names)
            for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
                let from = number, on = node, after = at + name.length;
                while (on && (after === on.data.length || /[\s\u2066-\u2069]/u.test(on.data[after])))
                    if (++after >= on.data.length) [on, after] = [texts[++from], 0];
                if (!on || paragraph(on) !== paragraph(node)) continue;
                const [next] = boxes(on, after, after + 1);
                const middle = next && (next.top + next.bottom) / 2;
                const beyond = one => one.top < middle && middle < one.bottom && next.left < one.right - 1;
                if (next && boxes(node, at, at + name.length).some(beyond)) found.push(text + "|" + on.data);
            }
    }
    return found;
}"""


def moments(game: str) -> Iterator[Moment]:
    """Yield every third moment of the first evening of a game between players with such names."""
    setup = random_setups(game)[0]
    players = [msgspec.structs.replace(one, name=NAMES[seat]) for seat, one in enumerate(setup.players)]
    course = Course(game, msgspec.structs.replace(setup, players=tuple[Player, ...](players)))
    for step, (_, action, *_) in enumerate(islice(play_of(game).played(setup, Random(0), leaving=0.0), 60)):
        assert course.do(action), action
        if step % 3 == 0:
            yield course.moment("right to left", step)


@pytest.mark.parametrize("game", GAMES)
def test_a_name_from_right_to_left_moves_nothing_and_stands_in_its_own_order(browser: Any, game: str) -> None:
    pages, named = Pages(), 0
    found: list[str] = []
    screens = Screens(browser, pages)
    for moment in moments(game):
        for kind, html in (
            ("wall", pages.wall(moment, "en")),
            ("kiosk", pages.kiosk(moment, "en")),
            ("seat", pages.phone(moment, NAMES.index(BOTH), "en")),
        ):
            screen = screens.screen(kind, html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            named += any(name in screen.inner_text("body") for name in NAMES)
            found += [f"{kind} {moment.step}: {one}" for one in screen.evaluate(MISPLACED, NAMES)]
            found += [f"{kind} {moment.step}: {one}" for one in screen.evaluate(TURNED, BOTH)]
    screens.close()
    assert named > 4
    assert found == []
