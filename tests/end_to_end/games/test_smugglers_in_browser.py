"""Smugglers in a real browser: slips that must not count, what is compared by hand, what is read and tapped easily."""

from __future__ import annotations

from typing import Any

import pytest

from hardware.readings import DeviceHealth
from tests.end_to_end.served import KIOSK, Served, headline, needs_browser, tap
from tests.web.rounds import CROWDED, INSPECTIONS, opening, ranking

pytestmark = needs_browser

TO_OPEN = [*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), INSPECTIONS[0]]
ALL_PASS = [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(4))]

BROKEN_WORDS = """() => {
    const broken = [];
    for (const one of document.querySelectorAll('button, a.tap, a.tool, summary')) {
        if (!one.getBoundingClientRect().width || one.closest('dialog')) continue;
        const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
        while (texts.nextNode())
            for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\d]+/gu)) {
                const range = document.createRange();
                range.setStart(texts.currentNode, word.index);
                range.setEnd(texts.currentNode, word.index + word[0].length);
                const lines = new Set(Array.from(range.getClientRects(), box => Math.round(box.top)));
                if (lines.size > 1) broken.push(word[0]);
            }
    }
    return broken;
}"""
SMALL_TYPE = """() => {
    const small = [], HIDDEN = '.sr, title, script, dialog, details:not([open])';
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || parent.closest(HIDDEN)) continue;
        const box = parent.getBoundingClientRect();
        if (!box.width || getComputedStyle(parent).visibility === 'hidden') continue;
        const scale = parent.getScreenCTM ? parent.getScreenCTM().a : 1;
        const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
        if (size < 10.95) small.push([texts.currentNode.data.trim(), size]);
    }
    return small;
}"""
SMALL_TARGETS = """() => Array.from(document.querySelectorAll(
    '.region-ask button, .region-ask summary, .region-players a, .setup-form :is(button, label, summary)'
)).filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && !one.closest('dialog') && getComputedStyle(one).visibility !== 'hidden'
        && (box.width < 47.5 || box.height < 47.5);
}).map(one => one.outerHTML.slice(0, 120))"""


def test_a_slip_on_an_unopened_sphere_is_not_an_illegal_sack(served: Served) -> None:
    served.stand.open(4)
    served.stand.play(*TO_OPEN)
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ben opens the sphere")
    inside = kiosk.locator(".inside > form")
    assert inside.locator(".confirm").is_disabled()
    kiosk.get_by_text("Nothing inside").wait_for(state="hidden")
    # Who taps another piece means that one, not both.
    inside.locator(".v-sweet").tap()
    inside.locator(".v-bomb").tap()
    assert inside.locator("[aria-pressed=true]").count() == 1
    tap(kiosk, ".inside > form .confirm")
    headline(kiosk, "Ben chooses a token")
    assert served.stand.table.snapshot().state.players[1].opened == ("bomb",)
    assert served.complaints == []


def test_an_empty_sphere_is_said_in_three_taps(served: Served) -> None:
    served.stand.open(4)
    served.stand.play(*TO_OPEN)
    phone = served.join(1)
    headline(phone, "You open the sphere")
    tap(phone, ".inside summary")
    tap(phone, ".inside details > button")
    assert served.stand.table.snapshot().state.players[1].opened is None
    tap(phone, ".inside details > button.sure")
    headline(phone, "Cleo chooses a token")
    assert served.stand.table.snapshot().state.players[1].opened == ()


def test_several_pieces_are_put_together_in_the_second_step(served: Served) -> None:
    served.stand.open(4)
    served.stand.play(*TO_OPEN)
    kiosk = served.page("/kiosk", KIOSK)
    tap(kiosk, ".inside summary")
    for piece in ("sweet", "foreign"):
        kiosk.locator(f".inside details .any-{piece}").tap()
    tap(kiosk, ".inside details .confirm")
    headline(kiosk, "Cleo chooses a token")
    assert served.stand.table.snapshot().state.players[1].opened == ("sweet", "foreign")


def without_a_scale(served: Served) -> Any:
    served.stand.table.sense(DeviceHealth(t_s=0.0, device="scale", status="absent", code="scale_absent"))
    served.stand.open(4)
    served.stand.play(*ALL_PASS)
    kiosk = served.page("/kiosk", KIOSK)
    headline(kiosk, "On the balance")
    return kiosk


def test_two_taps_give_out_both_armchairs_without_a_scale(served: Served) -> None:
    kiosk = without_a_scale(served)
    tap(kiosk, "[data-send*='rank.3']")
    kiosk.locator(".now", has_text="heaviest of them").wait_for()
    tap(kiosk, "[data-send*='rank.0']")
    headline(kiosk, "Dan picks a sphere")
    players = served.stand.table.snapshot().state.players
    assert [(player.room, player.place) for player in players] == [
        *(("office", 2), ("junk", None), ("junk", None), ("office", 1)),
    ]


def test_equals_are_tapped_together_and_roll(served: Served) -> None:
    kiosk = without_a_scale(served)
    tap(kiosk, ".level summary")
    for seat in (1, 2):
        kiosk.locator(f".level [data-value='{seat}']").tap()
    tap(kiosk, ".level .confirm")
    headline(kiosk, "Equally heavy: Ben, Cleo.")
    assert served.complaints == []


