"""What is tapped in Smugglers is read whole, and within its button: pieces on phones, tokens on the touchscreen."""

from __future__ import annotations

import pytest

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.served import KIOSK, PHONE, Served, headline, needs_browser

pytestmark = needs_browser

SIZES = (PHONE, (320, 568), (280, 653), (195, 422))
"""195 px is a phone of 390 px whose owner enlarges everything to 200 %."""
# Returns the names that are broken in two, or run out of their button.
BROKEN = """all => all.filter(button => {
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT), name = document.createRange();
    while (texts.nextNode() && !texts.currentNode.data.trim());
    name.selectNodeContents(texts.currentNode);
    const box = name.getBoundingClientRect(), frame = button.getBoundingClientRect();
    return name.getClientRects().length > 1 || box.right > frame.right || box.bottom > frame.bottom;
}).map(button => button.textContent.trim())"""
NAMES = ("Katharina", "Alexander", "Sebastian")
PUTTIES = ("yellow", "green", "orange")
# Returns the lines whose end is left out.
CUT = "all => all.filter(line => line.scrollWidth > line.clientWidth).map(line => line.textContent.trim())"
# Returns the words that go on in a second line.
PARTED = """all => all.flatMap(heading => {
    const text = heading.firstChild, word = document.createRange();
    return Array.from(text.data.matchAll(/\\S+/g)).filter(found => {
        word.setStart(text, found.index);
        word.setEnd(text, found.index + found[0].length);
        return word.getClientRects().length > 1;
    }).map(found => found[0]);
})"""
FROM = {"en": "from", "de": "von"}


def test_no_name_of_a_piece_is_broken_or_cut_off(served: Served) -> None:
    served.stand.open(4)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    tries = ((0, "passed"), (1, "passed"), *((seat, "stuck") for seat in (2, 3) for _ in range(2)))
    served.stand.play(*({"do": "attempt", "seat": seat, "outcome": outcome} for seat, outcome in tries))
    served.stand.play({"do": "weigh", "seat": 0, "mass_g": 30}, {"do": "weigh", "seat": 1, "mass_g": 20})
    phone = served.join(0, "de")
    headline(phone, "Du wählst eine Kugel")
    buttons = phone.locator("main .controls .tap")
    assert {text.strip() for text in buttons.all_text_contents()} == {"Süßes", "Saures", "Stinkbombe"}
    for wide, high in SIZES:
        phone.set_viewport_size({"width": wide, "height": high})
        assert (wide, buttons.evaluate_all(BROKEN)) == (wide, [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_whose_token_may_be_taken_and_which_is_read_whole(served: Served, language: str) -> None:
    """Alexander, in the second armchair, opens a bomb. Katharina owns two sweets, Sebastian one of each colour."""
    players = tuple(Player(name=name, putty=putty) for name, putty in zip(NAMES, PUTTIES, strict=True))
    opened = served.stand.table.open_game(Setup(format=1, game="smugglers", players=players), "open")
    assert isinstance(opened, Accepted)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    tries = ((0, "passed"), (1, "passed"), (2, "stuck"), (2, "stuck"))
    served.stand.play(*({"do": "attempt", "seat": seat, "outcome": outcome} for seat, outcome in tries))
    served.stand.play({"do": "weigh", "seat": 0, "mass_g": 30}, {"do": "weigh", "seat": 1, "mass_g": 20})
    served.stand.play({"do": "inspect", "seat": 0, "target": 2, "guess": "sweet"})
    served.stand.play(*({"do": "open", "seat": seat, "found": [what]} for seat, what in ((2, "sour"), (0, "sweet"))))
    served.stand.play({"do": "open", "seat": 1, "found": ["bomb"]})
    kiosk = served.page("/kiosk", KIOSK, language)
    buttons = kiosk.locator(".controls .tap.do-take")
    buttons.first.wait_for()
    assert buttons.count() == 3
    assert buttons.evaluate_all(BROKEN) == []
    whose = kiosk.locator(".controls .given")
    assert [text.strip() for text in whose.all_text_contents()] == [
        f"{FROM[language]} {name}" for name in ("Katharina", "Sebastian")
    ]
    assert whose.evaluate_all(CUT) == []


def test_no_heading_of_how_to_play_is_parted_within_a_word(served: Served) -> None:
    served.stand.open(2)
    phone = served.page("/rules", PHONE, "de")
    for wide, high in SIZES[:3]:
        phone.set_viewport_size({"width": wide, "height": high})
        assert (wide, phone.locator(".howto h2").evaluate_all(PARTED)) == (wide, [])
