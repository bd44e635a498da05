"""What a browser shows that forces its own colours on every page: contrast modes, and readers who chose their own."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from appliance.games.catalogue import GAMES
from tests.end_to_end.contrast import faint
from tests.end_to_end.known_hands import alike
from tests.end_to_end.served import KIOSK, WALL, Served, headline, needs_browser, ready, tap
from tests.web.stand import NAMES, PIN, PUTTY

pytestmark = [*needs_browser, pytest.mark.thorough]

CHOICES = "label:has(> input:is([type=radio], [type=checkbox]) + span), [data-new]"
TOLD = 100
"""So many of 255 levels of grey lie between what is drawn and what it is drawn on."""
SHOWN = "e => e.checkVisibility() && e.getClientRects().length"


def forced(served: Served, path: str, scheme: str = "dark") -> Any:
    page = served.page(path, KIOSK)
    page.emulate_media(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    return page


def middle(page: Any, one: Any) -> bytes:
    """Return what is in the middle of a control: of equally many dots in each, so that they can be compared."""
    box = one.bounding_box()
    left, top = (round(box[at] + box[size] / 2) - 20 for at, size in (("x", "width"), ("y", "height")))
    return bytes(page.screenshot(clip={"x": left, "y": top, "width": 40, "height": 40}))


def drawn(page: Any, one: Any) -> bytes:
    """Return how a control looks that has no focus, so that no ring tells what was chosen."""
    page.evaluate("document.activeElement.blur()")
    return bytes(one.screenshot())


def test_every_face_of_a_thrown_die_is_told_from_the_others(served: Served) -> None:
    served.stand.open(2)
    kiosk = forced(served, "/kiosk")
    headline(kiosk, "Ann throws the die")
    ready(kiosk)
    faces = [middle(kiosk, face) for face in kiosk.locator("#region-ask button:has(.pips)").all()]
    assert len(faces) == 6
    assert [(one, other) for one in range(6) for other in range(one) if alike(faces[one], faces[other])] == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("path", ["/host", *(f"/kiosk/setup/{game}" for game in sorted(GAMES))])
def test_what_is_chosen_is_told_from_what_is_not(served: Served, path: str, scheme: str) -> None:
    page = forced(served, "/host/unlock", scheme)
    page.context.request.post(page.url, form={"pin": PIN}, headers={"Origin": served.base})
    page.goto(served.base + path)
    page.locator("h1").first.wait_for()
    other = [one for one in page.locator(CHOICES).all() if one.evaluate(SHOWN) and not one.locator(":checked").count()]
    assert other
    for one in other:
        before = drawn(page, one)
        one.click()
        assert not alike(before, drawn(page, one)), one.inner_text()
    assert faint(page, "main, form") == []


def opened(served: Served, game: str) -> Any:
    """Return the touchscreen of a new game among three, with forced colours."""
    kiosk = forced(served, "/rules")
    players = [{"name": name, "putty": putty} for name, putty in zip(NAMES[:3], PUTTY, strict=False)]
    asked = {"id": "new", "game": game, "players": players, "oldest": 0, "options": {}}
    assert kiosk.request.post(f"{served.base}/api/v1/games", data=asked).ok
    served.stand.let_chance_draw()
    kiosk.goto(served.base + "/kiosk")
    return kiosk


def looked_at(page: Any, one: Any = None) -> Any:
    """Return the grey levels of a picture of the page or of a part of it."""
    picture = cv2.imdecode(np.frombuffer((one or page).screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return picture


def looks_with_main(page: Any, visibility: str) -> bytes:
    page.evaluate("visibility => { document.querySelector('main').style.visibility = visibility }", visibility)
    return bytes(page.screenshot())


def test_the_curtain_hides_the_page_behind_it(served: Served) -> None:
    kiosk = opened(served, "prohis")
    tap(kiosk, "[data-hold]")
    kiosk.locator("dialog.curtain[open]").wait_for()
    before = hidden = after = b""
    while not before or not alike(before, after):  # meanwhile something else changed, as a line about the connection
        before, hidden, after = (looks_with_main(kiosk, visibility) for visibility in ("", "hidden", ""))
    assert alike(before, hidden)


def test_the_closed_cards_of_a_hand_are_seen(served: Served) -> None:
    opened(served, "prohis")
    phone = served.join(1)
    phone.emulate_media(forced_colors="active", color_scheme="dark", reduced_motion="reduce")
    card = phone.locator(".face:visible").first
    card.wait_for()
    assert np.ptp(looked_at(phone, card)) > TOLD


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_emblem_of_a_player_of_prohis_is_seen(served: Served, scheme: str) -> None:
    kiosk = opened(served, "prohis")
    kiosk.emulate_media(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    emblem = kiosk.locator("#region-players .emblem").first
    emblem.wait_for()
    assert np.ptp(looked_at(kiosk, emblem)) > TOLD


def test_the_step_of_the_first_start_is_told(served: Served) -> None:
    page = forced(served, "/host/unlock")
    page.context.request.post(page.url, form={"pin": PIN}, headers={"Origin": served.base})
    page.goto(served.base + "/first/language")
    here, other = (page.locator(".first-steps a").nth(at) for at in (0, 1))
    page.evaluate("document.querySelectorAll('.first-steps a').forEach(a => a.style.fontSize = '0')")
    assert not alike(here.screenshot(), other.screenshot())


@pytest.mark.parametrize("colours", ["none", "active"])
def test_the_sand_of_a_turned_hourglass_is_seen_above(served: Served, colours: str) -> None:
    served.stand.open(2)
    kiosk = served.page("/kiosk", KIOSK)
    kiosk.emulate_media(forced_colors=colours, color_scheme="dark", reduced_motion="reduce")
    served.stand.do(do="roll", seat=0, value=3)
    served.stand.table.command("turn_hourglass", "h")
    kiosk.locator("#timer-hourglass").wait_for()
    upper = looked_at(kiosk, kiosk.locator("#timer-hourglass .sand").first)
    assert upper[upper.shape[0] // 2, upper.shape[1] // 2] > TOLD


def test_a_moment_is_read_over_the_page(served: Served) -> None:
    """What lies under it shines through so little that no word of it can be read."""
    served.stand.open(2)
    wall = served.page("/wall", WALL)
    wall.emulate_media(forced_colors="active", color_scheme="dark", reduced_motion="reduce")
    headline(wall, "Ann throws the die")
    wall.evaluate("document.getElementById('stage').classList.add('on')")
    assert np.ptp(looked_at(wall)) < 255 - TOLD


@pytest.mark.parametrize("what", ["dimmer", "dark"])
def test_a_screen_that_is_off_is_dark(served: Served, what: str) -> None:
    kiosk = forced(served, "/kiosk", "light")
    # Shown for good: the page itself would put it away at its next look at the hour.
    kiosk.evaluate(
        """what => {
            const screen = document.getElementById(what);
            screen.hidden = false;
            Object.defineProperty(screen, "hidden", { set() {} });
        }""",
        what,
    )
    assert np.median(looked_at(kiosk)) < 255 - TOLD