def test_a_proof_is_offered_with_its_round_and_not_on_the_victory_page(served: Served) -> None:
    served.stand.open(2, goal="short")
    phone = served.join(1)
    shown = phone.locator("[data-show-seal], [data-peek]")
    while True:
        start = served.stand.table.snapshot().state.start
        served.stand.do(do="roll", seat=start, value=3)
        headline(phone, "knead one sphere")
        tap(phone, "[data-hide=sweet]")
        phone.locator(".note", has_text="Sealed.").wait_for()
        served.stand.do(do="time_up")
        for seat in (start, 1 - start):
            served.stand.do(
                **({"do": "decline", "seat": 1} if seat else {"do": "attempt", "seat": 0, "outcome": "passed"})
            )
        headline(phone, "Ann picks a sphere")
        assert phone.locator("[data-show-seal]").count() == 0
        served.stand.play(
            {"do": "inspect", "seat": 0, "target": 1, "guess": "sour"}, {"do": "open", "seat": 1, "found": ["sweet"]}
        )
        if served.stand.table.snapshot().state.phase == "over":
            break
        phone.locator("[data-show-seal]").wait_for()
        served.stand.do(do="open", seat=0, found=["sour"])
        headline(phone, "die")
        assert phone.locator(".body [data-show-seal]").count() == 0
    headline(phone, "You win!")
    assert [one.is_visible() for one in shown.all()].count(True) == 0


def test_a_free_seat_looks_free_and_is_taken_by_a_tap(served: Served) -> None:
    kiosk = served.page("/kiosk/setup/smugglers", KIOSK)
    free = kiosk.locator("[data-player]").nth(2)
    free.get_by_text("free").wait_for()
    assert free.evaluate("card => getComputedStyle(card).filter") == "none"
    free.locator("[data-toggle]").tap()
    free.get_by_text("free").wait_for(state="hidden")


@pytest.mark.parametrize("language", ["en", "de"])
def test_house_rules_chosen_by_taps_are_those_of_the_game(served: Served, language: str) -> None:
    kiosk = served.page("/kiosk/setup/smugglers", KIOSK, language)
    kiosk.locator("details.more summary").tap()
    chosen = {"pass_limit_s": "7", "tie_band_g": "0.5", "same_mass_tolerance_g": "0.3", "illegal_sack": "piece"}
    for option, value in chosen.items():
        kiosk.locator(f"label:has([data-option='{option}'][value='{value}'])").tap()
    assert kiosk.evaluate(SMALL_TARGETS) == []
    assert kiosk.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    kiosk.locator("button[type=submit]").first.tap()
    kiosk.wait_for_url("**/kiosk")
    options = served.stand.table.snapshot().state.options
    assert (options.pass_limit_s, options.tie_band_g, options.same_mass_tolerance_g, options.illegal_sack) == (
        *(7, 0.5, 0.3, "piece"),
    )


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_word_on_a_button_is_broken_and_nothing_is_too_small(served: Served, language: str) -> None:
    setup = served.page("/kiosk/setup/smugglers", KIOSK, language)
    assert setup.evaluate(SMALL_TARGETS) == []
    assert setup.evaluate(SMALL_TYPE) == []
    served.stand.open(4)
    kiosk = served.page("/kiosk", KIOSK, language)
    story = [*TO_OPEN, *INSPECTIONS[1:]]
    for action in story:
        served.stand.do(**action)
        kiosk.locator(f"body[data-version='{served.stand.table.snapshot().version}']").wait_for()
        assert kiosk.evaluate(BROKEN_WORDS) == [], action
        assert kiosk.evaluate(SMALL_TYPE) == [], action
        assert kiosk.evaluate(SMALL_TARGETS) == [], action
    kiosk.goto(served.base + "/kiosk/corrections")
    assert kiosk.locator(".deeds li").count() > 10
    assert kiosk.evaluate(BROKEN_WORDS) == []
    kiosk.locator(".deeds a").nth(1).tap()
    kiosk.locator(".paper").wait_for()
    assert kiosk.evaluate(BROKEN_WORDS) == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("course", CROWDED)
def test_crowded_moments_are_read_and_tapped_easily(served: Served, course: str, language: str) -> None:
    served.stand.open(4)
    served.stand.play(*CROWDED[course])
    kiosk = served.page("/kiosk", KIOSK, language)
    kiosk.locator(".controls").wait_for()
    assert kiosk.evaluate(BROKEN_WORDS) == []
    assert kiosk.evaluate(SMALL_TYPE) == []
    assert kiosk.evaluate(SMALL_TARGETS) == []


def test_a_correction_that_the_game_overtook_is_shown_anew_and_then_confirmed(served: Served) -> None:
    served.stand.open(4)
    served.stand.play(*TO_OPEN)
    first = served.stand.table.snapshot().correctable[0].seq
    kiosk = served.page(f"/kiosk/corrections/{first}?action=null", KIOSK)
    served.stand.do(**INSPECTIONS[1])
    kiosk.locator("[data-api='POST /api/v1/amendments']").tap()
    kiosk.locator(".remark", has_text="went on since").wait_for()
    assert {line.kind for line in served.stand.table.snapshot().log} == {"happening"}, "nothing was corrected"
    kiosk.locator("[data-api='POST /api/v1/amendments']").tap()
    kiosk.wait_for_url(served.base + "/kiosk")
    assert "undone" in {line.kind for line in served.stand.table.snapshot().log}
