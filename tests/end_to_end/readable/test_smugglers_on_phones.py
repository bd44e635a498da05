"""What an inspector taps on phones of all widths: every name of a piece is whole, and within its button."""

from __future__ import annotations

from tests.end_to_end.served import PHONE, Served, headline, needs_browser

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
