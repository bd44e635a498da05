"""A phone speaks to its owner: "you", never their name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from appliance.games.catalogue import GAMES, added
from tests.moments import NAMED, at_random
from tests.pages import Pages
from tests.places import ROOT
from tests.porters_game.game import GAME as PORTERS

SPOKEN = re.compile(r'<h1[^>]*>(.*?)</h1>|<p class="latest">(.*?)</p>', re.DOTALL)
BLANK = re.compile(r"\{(\w+)")
OWNERS = {".you": {"seat", "seats", "winner", "winners"}, ".at_you": {"target", "source", "owner"}}
STEPS = 25


@pytest.fixture(autouse=True)
def porters() -> Iterator[None]:
    """A game without pages of its own speaks like the others."""
    with added(PORTERS):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("game", [*GAMES, PORTERS.name])
def test_neither_what_is_asked_nor_what_happened_names_the_owner(game: str) -> None:
    pages, named, heard = Pages(), set(), 0
    for moment, _ in zip(at_random(game, 0, set()), range(STEPS), strict=False):
        for page in pages.of(moment):
            if not page.viewer.startswith("seat-"):
                continue
            name = NAMED[int(page.viewer.removeprefix("seat-"))]
            for found in SPOKEN.finditer(page.html):
                sentence = unescape(re.sub(r"<[^>]+>", "", found.group(1) or found.group(2))).strip()
                heard += 1
                if re.search(rf"\b{name}\b", sentence):
                    named.add((sentence, page.language))
    assert heard > STEPS
    assert named == set()


@pytest.mark.parametrize("catalogue", sorted((ROOT / "appliance" / "games").glob("*/**/words/*.po")), ids=str)
def test_a_sentence_to_the_owner_tells_what_the_one_about_them_does(catalogue: Path) -> None:
    with catalogue.open("rb") as file:
        said = {str(message.id): str(message.string) for message in read_po(file) if message.id}
    pairs = [
        (code, code.removesuffix(ending), owner)
        for code in said
        for ending, owner in OWNERS.items()
        if code.endswith(ending) and code.removesuffix(ending) in said
    ]
    assert pairs
    for code, plain, owner in pairs:
        lost = set(BLANK.findall(said[plain])) - set(BLANK.findall(said[code]))
        assert lost <= owner, code
