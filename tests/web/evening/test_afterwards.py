"""After a game: figures of what everybody saw, a picture, and what was secret once all agreed."""

from __future__ import annotations

import io
import math
import re
from html import unescape

import msgspec
import pytest
from flask.testing import FlaskClient
from PIL import Image

from appliance.games.protocol import Setup
from appliance.snapshot import Accepted
from tests.markup import text_of
from tests.web.evening.test_last_evening import recorded
from tests.web.stand import Stand

WON_BY_B = "smugglers/SM-96-reveal-wins.jsonl"


def show_finished(stand: Stand, name: str = WON_BY_B) -> Setup:
    """Play a recorded game to its end and leave it showing."""
    told = recorded(name)
    stand.table.open_game(told.setup, "shown")
    for action in told.actions:
        stand.do(**msgspec.to_builtins(action))
    return told.setup


def own(client: FlaskClient) -> FlaskClient:
    """Browsers name the origin of a form."""
    client.environ_base["HTTP_ORIGIN"] = "http://localhost"
    return client


def agree(client: FlaskClient, seat: int) -> int:
    page = client.get("/after").text
    found = re.search(r'name="game" value="([^"]*)"', page)
    given = {"seat": seat, "game": found[1] if found else "none"}
    return client.post("/after/agree", data=given, headers={"Origin": _origin(client)}).status_code


def _origin(client: FlaskClient) -> str:
    return "http://192.0.2.7" if type(client).__name__ == "Elsewhere" else "http://localhost"


def figures(page: str) -> dict[str, list[int]]:
    drawn_out = re.sub(r"<svg.*?</svg>", "", page)
    rows = re.findall(r"<tr><th>([^<]*)</th>((?:<td>.*?</td>)+)</tr>", drawn_out)
    return {unescape(what): [int(n) for n in re.findall(r"(\d+)", cells)] for what, cells in rows}


def test_figures_count_what_everybody_saw(stand: Stand) -> None:
    setup = show_finished(stand)
    attempts = [action for action in recorded(WON_BY_B).actions if msgspec.to_builtins(action)["do"] == "attempt"]
    passed = [0] * len(setup.players)
    for action in map(msgspec.to_builtins, attempts):
        passed[action["seat"]] += action["outcome"] == "passed"
    page = stand.stranger().get("/after").text
    assert figures(page)["Spheres through the fence"] == passed
    assert sum(passed) > 3
    assert "B won" in page
    german = stand.stranger().get("/after", headers={"Accept-Language": "de"}).text
    assert figures(german)["Kugeln durch den Zaun"] == passed


@pytest.mark.parametrize("path", ["/after", "/after/picture.png"])
def test_while_the_game_goes_on_or_none_is_open_a_sentence_says_so(stand: Stand, path: str) -> None:
    assert stand.stranger().get(path).status_code == 404
    stand.open(2)
    answer = stand.stranger().get(path)
    assert answer.status_code == 409
    assert "The game is not over yet." in answer.text


def test_the_picture_is_an_image_that_differs_by_language_and_winner(stand: Stand) -> None:
    show_finished(stand)
    english = stand.stranger().get("/after/picture.png")
    assert english.mimetype == "image/png"
    with Image.open(io.BytesIO(english.data)) as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 20, "something is drawn"
    german = stand.stranger().get("/after/picture.png", headers={"Accept-Language": "de"})
    assert german.data != english.data
    assert stand.stranger().get("/after/picture.png").data == english.data


def masses() -> list[float]:
    actions = map(msgspec.to_builtins, recorded(WON_BY_B).actions)
    return [action["mass_g"] for action in actions if action["do"] == "weigh"]


def shown(client: FlaskClient) -> list[float]:
    return [float(one) for one in re.findall(r"<td>([\d.]+) g</td><td>⌀", client.get("/after").text)]


@pytest.mark.slow
def test_masses_show_only_when_every_seat_has_agreed(stand: Stand) -> None:
    setup = show_finished(stand)
    kiosk = own(stand.kiosk())
    for seat in range(len(setup.players)):
        assert shown(kiosk) == []
        assert agree(kiosk, seat) == 302
    assert sorted(shown(kiosk)) == sorted(masses())
    assert shown(stand.stranger()) == [], "a stranger agreed to nothing"
    assert "Only the players see this" in stand.stranger().get("/after").text


def test_a_seat_on_a_phone_agrees_on_that_phone_alone(stand: Stand) -> None:
    setup = show_finished(stand)
    kiosk, phone = own(stand.kiosk()), stand.phone(1)
    for seat in range(len(setup.players)):
        assert agree(kiosk, seat) == (403 if seat == 1 else 302)
    assert agree(phone, 0) == 403
    assert shown(kiosk) == []
    assert 'href="/after"' in phone.get("/seat/1").text
    assert agree(phone, 1) == 302
    assert shown(phone) == shown(kiosk) != []


