"""A device that fails is on every screen with what to do and how to go on, until it is well again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from hardware.cameras.camera import CAMERA_HEALTH
from hardware.readings import Device, DeviceHealth, Status
from tests.web.stand import PIN, Stand
from web.words.viewer import Viewer

DARK = {
    "en": "Camera: too dark: switch a lamp on. Tap what the die shows, how each sphere rolled and what was in it.",
    "de": "Kamera: zu dunkel: eine Lampe einschalten. "
    "Tippt, was der Würfel zeigt, wie jede Kugel rollte und was darin war.",
}
SHARED = ("/", "/kiosk")
every_language = pytest.mark.parametrize("language", DARK)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.close()


def sense(stand: Stand, device: Device, code: str, status: Status, *further: str) -> None:
    stand.table.sense(DeviceHealth(t_s=1.0, device=device, status=status, code=code, further=further))
    stand.table.step()


def page(stand: Stand, path: str, language: str = "en") -> str:
    return stand.kiosk().get(path, headers={"Accept-Language": language}).get_data(as_text=True)


def faults(html: str) -> list[str]:
    """Return the lines above a screen, as they are read."""
    (region,) = re.findall(r'id="region-faults"[^>]*>(.*?)</section>', html, re.DOTALL)
    lines = re.findall(r"<p class=\"fault.*?</p>", region, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", line)).strip() for line in lines]


@every_language
def test_a_camera_that_fails_is_told_with_what_to_do_and_how_to_go_on_until_it_is_well(
    stand: Stand, language: str
) -> None:
    stand.open()
    sense(stand, "camera", "camera_ok", "ok")
    assert all(faults(page(stand, path, language)) == [] for path in SHARED)
    sense(stand, "camera", "camera_dark", "faulty")
    assert all(faults(page(stand, path, language)) == [DARK[language]] for path in SHARED)
    sense(stand, "camera", "camera_ok", "ok")
    assert all(faults(page(stand, path, language)) == [] for path in SHARED)


def test_a_line_that_asks_something_ends_in_one_mark(stand: Stand) -> None:
    stand.open()
    sense(stand, "scale", "scale_no_gpio", "faulty")
    (line,) = faults(page(stand, SHARED[0]))
    assert "in the group gpio? Compare the spheres" in line


def test_every_device_that_fails_has_its_line_and_every_beam_its_word(stand: Stand) -> None:
    stand.open()
    sense(stand, "camera", "camera_covered", "faulty")
    sense(stand, "beams", "beam_front_dead", "faulty", "beam_back_covered")
    sense(stand, "scale", "scale_disturbed", "faulty")
    for path in SHARED:
        camera, beams, scale = faults(page(stand, path))
        assert camera.startswith("Camera: covered")
        assert "front beam never changes" in beams
        assert "back beam is covered" in beams
        assert "Judge the roll by eye" in beams
        assert "Compare the spheres on the balance" in scale


def test_without_beams_the_camera_that_sees_judges_alone(stand: Stand) -> None:
    stand.open()
    sense(stand, "camera", "camera_ok", "ok")
    sense(stand, "beams", "beam_front_dead", "faulty")
    (beams,) = faults(page(stand, "/kiosk"))
    assert beams.endswith("The camera judges rolls alone; where it asks, judge by eye and tap.")


def test_a_camera_that_sees_weighs_nothing_without_the_scale(stand: Stand) -> None:
    stand.open()
    sense(stand, "camera", "camera_ok", "ok")
    sense(stand, "scale", "scale_disturbed", "faulty")
    (scale,) = faults(page(stand, "/kiosk"))
    assert "Compare the spheres on the balance" in scale


@every_language
def test_the_lobby_tells_it_too_and_the_host_s_page_without_being_loaded_anew(stand: Stand, language: str) -> None:
    host = stand.kiosk()
    assert host.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://localhost"}).status_code == 302
    sense(stand, "camera", "camera_dark", "faulty")
    told = DARK[language].partition(". ")[0]
    pages = [page(stand, path, language) for path in SHARED]
    settings = host.get("/host", headers={"Accept-Language": language}).get_data(as_text=True)
    assert all(line.startswith(told) for html in (*pages, settings) for line in faults(html))
    assert all(faults(html) for html in (*pages, settings))
    assert 'data-kind="wall"' in settings, "its script asks for the stream that brings the region"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Out of order: Camera, Scale. The touchscreen says how to go on."),
        ("de", "Gestört: Kamera, Waage. Am Touchscreen steht, wie es weitergeht."),
    ],
)
def test_a_phone_gets_one_short_line(stand: Stand, language: str, said: str) -> None:
    stand.open()
    sense(stand, "camera", "camera_dark", "faulty")
    sense(stand, "scale", "scale_noisy", "faulty")
    html = stand.phone(0).get("/seat/0", headers={"Accept-Language": language}).get_data(as_text=True)
    assert faults(html) == [said]


def test_a_camera_that_was_pulled_out_stays_told_while_it_is_away(stand: Stand) -> None:
    sense(stand, "camera", "camera_ok", "ok")
    for code in ("camera_lost", "camera_absent"):
        sense(stand, "camera", code, CAMERA_HEALTH[code])
    assert "Camera: not found" in faults(page(stand, "/"))[0]


def test_a_table_that_never_had_a_camera_says_nothing_of_it(stand: Stand) -> None:
    sense(stand, "camera", "camera_absent", "absent")
    assert faults(page(stand, "/")) == []


def test_a_doubt_is_told_and_the_camera_is_used_all_the_same(stand: Stand) -> None:
    stand.open()
    sense(stand, "camera", "camera_ok", "ok", "camera_marker_hidden")
    (line,) = faults(page(stand, "/kiosk"))
    assert "a marker of the table is covered" in line
    assert "The game goes on" in line
    assert faults(stand.phone(0).get("/seat/0").get_data(as_text=True)) == []


@pytest.mark.parametrize(("physical", "told"), [(True, 1), (False, 0)])
def test_a_game_is_told_only_of_devices_that_it_uses(stand: Stand, physical: bool, told: int) -> None:
    players = tuple(Player(name=name) for name in ("Ann", "Ben", "Cleo"))
    setup = Setup(format=1, game="prohis", players=players, options={"physical": physical})
    assert isinstance(stand.table.open_game(setup, "open"), Accepted)
    sense(stand, "camera", "camera_dark", "faulty")
    sense(stand, "scale", "scale_noisy", "faulty")
    assert len(faults(page(stand, "/kiosk"))) == told


def test_what_is_told_stays_the_same_while_it_holds(stand: Stand) -> None:
    """A screen reader says it once: the region is sent again only when something else is wrong."""
    stand.open()
    sense(stand, "camera", "camera_dark", "faulty")
    renderer = stand.app.extensions["smugglers"].renderer
    before = renderer.regions(stand.table.snapshot(), Viewer("wall", None, "en"))["faults"]
    stand.do(do="roll", seat=0, value=3)
    sense(stand, "camera", "camera_dark", "faulty")
    assert renderer.regions(stand.table.snapshot(), Viewer("wall", None, "en"))["faults"] == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options", "scale", "said"),
    [
        ("prohis", {"physical": True}, "ok", "Live sensors"),
        ("prohis", {"physical": True}, "absent", "By hand: no sensors"),
        ("prohis", {}, "ok", "Plays without sensors"),
        ("smugglers", {}, "ok", "Live sensors"),
    ],
)
def test_the_label_in_the_head_speaks_of_what_this_game_uses(
    real_stand: Stand, game: str, options: dict[str, bool], scale: Status, said: str
) -> None:
    putty = ("yellow", "pink", "green")
    setup = Setup(
        format=1,
        game=game,
        players=tuple(
            Player(name=name, putty=colour if game == "smugglers" else None)
            for name, colour in zip(("Ann", "Ben", "Cleo"), putty, strict=True)
        ),
        options=options,
    )
    assert isinstance(real_stand.table.open_game(setup, "open"), Accepted)
    for device in ("camera", "beams"):
        sense(real_stand, device, f"{device}_ok", "ok")
    sense(real_stand, "scale", f"scale_{scale}", scale)
    for path in SHARED:
        assert f">{said}<" in real_stand.app.test_client().get(path).get_data(as_text=True)
