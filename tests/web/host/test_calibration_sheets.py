"""The sheets to print: with the table's own measures, on both papers, and never on its own screen."""

from __future__ import annotations

import re
from typing import Any

import pypdfium2
import pytest

from calibration import store
from calibration.measures import changed
from calibration.track.fit import to_toml as rig_toml
from hardware.rig import Rig
from tests.web.host.calibration_screen import CalibrationScreen
from tests.web.stand import PIN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("language", "names"), [("en", ("A4", "Letter")), ("de", ("A4", r"Letter \(USA\)"))])
def test_the_sheets_are_there_to_print_on_both_papers(
    screen: CalibrationScreen, language: str, names: tuple[str, str]
) -> None:
    from_phone: dict[str, Any] = {
        "base_url": "http://192.0.2.7",
        "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"},
        "headers": {"Accept-Language": language},
    }
    screen.other.post("/host/unlock", data={"pin": PIN}, **from_phone | {"headers": {"Origin": "http://192.0.2.7"}})
    page = screen.other.get("/host/calibration", **from_phone).get_data(as_text=True)
    for name, size_mm in zip(names, ((210.0, 297.0), (215.9, 279.4)), strict=True):
        link = re.search(rf'<a [^>]*href="([^"]+sheets.pdf[^"]*)">[^<]*{name}</a>', page)
        assert link is not None, name
        pdf = pypdfium2.PdfDocument(screen.other.get(link[1], **from_phone).data)
        sizes_mm = {tuple(round(points / 72 * 25.4, 1) for points in page.get_size()) for page in pdf}
        pdf.close()
        assert sizes_mm <= {size_mm, size_mm[::-1]}


def test_the_sheets_show_the_tables_own_measures_in_the_viewers_language(screen: CalibrationScreen) -> None:
    store.write(screen.paths.track, rig_toml(changed(Rig(), ["hole.3=28,75"])))
    pdf = pypdfium2.PdfDocument(screen.host.get("/host/calibration/sheets.pdf", headers={"Accept-Language": "de"}).data)
    said = "".join(page.get_textpage().get_text_bounded() for page in pdf)
    pdf.close()
    assert "28,75" in said
    assert "Streifen" in said


def test_sheets_of_a_damaged_rig_are_refused(screen: CalibrationScreen) -> None:
    screen.paths.track.write_text("hole = 400")
    answer = screen.host.get("/host/calibration/sheets.pdf")
    assert answer.status_code == 409
    assert "rig file is damaged" in answer.get_data(as_text=True)


def test_the_own_screen_downloads_nothing(screen: CalibrationScreen) -> None:
    page = screen.host.get("/host/calibration").get_data(as_text=True)
    assert 'href="/host/calibration/sheets.pdf"' not in page
    assert "/host/calibration on a device with a printer" in page
    here = {"base_url": "http://192.0.2.7", "environ_overrides": {"REMOTE_ADDR": "192.0.2.99"}}
    screen.other.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://192.0.2.7"}, **here)
    assert 'href="/host/calibration/sheets.pdf"' in screen.other.get("/host/calibration", **here).get_data(as_text=True)
