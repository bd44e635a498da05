"""The roll is the show: what is drawn is where the sphere is, then comes the verdict, one moment at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from hardware.readings import AT_HOLE, BEYOND_FENCE
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, caught_up, headline, needs_browser, tap
from tests.end_to_end.shown_table import ShownTable
from tests.patience import GIVEN_UP_MS
from tests.web.doors.test_phones import opened
from web.site import HostChoices

pytestmark = needs_browser

WITHIN_MM = 8.0
"""Of what is drawn from the true sphere along the lane, at the frame's time."""
LANE_MM = 220.0
MOVING = """() => document.getElementById('stage').getAnimations({ subtree: true })
  .filter(one => one.effect.getComputedTiming().duration > 1).map(one => one.animationName || one.transitionProperty)"""
# Where it is drawn once it has glided there.
DRAWN_AT = """async () => {
  const track = document.querySelector('[data-track]'), roller = track.querySelector('[data-roller=behind]');
  const frame = () => new Promise(requestAnimationFrame);
  for (let before; before !== roller.style.transform; await frame()) {
    before = roller.style.transform;
    await frame();
  }
  const [lane, place, t] = track.dataset.at.split(' ').map(Number);
  const way = track.querySelector(`[data-way="${lane}"]`);
  const [x0, y0] = way.dataset.from.split(' ').map(Number), [x1, y1] = way.dataset.hole.split(' ').map(Number);
  const [x, y] = roller.style.transform.match(/-?[0-9.]+/g).map(Number);
  return { lane, t, share: (y - y0) / (y1 - y0), aside: Math.abs(x - (x0 + (x1 - x0) * (y - y0) / (y1 - y0))) };
}"""
SIZES = "() => Array.from(document.querySelectorAll('[data-roller] use'), one => one.getAttribute('width'))"
STAGED = "() => document.querySelector('#stage .moment')?.dataset.kind || ''"
NOTED = """() => {
  window.kinds = [];
  new MutationObserver(() => {
    const one = document.querySelector('#stage .moment');
    if (one && one.dataset.kind) window.kinds.push(one.dataset.kind);
  }).observe(document.getElementById('stage'), { childList: true });
}"""
HAS_STAGED = "() => window.kinds.length > 0"
"""Whether a moment has been staged since `NOTED`; it goes again by itself, maybe before a busy machine looks."""
HIDE = """value => {
  Object.defineProperty(document, 'hidden', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def held(served: Served, path: str, size: tuple[int, int], language: str = "en", *, calm: bool = True) -> Any:
    """Open a page whose own timers run only when `run` lets them: a moment stands until then."""
    motion: Any = "reduce" if calm else "no-preference"
    viewport: Any = {"width": size[0], "height": size[1]}
    context = served.browser.new_context(viewport=viewport, locale=language, has_touch=True, reduced_motion=motion)
    served.contexts.append(context)
    page = context.new_page()
    page.set_default_timeout(GIVEN_UP_MS)
    page.clock.install()
    page.clock.pause_at("2031-03-05T12:00:00")
    page.goto(served.base + path)
    page.locator("body.streaming").wait_for()
    caught_up(page)
    page.evaluate(NOTED)
    return page


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[ShownTable]:
    table = ShownTable(tmp_path, seed=5, players=2)
    yield table
    table.close()


@pytest.mark.slow
def test_the_drawn_sphere_is_where_the_true_one_is_and_the_verdict_comes_after_it(
    shown: ShownTable,
    browser: Any,
) -> None:
    assert shown.play_until(lambda: shown.table.snapshot().game is not None and shown.view.phase == "test", 300.0)
    pages = [shown.page(browser, "/", WALL), shown.page(browser, "/kiosk", KIOSK)]
    for page in pages:
        page.evaluate(NOTED)
    followed, since = 0, len(shown.table.snapshot().log)
    while not any(shown.happened(code, since) for code in ("sphere_passed", "sphere_stuck", "sphere_astray")):
        for place in shown.step_shown(pages)[-1:]:
            path = shown.true_roll()
            assert path is not None
            _, y_mm, _ = path.centre_at(place.t_s)
            for page in pages:
                drawn = page.evaluate(DRAWN_AT)
                assert drawn["t"] == pytest.approx(place.t_s, abs=0.001)
                assert drawn["lane"] == path.lane
                assert drawn["aside"] < 1.0 or place.place > AT_HOLE, "it keeps to its lane"
                if place.place < AT_HOLE:
                    assert drawn["share"] * LANE_MM == pytest.approx(LANE_MM - y_mm, abs=WITHIN_MM)
                assert page.evaluate("() => window.kinds") == [], "the verdict waits for the roll"
                assert set(page.evaluate(SIZES)) == {"62"}, "every sphere is drawn at one size"
            followed += place.place < AT_HOLE
    assert followed > 6
    assert shown.told[-1].place in (AT_HOLE, BEYOND_FENCE)
    for page in pages:
        page.wait_for_function(HAS_STAGED)
        assert page.evaluate("() => window.kinds[0]") in ("passed", "stuck", "astray")
    assert shown.complaints == []


def seen_at(place: int) -> str:
    """Return the script that brings a page the event of a sphere on lane 7."""
    detail = f"{{ lane: 7, place: {place}, t_s: 101 }}"
    return f"() => document.dispatchEvent(new CustomEvent('roll', {{ detail: {detail} }}))"


def test_the_pages_draw_the_hole_and_what_is_beyond_it_at_the_places_of_the_readings(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    wall = served.page("/", WALL)
    wall.locator("body.streaming").wait_for()
    drawn = []
    for place in (AT_HOLE - 1, AT_HOLE, BEYOND_FENCE - 1, BEYOND_FENCE):
        wall.evaluate(seen_at(place))
        drawn.append(wall.locator("[data-track]").get_attribute("data-rolls"))
    assert drawn == ["lane", "hole", "hole", "beyond"]


def test_it_stays_in_its_hole_until_the_turn_is_over(served: Served) -> None:
    served.stand.open(2)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    wall = served.page("/", WALL)
    wall.locator("body.streaming").wait_for()
    wall.evaluate(seen_at(AT_HOLE))
    assert wall.locator("[data-rolls=hole]").count() == 1
    served.stand.do(do="attempt", seat=0, outcome="short")  # the same turn: it is pushed again
    wall.locator(".log li", has_text="stops short").wait_for()
    assert wall.locator("[data-rolls=hole]").count() == 1
    served.stand.do(do="attempt", seat=0, outcome="stuck")
    wall.locator("[data-track]:not([data-rolls])").wait_for()


def to_the_track(served: Served, players: int = 2) -> None:
    served.stand.open(players)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})


def test_with_calm_asked_for_the_verdict_stands_still_and_nothing_flies(served: Served) -> None:
    to_the_track(served)
    wall = held(served, "/", WALL)
    served.stand.do(do="attempt", seat=0, outcome="passed")
    wall.locator("#stage .m-title", has_text="Through!").wait_for()
    assert wall.evaluate(MOVING) == []
    assert wall.locator("#stage .m-line").inner_text() == "Ann’s sphere is through!"
    wall.clock.run_for(1000)
    assert wall.evaluate(STAGED) == "passed", "it can be read"
    wall.clock.run_for(2000)
    assert wall.evaluate(STAGED) == ""


def test_what_happens_next_cuts_short_what_is_still_shown(served: Served) -> None:
    to_the_track(served)
    wall = held(served, "/", WALL)
    served.stand.do(do="attempt", seat=0, outcome="passed")
    wall.locator("#stage .m-passed").wait_for()
    served.stand.do(do="attempt", seat=1, outcome="stuck")
    wall.locator("#stage .m-stuck").wait_for()
    assert wall.locator("#stage .moment").count() == 1, "one at a time"
    wall.clock.run_for(3000)
    assert wall.evaluate(STAGED) == ""
    assert wall.evaluate("() => window.kinds") == ["passed", "stuck"]


def searched(served: Served) -> tuple[Any, int]:
    """Open a wall, let the Officer of Customs search an honest suitcase, and return the wall and the next traveller."""
    opened(served.stand, "open-1", "customs", first_officer=0)
    state = served.stand.table.snapshot().state
    goods = [card for card in state.hand if card not in ("luggage", "bag")]
    wall = held(served, "/", WALL)
    served.stand.do(do="declare", seat=state.stage.seat, goods=goods)
    served.stand.do(do="search", seat=0)
    wall.locator("#stage .m-search").wait_for()
    return wall, served.stand.table.snapshot().state.stage.seat


def test_a_game_that_goes_on_leaves_only_what_came_of_a_search(served: Served) -> None:
    wall, traveller = searched(served)
    served.stand.do(do="declare", seat=traveller, goods=[])
    headline(wall, "let it pass, or search?")
    wall.clock.run_for(1000)
    assert wall.evaluate("() => window.kinds") == ["search", "truth"]
    wall.clock.run_for(1900)
    assert wall.evaluate(STAGED) == "", "the table is seen again"


def test_nobody_goes_on_and_the_whole_search_is_shown(served: Served) -> None:
    wall, _ = searched(served)
    wall.clock.run_for(6000)
    assert wall.evaluate(STAGED) == ""
    assert wall.evaluate("() => window.kinds") == ["search", "opened", "truth"]


def test_a_hidden_tab_keeps_nothing_for_later(served: Served) -> None:
    to_the_track(served)
    wall = held(served, "/", WALL)
    wall.evaluate(HIDE, True)
    wall.locator("body:not(.streaming)").wait_for()
    served.stand.play({"do": "attempt", "seat": 0, "outcome": "passed"})
    wall.evaluate(HIDE, False)
    headline(wall, "Ben rolls down lane 7")
    assert wall.evaluate("() => window.kinds") == []
    served.stand.do(do="attempt", seat=1, outcome="stuck")
    wall.locator("#stage .m-stuck").wait_for()
    assert wall.evaluate("() => window.kinds") == ["stuck"], "what is news again is shown"


HEARD = "() => { window.heard = []; document.addEventListener('sounds', e => heard.push(e.detail)); }"
LAST_HEARD = "([name, silent]) => window.heard.some(one => one.name === name && one.silent === silent)"


def test_sound_is_muted_on_one_screen_and_stays_so(served: Served) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    caught_up(kiosk)
    kiosk.evaluate(HEARD)
    served.stand.do(do="roll", seat=0, value=3)
    kiosk.wait_for_function(LAST_HEARD, arg=["die", False])
    tap(kiosk, "[data-mute]")
    kiosk.locator("[data-mute][aria-pressed=true][aria-label='Sound on']").wait_for()
    kiosk.reload()
    kiosk.locator("[data-mute][aria-pressed=true]").wait_for()
    kiosk.locator("body.streaming").wait_for()
    caught_up(kiosk)
    kiosk.evaluate(HEARD)
    served.stand.do(do="time_up")
    kiosk.wait_for_function(LAST_HEARD, arg=["bell", True])
    wall, phone = served.page("/", WALL), served.join(1)
    wall.locator("[data-mute][aria-pressed=false]").wait_for()
    phone.locator("[data-mute][aria-pressed=true]").wait_for()


def test_in_quiet_hours_no_screen_sounds(served: Served) -> None:
    served.stand.open(2)
    web = served.stand.app.extensions["smugglers"]
    web.host.change(HostChoices(quiet_from_h=22, quiet_until_h=8))
    kiosk = held(served, "/kiosk", KIOSK)
    kiosk.evaluate(HEARD)
    kiosk.evaluate("() => { Date.prototype.getHours = () => 23; }")
    served.stand.do(do="roll", seat=0, value=3)
    kiosk.wait_for_function(LAST_HEARD, arg=["die", True])
    kiosk.evaluate("() => { Date.prototype.getHours = () => 12; }")
    served.stand.do(do="time_up")
    kiosk.wait_for_function(LAST_HEARD, arg=["bell", False])


def test_the_touchscreens_buttons_stay_in_sight_and_can_be_tapped(served: Served) -> None:
    to_the_track(served)
    kiosk = held(served, "/kiosk", KIOSK)
    served.stand.do(do="attempt", seat=0, outcome="passed")
    kiosk.locator("#stage .m-passed").wait_for()
    kiosk.clock.run_for(500)
    stage, ask = (kiosk.locator(one).bounding_box() for one in ("#stage", ".region-ask"))
    assert stage["x"] + stage["width"] <= ask["x"] + 1
    assert kiosk.evaluate(STAGED) == "passed"
    tap(kiosk, ".v-stuck")
    kiosk.locator("#stage .m-stuck").wait_for()


@pytest.mark.parametrize("game", GAMES)
def test_in_every_game_the_stage_ends_where_people_are_asked(served: Served, game: str) -> None:
    if game == "smugglers":
        served.stand.open(4)
    else:
        opened(served.stand, "open-1", game)
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.locator(".region-ask *").first.wait_for()
    stage, ask = (kiosk.locator(one).bounding_box() for one in ("#stage", ".region-ask"))
    assert ask["x"] - 16 <= stage["x"] + stage["width"] <= ask["x"] + 1


def test_a_phone_is_told_too(served: Served) -> None:
    to_the_track(served)
    phone = held(served, served.join_path(1), PHONE)
    phone.evaluate("() => { window.felt = []; navigator.vibrate = how => window.felt.push(how); }")
    served.stand.do(do="attempt", seat=0, outcome="stuck")
    phone.locator("#stage .m-title", has_text="Stuck!").wait_for()
    assert phone.evaluate("() => window.felt") == [[200]]
    assert phone.locator("#stage").bounding_box()["height"] < PHONE[1] / 2


def test_a_tie_is_a_duel_of_names_and_dice(served: Served) -> None:
    to_the_track(served)
    served.stand.play(
        {"do": "attempt", "seat": 0, "outcome": "passed"},
        {"do": "attempt", "seat": 1, "outcome": "passed"},
        {"do": "weigh", "seat": 0, "mass_g": 20.0},
    )
    wall = held(served, "/", WALL)
    served.stand.do(do="weigh", seat=1, mass_g=20.1)
    wall.locator("#stage .m-duel").wait_for()
    assert wall.locator("#stage .m-name").all_inner_texts() == ["Ann", "Ben"]
    assert wall.locator("#stage .cube.rolls").count() == 2
    served.stand.do(do="tie_roll", seat=0, value=2)
    wall.locator("#stage .shows-2").wait_for()
    assert wall.locator("#stage .cube.rolls").count() == 1
    served.stand.do(do="tie_roll", seat=1, value=5)
    wall.locator("#stage .side-of.leads", has_text="Ben").wait_for()
    assert wall.locator("#stage .shows-5 .side.red").count() == 2, "5 and 6 are printed red"


LANDS = """goal => {
  const box = document.querySelector(`[data-spot~='${goal}']`).getBoundingClientRect();
  const at = document.querySelector('.flyer').getAnimations()[0].effect.getKeyframes().at(-1).transform;
  const [x, y] = at.match(/-?[0-9.]+/g).map(Number);
  return Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
}"""
IN_THE_AIR = """() => {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...how) {
    const motion = animate.apply(this, how);
    motion.pause();
    return motion;
  };
}"""
"""Lets what flies stay in the air until something lands it. The clock of a page does not hold it."""


@pytest.mark.parametrize(("path", "size", "goal"), [("/", WALL, "token-0-sweet-1"), ("/kiosk", KIOSK, "purse-0-sweet")])
def test_a_token_flies_to_its_place(served: Served, path: str, size: tuple[int, int], goal: str) -> None:
    to_the_track(served)
    served.stand.play(
        {"do": "attempt", "seat": 0, "outcome": "passed"},
        {"do": "attempt", "seat": 1, "outcome": "stuck"},
        {"do": "decline", "seat": 1},
        {"do": "inspect", "seat": 0, "target": 1, "guess": "sweet"},
    )
    page = held(served, path, size, calm=False)
    page.evaluate(IN_THE_AIR)
    served.stand.do(do="open", seat=1, found=["sweet"])
    page.locator("#stage .m-opened").wait_for()
    page.clock.run_for(1600)
    page.locator("#stage .m-caught").wait_for()
    page.clock.run_for(2000)
    page.locator(".flyer").wait_for(state="attached")
    assert page.evaluate(LANDS, goal) < 2.0
    served.stand.do(do="open", seat=0, found=["sour"])
    page.locator("#stage .m-opened").wait_for()
    assert page.locator(".flyer").count() == 0, "what is in the air lands when the next thing happens"