def test_a_stranger_agrees_for_nobody(stand: Stand) -> None:
    show_finished(stand)
    assert agree(stand.stranger(), 0) == 403


def test_a_correction_takes_every_consent_back(stand: Stand) -> None:
    setup = show_finished(stand)
    kiosk = own(stand.kiosk())
    for seat in range(len(setup.players)):
        agree(kiosk, seat)
    assert shown(kiosk) != []
    last = msgspec.to_builtins(recorded(WON_BY_B).actions[-1])
    stand.table.undo("oops")
    assert kiosk.get("/after").status_code == 409
    stand.do(**last)
    assert shown(kiosk) == []


def test_what_a_page_of_before_the_correction_sends_is_refused(stand: Stand) -> None:
    show_finished(stand)
    kiosk = own(stand.kiosk())
    answer = kiosk.post("/after/agree", data={"seat": 0, "game": "1.1"})
    assert answer.status_code == 409
    assert "corrected meanwhile" in answer.text


def test_the_sphere_s_size_follows_from_its_mass(stand: Stand) -> None:
    setup = show_finished(stand)
    kiosk = own(stand.kiosk())
    for seat in range(len(setup.players)):
        agree(kiosk, seat)
    rows = re.findall(r"<td>([\d.]+) g</td><td>⌀ ([\d.]+) mm", kiosk.get("/after").text)
    assert rows
    for mass_g, diameter_mm in rows:
        volume_mm3 = math.pi / 6 * float(diameter_mm) ** 3
        assert volume_mm3 * 1.14e-3 == pytest.approx(float(mass_g), rel=0.01)


def mass_rows(client: FlaskClient) -> list[str]:
    """What the table of masses says of each sphere, in the order of the page."""
    table = client.get("/after").text.rpartition("<tbody>")[2].partition("</table>")[0]
    rows = re.findall(r"<th>[A-Z][a-z]*</th><td.*?</tr>", table)
    return [text_of(row) for row in rows]


@pytest.mark.parametrize(("language", "by_hand"), [("en", "ranked by hand"), ("de", "von Hand geordnet")])
def test_spheres_that_people_ranked_on_a_balance_have_no_mass_ap_9(stand: Stand, language: str, by_hand: str) -> None:
    stand.open(3)
    stand.play({"do": "roll", "seat": 0, "value": 1}, {"do": "time_up"})
    stand.play(*({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(3)))
    for button in ("without_scale", "rank.1", "rank.2"):
        assert isinstance(stand.table.command(button, button), Accepted)
        stand.table.step()
    stand.play({"do": "leave", "seat": 0}, {"do": "leave", "seat": 2})
    kiosk = own(stand.kiosk())
    for seat in range(3):
        agree(kiosk, seat)
    kiosk.set_cookie("language", language)
    rows = mass_rows(kiosk)
    assert [row.split()[0] for row in rows] == ["Ben", "Cleo", "Ann"], "the order that people found"
    assert all(by_hand in row and not re.search(r"\d", row) for row in rows)
    assert "g/cm³" not in kiosk.get("/after").text, "no diameter was reckoned"


def test_what_people_said_about_a_mass_before_an_attempt_is_not_shown_as_one_sm_46(stand: Stand) -> None:
    stand.open(2, same_mass_check=True)
    stand.play({"do": "roll", "seat": 0, "value": 1}, {"do": "time_up"}, {"do": "weigh", "seat": 0, "mass_g": 21.5})
    stand.do(do="attempt", seat=0, outcome="stuck")
    for button in ("without_scale", "other_mass"):
        assert isinstance(stand.table.command(button, button), Accepted)
        stand.table.step()
    stand.do(do="decline", seat=0)
    for button in ("without_scale", "same_mass"):
        assert isinstance(stand.table.command(button, f"other-{button}"), Accepted)
        stand.table.step()
    stand.play({"do": "attempt", "seat": 1, "outcome": "passed"}, {"do": "leave", "seat": 1})
    kiosk = own(stand.kiosk())
    for seat in range(2):
        agree(kiosk, seat)
    assert shown(kiosk) == [21.5]
    assert [row.split()[0] for row in mass_rows(kiosk)] == ["Ann"]


def test_the_picture_is_the_same_before_and_after(stand: Stand) -> None:
    setup = show_finished(stand)
    kiosk = own(stand.kiosk())
    before = kiosk.get("/after/picture.png").data
    for seat in range(len(setup.players)):
        agree(kiosk, seat)
    assert kiosk.get("/after/picture.png").data == before
