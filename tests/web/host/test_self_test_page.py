"""The host's page of the self-test says what `smugglers check` says, in the reader's language, and of no load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.simulated_table import TWIN_SCALE
from appliance.devices.whole_self_test import WholeSelfTest, collected
from appliance.service.standing_self_test import StandingSelfTest
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import Sample
from tests.markup import text_of
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand
from web.app import create_app

HERE = {"Origin": "http://localhost"}


class Checked:
    """A stand whose host has the page, and the self-test behind it."""

    def __init__(self, folder: Path) -> None:
        self.stand = Stand(folder, hardware="pi", pin="")
        settings = Settings(data_dir=str(folder))
        self.test = WholeSelfTest(settings, twin_calibration, twin=False, serving=True)
        self.standing = StandingSelfTest(self.test, self.stand.table.snapshot, words_for("en"), listens_s=0.0)
        self.client = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            self_test=self.standing,
        ).test_client()

    def sense(self, device: Any, status: Any, code: str) -> None:
        self.stand.table.sense(DeviceHealth(t_s=1.0, device=device, status=status, code=code))
        self.stand.table.step()

    def lay(self, grams: float) -> None:
        """Let the scale read so much for a while."""
        counts = round(TWIN_SCALE.zero_counts + grams * TWIN_SCALE.counts_per_gram)
        for n in range(60):
            self.test.take(Sample(t_s=n / 10, counts=counts + n % 5))

    def page(self, language: str = "en") -> str:
        text = self.client.get("/host/check", headers={"Accept-Language": language}).get_data(as_text=True)
        return text_of(text)


@pytest.fixture
def checked(tmp_path: Path) -> Iterator[Checked]:
    made = Checked(tmp_path)
    yield made
    made.standing.stop()
    made.stand.close()


def test_what_was_never_calibrated_is_calibrated_at_the_touchscreen_too(checked: Checked) -> None:
    """Nobody can give a command there."""
    assert checked.page().count("is missing: calibrate on the host’s page") == 3
    assert checked.page("de").count("fehlt: auf der Seite des Gastgebers kalibrieren") == 3


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_has_every_finding_of_the_terminal(checked: Checked, language: str) -> None:
    checked.sense("beams", "faulty", "beam_front_dark_at_start")
    checked.lay(0.0)
    devices = collected(checked.stand.table.snapshot().health.values())
    terminal = checked.test.findings(devices, words_for(language))
    page = checked.page(language)
    assert {"beam_front_dark_at_start", "missing", "silent"} <= {finding.code for finding in terminal}
    changes = ("data folder", "temperature")
    assert [one.sentence for one in terminal if one.what not in changes and one.sentence not in page] == []


def test_a_load_on_the_pan_is_told_only_while_no_game_is_open(checked: Checked) -> None:
    checked.lay(20.0)
    assert "the empty pan reads +20.0 g" in checked.page()
    checked.stand.open()
    assert "pan reads" not in checked.page()
    assert "20.0" not in checked.page()


def test_a_tap_listens_anew_and_the_page_comes_back_by_itself(checked: Checked) -> None:
    checked.test.listens = False
    checked.lay(20.0)
    assert "pan reads" not in checked.page(), "what was not listened to is not told"
    assert checked.client.post("/host/check", headers=HERE).status_code == 302
    assert checked.test.listens
    page = checked.client.get("/host/check").get_data(as_text=True)
    assert "data-again" in page
    assert "leave the table alone" in page


def test_the_start_writes_what_is_wrong_into_the_log_and_waits_for_nothing(
    checked: Checked, caplog: pytest.LogCaptureFixture
) -> None:
    for device in ("camera", "scale"):
        checked.sense(device, "ok", f"{device}_ok")
    checked.sense("beams", "faulty", "beam_back_dead")
    with caplog.at_level("INFO"):
        checked.standing.start()
        assert checked.standing._thread is not None
        checked.standing._thread.join(GIVEN_UP_S)
    assert "back beam never changes" in caplog.text
    assert "self-test done" in caplog.text


def test_only_the_host_sees_it(checked: Checked) -> None:
    stranger = checked.stand.stranger()
    assert "/host/check" not in stranger.get("/").get_data(as_text=True)
    here = create_app(
        checked.stand.table,
        settings=checked.stand.site,
        clock=checked.stand.clock,
        self_test=checked.standing,
    ).test_client()
    away: dict[str, Any] = {"base_url": "http://192.0.2.7", "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"}}
    assert here.get("/host/check", **away).status_code == 302
    assert here.post("/host/check", headers={"Origin": "http://192.0.2.7"}, **away).status_code == 403
