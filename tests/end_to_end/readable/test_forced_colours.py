"""What a browser shows that forces its own colours on every page: contrast modes, and readers who chose their own."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.catalogue import GAMES
from tests.end_to_end.contrast import faint
from tests.end_to_end.known_hands import alike
from tests.end_to_end.served import KIOSK, Served, headline, needs_browser
from tests.web.stand import PIN

pytestmark = [*needs_browser, pytest.mark.thorough]

CHOICES = "label:has(> input:is([type=radio], [type=checkbox]) + span), [data-new]"
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
    kiosk.locator("body:not(.fresh)").wait_for()
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
