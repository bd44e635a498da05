"""Why a calibration failed: one sentence in the viewer's language, with the figures that English has."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.guided_calibration.errors import FAILURES, sentence_of, values_of, why
from appliance.words.catalogues import LANGUAGES, words_for
from appliance.words.errors import TableError
from calibration.balls.fit import BallError, BallSeen, KnownBall, fit_balls
from calibration.camera.intrinsics import CameraFitError, fit_camera
from calibration.scale.coins import MassError, parse_mass
from hardware.cameras.camera_model import CameraFileError
from hardware.rig import Rig
from hardware.twin.drawing.viewpoint import twin_camera
from tests.places import ROOT

RAISED = ("FitError", "CameraFitError", "BallError", "StoreError")


def raised() -> list[tuple[str, set[str], str]]:
    """Every code that a calibration's source gives to a failure, with the values that come along."""
    found = []
    folders = [
        ROOT / "calibration",
        ROOT / "appliance" / "guided_calibration",
        ROOT / "appliance" / "commands" / "calibrate",
    ]
    for path in [path for folder in folders for path in folder.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                code = node.args[0]
                assert isinstance(code, ast.Constant)
                found.append((str(code.value), {each.arg or "" for each in node.keywords}, path.name))
    return found


def test_every_failure_has_words_and_brings_what_they_name() -> None:
    codes = raised()
    assert len({code for code, _, _ in codes}) > 12
    for code, values, name in codes:
        for language in LANGUAGES:
            sentence = words_for(language)._sentences[f"calibrate.why.{code}"]
            named = {field for _, field, _, _ in string.Formatter().parse(sentence) if field}
            assert named <= values, (code, name, language)


def said(error: Exception, language: str) -> str:
    assert isinstance(error, FAILURES)
    return sentence_of(error.code, values_of(error), str(error), words_for(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_of_the_journal_is_one_sentence_in_every_language(language: str) -> None:
    told = why(TableError("journal_unreadable", path="/somewhere", reason="not a database"), words_for(language))
    assert told.endswith(" [journal_unreadable]")
    assert "{" not in told
    assert "/somewhere" in told


def test_figures_stay_in_german_with_decimal_commas() -> None:
    seen = BallSeen(KnownBall("20.5", None, 20.5), 23.14, 0.02, (1.4, -0.9))
    with pytest.raises(BallError) as far_off:
        fit_balls([seen], Rig())
    assert "von 20,5 mm wurde als 23,1 mm gesehen" in said(far_off.value, "de")
    with pytest.raises(CameraFileError) as other:
        twin_camera().scaled_to(640, 480)
    assert "640×480" in said(other.value, "de")
    with pytest.raises(CameraFitError) as few:
        fit_camera([])
    assert "in 0 verschiedenen Bildern" in said(few.value, "de")
    with pytest.raises(MassError) as no_mass:
        parse_mass("schwer")
    assert "„schwer“ ist keine Masse" in said(no_mass.value, "de")


@pytest.mark.parametrize(
    ("kind", "arguments", "code"),
    [
        ("track", ["empty.png", "--camera", "none.toml"], "camera_file_unreadable"),
        ("track", ["empty.png", "--camera", "camera.toml"], "unreadable_picture"),
        ("camera", ["black.png"], "few_views"),
        ("balls", ["orange=black.png", "--camera", "camera.toml"], "no_markers"),
        ("balls", ["blue"], "no_such_ball"),
        ("scale", ["--point", "0=nowhere.csv"], "recording_unreadable"),
        ("scale", ["--undo"], "store_nothing_to_undo"),
    ],
)
def test_the_terminal_says_it_in_the_language_of_the_settings(
    kind: str, arguments: list[str], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cv2
    import numpy as np

    from calibration.camera.intrinsics import to_toml

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    cv2.imwrite("black.png", np.zeros((864, 1536, 3), np.uint8))
    Path("empty.png").write_bytes(b"")
    Path("camera.toml").write_text(to_toml(twin_camera()))
    before = sorted(tmp_path.iterdir())
    spoken = []
    for language in LANGUAGES:
        monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
        result = CliRunner().invoke(main, ["calibrate", kind, *arguments, "--out", "out.toml"])
        assert result.exit_code == 2
        (line,) = result.stderr.splitlines()
        assert line.endswith(f"[{code}]")
        spoken.append(line)
    assert spoken[0] != spoken[1]
    assert sorted(tmp_path.iterdir()) == before
