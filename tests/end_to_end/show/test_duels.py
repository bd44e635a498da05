"""Equal spheres: all who roll against each other stand side by side, names of nine letters whole, on every screen."""

from __future__ import annotations

import pytest

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from tests.end_to_end.served import KIOSK, PHONE, WALL, Served, needs_browser
from tests.end_to_end.show.test_show_in_browser import held

pytestmark = needs_browser

NAMES = ("Katharina", "Alexander", "Sebastian", "Magdalena")
PUTTIES = ("yellow", "green", "orange", "pink")
# What of the moment lies outside its stage, or ends in an ellipsis.
LOST = """stage => {
    const around = stage.getBoundingClientRect();
    return Array.from(stage.querySelectorAll(".m-title, .m-line, .m-name, .cube")).filter(part => {
        const box = part.getBoundingClientRect();
        return box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1
            || box.bottom > around.bottom + 1 || (part.matches(".m-name") && part.scrollWidth > part.clientWidth);
    }).map(part => `${part.className} ${part.textContent.trim()}`);
}"""


@pytest.mark.parametrize("tied", [2, 3, 4])
@pytest.mark.parametrize(
    ("path", "size"),
    [("/", WALL), ("/kiosk", KIOSK), ("phone", PHONE), ("phone", (320, 568))],
    ids=["wall", "kiosk", "phone", "small phone"],
)
def test_whoever_rolls_for_equal_spheres_is_seen_whole(
    served: Served, path: str, size: tuple[int, int], tied: int
) -> None:
    players = tuple(Player(name=name, putty=putty) for name, putty in zip(NAMES[:tied], PUTTIES, strict=False))
    opened = served.stand.table.open_game(Setup(format=1, game="smugglers", players=players), "open")
    assert isinstance(opened, Accepted)
    served.stand.play({"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"})
    served.stand.play(*({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(tied)))
    served.stand.play(*({"do": "weigh", "seat": seat, "mass_g": 20.0} for seat in range(tied - 1)))
    page = held(served, served.join_path(0) if path == "phone" else path, size, "de")
    served.stand.do(do="weigh", seat=tied - 1, mass_g=20.0)
    page.locator("#stage.on .m-duel").wait_for()
    assert page.locator("#stage .m-name").all_inner_texts() == list(NAMES[:tied])
    assert page.locator("#stage").evaluate(LOST) == []
    tops = {round(box["y"]) for box in (name.bounding_box() for name in page.locator("#stage .m-name").all())}
    assert len(tops) == 1, "side by side"
    if path == "/kiosk":
        lowest = max(
            box["y"] + box["height"] for box in (die.bounding_box() for die in page.locator(".do-tie_roll .tap").all())
        )
        panel = page.locator(".region-ask").bounding_box()
        assert lowest <= panel["y"] + panel["height"], "every number of the die can be tapped"
