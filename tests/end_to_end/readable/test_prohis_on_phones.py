"""Prohis on phones of all widths: names under cards keep apart, nothing is cut off, no button lies over another."""

from __future__ import annotations

import pytest

from tests.end_to_end.names.test_six_long_names import sit_down
from tests.end_to_end.served import CUT_OFF, KIOSK, OVERFLOW, PHONE, Served, needs_browser

pytestmark = [*needs_browser, pytest.mark.thorough]

SIZES = (PHONE, (375, 667), (360, 740), (320, 640), (195, 422), (844, 390))
"""195 px is a phone of 390 px whose owner enlarges everything to 200 %; the last lies on its side."""
WORDS = ("legal goods", "contraband", "Lieutenant", "legale Ware", "Schmuggel", "Hauptmann")
FILL = """(all, words) => all.forEach((one, at) => { one.textContent = words[at % words.length]; })"""
TOUCHING = """all => {
    const boxes = all.map(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect();
    });
    return boxes.flatMap((a, at) => boxes.slice(at + 1).filter(b =>
        a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom && b.top < a.bottom)).length;
}"""
OUTSIDE = """all => all.filter(one => {
    const felt = one.closest(".felt").getBoundingClientRect(), box = one.getBoundingClientRect();
    return box.left < felt.left || box.right > felt.right || box.bottom > felt.bottom;
}).length"""
COVERED = """all => all.filter(one => {
    one.scrollIntoView({ block: "nearest" });
    const box = one.getBoundingClientRect();
    return !one.contains(document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2));
}).map(one => one.className)"""

WIDER = "all => all.filter(one => one.querySelector('.card').getBoundingClientRect().width > one.clientWidth).length"


@pytest.mark.parametrize("language", ["en", "de"])
def test_names_under_the_row_keep_apart_on_every_phone(served: Served, language: str) -> None:
    sit_down(served, "prohis")
    turn = served.stand.table.snapshot().state.turn
    waiting, screen = served.join((turn + 1) % 6, language), served.page("/kiosk", KIOSK, language)
    for page, sizes in ((waiting, SIZES), (screen, (KIOSK,))):
        for wide, high in sizes:
            page.set_viewport_size({"width": wide, "height": high})
            names = page.locator(".felt .market small")
            names.first.wait_for()
            said = [word for word in WORDS if (WORDS.index(word) > 2) == (language == "de")]
            page.locator(".felt .market .place small").evaluate_all(FILL, said * 2)
            assert names.evaluate_all(TOUCHING) == 0, (wide, high)
            # The same word beside itself is the widest of all.
            page.locator(".felt .market .place small").evaluate_all(FILL, [said[1]])
            assert names.evaluate_all(TOUCHING) == 0, (wide, high)
            assert page.locator(".felt .market :is(.card, small)").evaluate_all(OUTSIDE) == 0, (wide, high)
            assert page.evaluate(OVERFLOW)[0] <= 0, (wide, high)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_turn_fits_every_phone(served: Served, language: str) -> None:
    sit_down(served, "prohis")
    phone = served.join(served.stand.table.snapshot().state.turn, language)
    for wide, high in SIZES:
        phone.set_viewport_size({"width": wide, "height": high})
        phone.locator(".draws .tap").first.wait_for()
        assert phone.evaluate(OVERFLOW)[0] <= 0, (wide, high)
        assert phone.evaluate(CUT_OFF) == [], (wide, high)
        shown = phone.locator(".draws .tap, .picks .look, .picks .chip, .picks .confirm, .tap.do-pass")
        assert shown.evaluate_all(COVERED) == [], (wide, high)
        assert phone.locator(".draws .tap").evaluate_all(WIDER) == 0, (wide, high)
