"""The host's pages beside the games, in either language: what axe finds, how large targets and type are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from appliance.service.machine.asks import Wifi
from appliance.service.machine.machine import Machine
from tests.end_to_end.readable.test_frame_for_everybody import faults_of
from tests.end_to_end.served import KIOSK, Served, needs_browser
from tests.web.host.calibration_screen import CalibrationScreen
from tests.web.host.first_start import READY, Told
from tests.web.host.test_self_test_page import Checked
from tests.web.host.test_upkeep import Kept
from tests.web.machine_asked import Asked, host
from tests.web.stand import PIN, Stand
from web.routes.first_start import STEPS

pytestmark = [*needs_browser, pytest.mark.thorough]


def none_of(wrong: dict[str, str]) -> None:
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))


def test_the_self_test(browser: Any, tmp_path: Path) -> None:
    checked = Checked(tmp_path)
    checked.sense("beams", "faulty", "beam_front_dark_at_start")
    checked.lay(0.0)
    none_of(faults_of(browser, checked.client, "kiosk", ("/host/check",)))
    checked.standing.stop()
    checked.stand.close()


def test_the_support_file_and_the_updates(browser: Any, tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept", pin="")
    none_of(faults_of(browser, kept.own_screen(), "kiosk", ("/host/support",)))
    kept.stand.close()
    asked = Asked(tmp_path / "machine")
    (tmp_path / "table").mkdir()
    stand = Stand(tmp_path / "table", machine=Machine(asked.folder))
    none_of(faults_of(browser, host(stand), "kiosk", ("/host/updates",)))
    stand.close()
    asked.close()


def test_the_networks_in_reach(browser: Any, tmp_path: Path) -> None:
    machine = Told(tmp_path)
    wifis = tuple(
        Wifi(name, 80 - 9 * n, True, n == 2) for n, name in enumerate(("Harbour", "Café " * 6, "B", "Zoo 5G"))
    )
    machine.done = replace(machine.done, state=replace(READY, wifis=wifis))
    stand = Stand(tmp_path, pin="", owner_file=tmp_path / "owner.json", machine=machine)
    none_of(faults_of(browser, stand.kiosk(), "kiosk", ("/first/network",)))
    stand.close()


@pytest.fixture
def calibration(tmp_path: Path) -> Iterator[CalibrationScreen]:
    made = CalibrationScreen(tmp_path)
    yield made
    made.close()


def test_what_a_calibration_asks(browser: Any, calibration: CalibrationScreen) -> None:
    session = calibration.session
    wrong = faults_of(browser, calibration.host, "kiosk", ("/host/calibration",))
    calibration.post("/begin/scale")
    for mass in (None, "0"):
        if mass is not None:
            calibration.post("/lay", mass=mass)
            calibration.until(lambda: bool(session.state.points))
        calibration.until(lambda: session.state.stage == "asking")
        wrong |= faults_of(browser, calibration.host, "kiosk", ("/host/calibration",))
    calibration.post("/cancel")
    calibration.until(lambda: session.state.stage not in ("asking", "running"))
    calibration.post("/begin/balls")
    calibration.until(lambda: session.state.stage == "asking")
    wrong |= faults_of(browser, calibration.host, "kiosk", ("/host/calibration",))
    none_of(wrong)


def test_the_way_back_is_on_the_same_side_in_every_step_of_the_first_start(served: Served) -> None:
    page = served.page("/host/unlock?back=/first/pin", KIOSK)
    page.locator("[name=pin]").fill(PIN)
    page.locator("main form button.confirm").tap()
    page.wait_for_url(f"{served.base}/first/pin")
    sides = []
    for step in STEPS[1:]:
        page.goto(f"{served.base}/first/{step}")
        sides.append(page.locator(".ways a", has_text="Back").bounding_box()["x"])
    assert len(set(sides)) == 1
