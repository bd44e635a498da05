"""A camera that fails is on wall and kiosk with what to do, in the viewer's language, until it is well again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.cameras.camera import CAMERA_HEALTH
from hardware.readings import DeviceHealth, Status
from tests.web.stand import Stand

SAID = {
    "en": "Camera: too dark: switch a lamp on. Tap until then.",
    "de": "Kamera: zu dunkel: eine Lampe einschalten. Bis dahin tippt ihr.",
}


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.close()


def sense(stand: Stand, code: str, status: Status) -> None:
    stand.table.sense(DeviceHealth(t_s=1.0, device="camera", status=status, code=code))
    stand.table.step()


def page(stand: Stand, path: str, language: str = "en") -> str:
    return stand.kiosk().get(path, headers={"Accept-Language": language}).get_data(as_text=True)


@pytest.mark.parametrize("open_game", [False, True])
@pytest.mark.parametrize("language", SAID)
def test_a_camera_that_fails_is_told_with_what_to_do_until_it_is_well(
    stand: Stand, language: str, open_game: bool
) -> None:
    if open_game:
        stand.open()
    sense(stand, "camera_ok", "ok")
    assert all(SAID[language] not in page(stand, path, language) for path in ("/", "/kiosk"))
    sense(stand, "camera_dark", "faulty")
    assert all(SAID[language] in page(stand, path, language) for path in ("/", "/kiosk"))
    sense(stand, "camera_ok", "ok")
    assert all(SAID[language] not in page(stand, path, language) for path in ("/", "/kiosk"))


def test_a_camera_that_was_pulled_out_stays_told_while_it_is_away(stand: Stand) -> None:
    sense(stand, "camera_ok", "ok")
    for code in ("camera_lost", "camera_absent"):
        sense(stand, code, CAMERA_HEALTH[code])
    assert "Camera: not found" in page(stand, "/")


def test_a_table_that_never_had_a_camera_says_nothing_of_it(stand: Stand) -> None:
    sense(stand, "camera_absent", "absent")
    assert "Tap until then" not in page(stand, "/")
