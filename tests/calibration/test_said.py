"""What calibrations say: every code has words, and a report in German is German down to its decimal commas."""

from __future__ import annotations

import re

import cv2
import msgspec
import numpy as np
import pytest

from appliance.words.catalogues import LANGUAGES, words_for
from calibration.balls.fit import BallSeen, KnownBall, fit_balls
from calibration.balls.report import balls_page, balls_verdict
from calibration.messages import CalibrationVerdict, Message, sentences
from calibration.report.report_page import ReportPage, html_page, png_page
from hardware.rig import Rig
from tests.places import ROOT

pytestmark = pytest.mark.slow


def test_every_code_a_calibration_says_has_words() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "calibration").rglob("*.py"))
    codes = set(re.findall(r'"((?:verdict|report)\.[a-z_.]+)"', source))
    assert len(codes) > 50
    for language in LANGUAGES:
        assert not {code for code in codes if code not in words_for(language)}


def test_numbers_are_written_as_the_language_does() -> None:
    judged = CalibrationVerdict("good", (Message("verdict.scale.hum", {"hum_g": 0.0125, "hum_hz": 49.5}),))
    assert sentences(judged, words_for("en"))[0].startswith("It hums: 0.0125 g at 49.50 Hz.")
    assert sentences(judged, words_for("de"))[0].startswith("Sie brummt: 0,0125 g bei 49,50 Hz.")


def test_a_report_of_balls_is_written_in_german() -> None:
    seen = [BallSeen(KnownBall(f"{mm:g} mm", None, mm), mm * 1.008 - 0.1, 0.02, (1.4, -0.95)) for mm in (18.5, 40.0)]
    fit = fit_balls(seen, Rig())
    page = balls_page(fit, balls_verdict(fit), "2026-05-01T08:15:02+00:00", words_for("de"))
    text = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", html_page(page), flags=re.DOTALL)
    assert '<html lang="de">' in text
    assert "Bekannte Kugeln" in text
    assert "18,50" in text
    assert "2026-05-01 08:15 UTC" in text
    assert not re.findall(r"\d\.\d", text)
    assert "Noch nicht gezeigt, darum gilt die übliche Farbe: gelb, grün, " in text


def test_the_picture_of_a_report_has_umlauts() -> None:
    """The page says nothing but one letter: with its dots it is not the letter without, nor the sign for a lack."""
    fit = fit_balls([BallSeen(KnownBall("18 mm", None, 18.0), 18.1, 0.02, (1.4, -0.95))], Rig())
    page = balls_page(fit, balls_verdict(fit), "2026-05-01", words_for("de"))
    drawn = {letter: _title(msgspec.structs.replace(page, title=letter)) for letter in ("u", "ü", "ä", "√")}
    with pytest.warns(UserWarning, match="missing from font"):
        lacking = _title(msgspec.structs.replace(page, title="\uffff"))
    assert all((drawn[letter] != lacking).any() for letter in ("ü", "ä", "√"))
    assert (drawn["ü"] != drawn["u"]).any()


def _title(page: ReportPage) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(png_page(page), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return picture[:130, 60:112]
