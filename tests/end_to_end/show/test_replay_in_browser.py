"""A roll shown again in a real browser: in slow motion or in steps, on touchscreen, wall and phone."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import the_game
from appliance.table import shown_again
from appliance.words.catalogues import LANGUAGES
from tests.end_to_end.contrast import faint
from tests.end_to_end.served import (
    KIOSK,
    OVERFLOW,
    PHONE,
    WALL,
    Served,
    headline,
    needs_browser,
    ready,
    tap,
    wait_without_limit,
)
from tests.end_to_end.show.test_show_in_browser import held, to_the_track
from tests.end_to_end.usable import AXE, LOOK, STRUCTURE, TARGET_PX, TARGETS
from tests.narrowed import there
from tests.patience import GIVEN_UP_S
from tests.web.seen_rolls import roll_seen

pytestmark = [*needs_browser, pytest.mark.thorough]

SHOWN = "#replay:not([hidden])"
GREY = """() => {
  const canvas = document.querySelector('#replay canvas');
  const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
  return copy.getImageData(0, 0, 1, 1).data[0];
}"""
WATCHED = "number => document.querySelector('[data-watched]').dataset.watched === String(number)"
# Told once a whole replay has been decoded: `window.drawn`.
DRAWN = """() => { window.drawn = new Promise(done => {
  const all = Promise.all.bind(Promise);
  Promise.all = list => {
    const whole = all(list);
    whole.then(() => setTimeout(done));
    return whole;
  };
}); }"""
MOVING = """() => document.getElementById('replay').getAnimations({ subtree: true }).length"""
SMALL = """least => Array.from(document.querySelectorAll("#replay button"), one => one.getBoundingClientRect())
  .filter(box => box.width && (box.width < least || box.height < least)).map(box => [box.width, box.height])"""
SPLIT = """() => Array.from(document.querySelectorAll("#replay button"))
  .filter(button => button.scrollWidth > button.clientWidth || button.getBoundingClientRect().right > innerWidth
    || Array.from(button.childNodes).filter(node => node.nodeType === 3 && node.data.trim()).some(node => {
      const words = document.createRange();
      words.selectNode(node);
      return words.getClientRects().length > 1;
    })).map(button => button.textContent.trim())"""
"""The words of buttons that go over more than one line, or run out of their button or of the page."""
NEVER_IDLE = """() => {
  const later = window.setTimeout;
  window.setTimeout = (work, ms, ...more) => (ms < 15000 ? later(work, ms, ...more) : 0);
}"""
"""Keeps a replay open that nobody touches while it is looked at."""
STEP = 3
"""Each picture of the roll is brighter than the one before, by so much."""


def rolled(served: Served) -> int:
    """Bring a game to a roll that was seen and judged."""
    to_the_track(served)
    number = roll_seen(served.stand)
    served.stand.do(do="attempt", seat=0, outcome="passed")
    return number


def test_who_asked_for_calm_steps_through_stills_and_the_wall_follows(served: Served) -> None:
    number = rolled(served)
    kiosk, wall = served.page("/kiosk", KIOSK), served.page("/", WALL)
    headline(kiosk, "Ben rolls")
    wall.locator("body.streaming").wait_for()
    tap(kiosk, "[data-replay]")
    kiosk.locator(SHOWN).wait_for()
    told = kiosk.locator("[data-told=camera]")
    assert told.inner_text() in ("It reaches the fence in lane 7.", "It comes out beyond the fence, lane 7.")
    assert not kiosk.locator("[data-replay-play]").is_visible()
    at_fence = kiosk.evaluate(GREY)
    tap(kiosk, "[data-replay-step='-1']")
    assert kiosk.evaluate(GREY) - at_fence in (-STEP - 1, -STEP, -STEP + 1)
    kiosk.keyboard.press("ArrowRight")
    assert kiosk.evaluate(GREY) == at_fence
    wall.locator(SHOWN).wait_for()
    assert wall.evaluate(WATCHED, number)
    assert kiosk.locator(".v-passed").is_visible(), "what can be tapped stays in sight"
    tap(kiosk, "[data-replay-close]")
    assert not kiosk.locator(SHOWN).count()
    wall.locator("#replay").wait_for(state="hidden")
    assert served.complaints == []


def test_it_plays_slowly_to_its_end_and_goes_with_the_round(served: Served) -> None:
    rolled(served)
    served.stand.do(do="attempt", seat=1, outcome="stuck")
    phone = held(served, served.join_path(1), PHONE, calm=False)
    phone.clock.run_for(500)
    tap(phone, "[data-replay]")
    phone.locator("#replay.plays").wait_for()
    first = phone.evaluate(GREY)
    phone.clock.run_for(1000)
    assert first < phone.evaluate(GREY) < first + 1000 / 33 * STEP, "slower than it was"
    assert phone.evaluate(MOVING) == 0, "nothing is animated but what the script moves"
    phone.clock.run_for(12000)
    phone.locator("#replay:not(.plays)").wait_for()
    assert phone.locator("[data-told=camera]").inner_text() == "It is through, in lane 7."
    assert phone.locator("[data-told=beams]").inner_text() == "The beam behind the fence is free again."
    served.stand.do(do="decline", seat=1)
    served.stand.do(do="inspect", seat=0, target=1, guess="sweet")
    served.stand.do(do="open", seat=1, found=["sweet"])
    assert phone.locator(SHOWN).count() == 1
    served.stand.do(do="open", seat=0, found=["sour"])
    phone.locator("#replay").wait_for(state="hidden")
    assert phone.locator("[data-replay]").count() == 0
    assert served.complaints == []


def test_a_wall_that_gets_a_replay_late_shows_none_that_nobody_watches_any_more(served: Served) -> None:
    rolled(served)
    kiosk, wall = served.page("/kiosk", KIOSK), served.page("/", WALL)
    wall.locator("body.streaming").wait_for()
    late: list[Any] = []
    wait_without_limit(wall)
    wall.route("**/replays/*/pictures", lambda route: late.append(route))
    with wall.expect_request("**/replays/*/pictures"):
        tap(kiosk, "[data-replay]")
    tap(kiosk, "[data-replay-close]")
    wall.locator("[data-watched='']").wait_for(state="attached")
    wall.evaluate(DRAWN)
    with wall.expect_request_finished(lambda request: request.url.endswith("/pictures")):
        late[0].continue_()
    wall.evaluate("() => window.drawn")
    assert not wall.locator(SHOWN).count()
    assert served.complaints == []


def test_a_wall_asks_again_for_a_replay_that_did_not_come(served: Served) -> None:
    rolled(served)
    kiosk, wall = served.page("/kiosk", KIOSK), served.page("/", WALL)
    wall.locator("body.streaming").wait_for()
    wall.route("**/replays/*/pictures", lambda route: route.abort(), times=1)
    tap(kiosk, "[data-replay]")
    wall.locator(SHOWN).wait_for()
    served.complaints.clear()


def test_a_replay_that_did_not_come_says_so_and_comes_with_the_next_tap(served: Served) -> None:
    rolled(served)
    phone = served.join(1)
    phone.route("**/replays/*/pictures", lambda route: route.fulfill(status=503, body="busy"), times=1)
    tap(phone, "[data-replay]")
    phone.locator("#toast", has_text="does not answer").wait_for()
    tap(phone, "[data-replay]")
    phone.locator(SHOWN).wait_for()
    served.complaints.clear()


def test_a_replay_that_the_touchscreen_did_not_get_in_advance_comes_with_the_first_tap(served: Served) -> None:
    to_the_track(served)
    kiosk: Any = served.page("/kiosk", KIOSK)
    kiosk.locator("body.streaming").wait_for()
    kiosk.route("**/replays/*", lambda route: route.abort(), times=1)
    with kiosk.expect_event("requestfailed"):
        roll_seen(served.stand)
        served.stand.do(do="attempt", seat=0, outcome="passed")
    tap(kiosk, "[data-replay]")
    kiosk.locator(SHOWN).wait_for()
    served.complaints.clear()


def test_without_pictures_what_the_beams_noticed_is_told_one_by_one(served: Served) -> None:
    to_the_track(served)
    roll_seen(served.stand, camera=False)
    served.stand.do(do="attempt", seat=0, outcome="passed")
    kiosk: Any = served.page("/kiosk", KIOSK)
    headline(kiosk, "Ben rolls")
    tap(kiosk, "[data-replay]")
    kiosk.locator(SHOWN + ".bare").wait_for()
    assert not kiosk.locator("#replay canvas").is_visible()
    heard = []
    for _ in range(4):
        heard.append(kiosk.locator("[data-told=beams]").inner_text())
        tap(kiosk, "[data-replay-step='1']")
    assert heard == [
        "The beam before the fence is broken.",
        "The beam before the fence is free again.",
        "The beam behind the fence is broken.",
        "The beam behind the fence is free again.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_read_and_hit_a_replay_in_the_light_and_in_the_dark(
    served: Served, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_again, "WATCHED_S", GIVEN_UP_S)
    rolled(served)
    wall, kiosk = served.page("/", WALL, language), served.page("/kiosk", KIOSK, language)
    phone = served.join(1, language)
    wall.locator("body.streaming").wait_for()
    for page in (kiosk, phone):
        page.evaluate(NEVER_IDLE)
    found = []
    for page, least in ((kiosk, TARGET_PX["kiosk"]), (phone, TARGET_PX["seat"]), (wall, 0)):
        if least:
            tap(page, "[data-replay]")
        page.locator(SHOWN).wait_for()
        page.evaluate(AXE)
        found += page.evaluate(LOOK, [["#replay"], STRUCTURE])
        found += page.evaluate(SMALL, least) if least else []
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)
            found += faint(page, "#replay")
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_a_replays_buttons_are_whole_on_a_phone_and_on_one_enlarged_twice(
    served: Served, language: str
) -> None:
    rolled(served)
    phone = served.join(1, language)
    tap(phone, "[data-replay]")
    phone.locator(SHOWN).wait_for()
    assert phone.locator("[data-replay-keep]").is_visible()
    wide, high = PHONE
    for width_px in (wide, wide // 2):
        phone.set_viewport_size({"width": width_px, "height": high})
        assert (width_px, phone.evaluate(SPLIT)) == (width_px, [])


def test_a_correction_is_announced_once_and_stages_nothing_again(served: Served) -> None:
    to_the_track(served)
    served.stand.do(do="attempt", seat=0, outcome="stuck")
    kiosk, phone = held(served, "/kiosk", KIOSK), held(served, served.join_path(1), PHONE)
    phone.clock.run_for(500)
    tap(phone, "a[href='/seat/1/object']")
    phone.locator(".offers").wait_for()
    phone.clock.run_for(500)
    tap(phone, ".offers .tap")
    kiosk.locator(".door", has_text="Ben asks for a correction: Ann’s sphere is through!").wait_for()
    (wish,) = served.stand.table.snapshot().asked
    action = the_game("smugglers").rules.action_type
    served.stand.table.amend(wish.offer.seq, msgspec.convert(wish.offer.action, action), "grant-1")
    kiosk.locator(".door").wait_for(state="detached")
    latest = kiosk.locator(".asking .latest")
    assert latest.count() == 1
    assert "Ann’s sphere is through!" in latest.text_content()
    assert latest.locator("b").count() == 1, "said as a correction"
    assert kiosk.evaluate("() => window.kinds") == []


def test_a_tap_on_a_kept_roll_before_the_scripts_have_come_shows_it(served: Served) -> None:
    rolled(served)
    kiosk, phone = served.page("/kiosk", KIOSK), served.join(1)
    tap(phone, "[data-replay]")
    phone.locator(SHOWN).wait_for()
    tap(phone, "[data-replay-keep]")
    tap(kiosk, ".door button.confirm")
    phone.locator("a[href='/kept']").wait_for()
    waiting: list[Any] = []
    phone.route("**/replay.js", lambda route: waiting.append(route), times=1)
    with phone.expect_request("**/replay.js"):
        phone.goto(f"{served.base}/kept", wait_until="commit")
    phone.locator(".kept [data-replay]").tap()
    assert not phone.locator(SHOWN).count()
    waiting[0].continue_()
    phone.locator(SHOWN).wait_for()
    assert served.complaints == []


def test_a_roll_is_kept_when_all_agree_and_goes_with_the_first_who_does_not(served: Served) -> None:
    number = rolled(served)
    kiosk, phone = served.page("/kiosk", KIOSK), served.join(1)
    tap(phone, "[data-replay]")
    phone.locator(SHOWN).wait_for()
    tap(phone, "[data-replay-keep]")
    phone.locator("#replay").wait_for(state="hidden")
    asked = kiosk.locator(".door", has_text="for your party,")
    asked.wait_for()
    assert phone.locator(".door").count() == 0, "who asked has agreed"
    tap(kiosk, ".door button.confirm")
    asked.wait_for(state="detached")
    phone.locator("a[href='/kept']").tap()
    served.stand.do(do="attempt", seat=1, outcome="stuck")
    served.stand.do(do="decline", seat=1)
    served.stand.do(do="inspect", seat=0, target=1, guess="sweet")
    served.stand.do(do="open", seat=1, found=["sweet"])
    served.stand.do(do="open", seat=0, found=["sour"])
    assert there(served.stand.rolls.replays).of(number) is None or not served.stand.table.snapshot().replays
    tap(phone, ".kept [data-replay]")
    phone.locator(SHOWN + ".silent").wait_for()
    assert phone.evaluate(GREY) > 0
    tap(phone, "[data-replay-close]")
    erase = phone.locator(".kept [data-api]")
    erase.tap()
    phone.locator(".kept .sure").wait_for()
    ready(phone)
    erase.tap()
    phone.locator("main", has_text="No roll is kept.").wait_for()
    assert served.page("/kept", KIOSK).locator(".kept li").count() == 0
    assert served.complaints == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_read_and_hit_what_is_kept_and_asked(served: Served, language: str) -> None:
    number = rolled(served)
    pages = [served.page("/kiosk", KIOSK, language), served.join(1, language)]
    kept = served.stand.app.extensions["smugglers"].kept_rolls
    kept.agree(number, None)
    served.stand.app.extensions["smugglers"].live.refresh()
    found = []
    for page, least in zip(pages, (TARGET_PX["kiosk"], TARGET_PX["seat"]), strict=True):
        page.locator(".door").wait_for()
        for where, path in (([".door"], ""), ([], "/kept")):
            if path:
                page.goto(served.base + path)
                page.locator(".kept li").wait_for()
            page.evaluate(AXE)
            found += page.evaluate(LOOK, [where, STRUCTURE])
            found += page.evaluate(TARGETS, least)
            found += page.evaluate(OVERFLOW)[:1] if page.evaluate(OVERFLOW)[0] > 0 else []
            for theme in ("dark", "light"):
                page.emulate_media(color_scheme=theme)
                found += faint(page, ",".join(where) or "body")
    assert found == []
