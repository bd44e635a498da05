"""Known balls: truth is how balls were drawn by a generator or a simulated table, never what was fitted."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from appliance.cli import main
from calibration.balls.fit import BallError, BallSeen, KnownBall, fit_balls, parse_ball
from calibration.balls.report import balls_grade
from calibration.camera.intrinsics import to_toml
from hardware.clock import ManualClock
from hardware.readings import PuttyColour
from hardware.rig import Putty, Rig
from hardware.rig_file import load_rig
from hardware.twin.cameras.table_camera import EmptyTableCamera
from hardware.twin.drawing.viewpoint import twin_camera
from vision.colour import DEFAULT, palette_of
from vision.markers import find_view
from vision.sphere.sphere import read_pan

pytestmark = pytest.mark.slow

TINT = (1.4, -0.95)


def seen(true_mm: float, measured_mm: float, scatter_mm: float = 0.02) -> BallSeen:
    return BallSeen(KnownBall(f"{true_mm:g}", None, true_mm), measured_mm, scatter_mm, TINT)


@pytest.mark.parametrize(
    ("text", "colour", "diameter_mm"),
    [("orange", "orange", None), ("20.5", None, 20.5), ("Pink:38,1", "pink", 38.1), (" 12 ", None, 12.0)],
)
def test_a_ball_is_a_putty_a_diameter_or_both(text: str, colour: str | None, diameter_mm: float | None) -> None:
    ball = parse_ball(text)
    assert (ball.colour, ball.diameter_mm) == (colour, diameter_mm)


@pytest.mark.parametrize("text", ["", "blue", "orange:big", "5", "99", "1e1", "nan", "20.5.1", "20:orange", "💣"])
def test_what_is_no_ball_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BallError, match="orange:20"):
        parse_ball(text)


def test_two_sizes_tell_an_offset_from_a_scale() -> None:
    fit = fit_balls([seen(18.0, 18.0 * 1.008 - 0.1), seen(40.0, 40.0 * 1.008 - 0.1)], Rig())
    between_mm = (30.0 * 1.008 - 0.1 - fit.rig.ball_offset_mm) / fit.rig.ball_scale
    assert between_mm == pytest.approx(30.0, abs=0.03)
    assert balls_grade(fit) == "good"


@pytest.mark.parametrize("true_mm", [10.0, 15.0, 25.0, 40.0, 45.0])
def test_a_rim_that_sharpening_shifts_by_a_third_of_a_millimetre_shifts_no_diameter(true_mm: float) -> None:
    taught = fit_balls([seen(15.0, 15.3), seen(40.0, 40.3)], Rig()).rig
    assert (true_mm + 0.3 - taught.ball_offset_mm) / taught.ball_scale == pytest.approx(true_mm, abs=0.04)


def test_one_size_is_usable_and_says_that_a_second_is_wanted() -> None:
    fit = fit_balls([seen(30.0, 29.9)], Rig())
    assert balls_grade(fit) == "usable"
    assert (29.9 - fit.rig.ball_offset_mm) / fit.rig.ball_scale == pytest.approx(30.0, abs=0.02)


@pytest.mark.parametrize(("true_mm", "measured_mm"), [(20.0, 22.0), (40.0, 37.0)])
def test_a_ball_that_is_not_what_it_is_said_to_be_teaches_nothing(true_mm: float, measured_mm: float) -> None:
    with pytest.raises(BallError) as refused:
        fit_balls([seen(true_mm, measured_mm)], Rig())
    assert refused.value.code == "ball_far_off"


def test_balls_without_a_size_leave_the_sizes_and_sizes_leave_the_putties() -> None:
    sized = fit_balls([seen(18.0, 18.1), seen(40.0, 40.2)], Rig()).rig
    tinted = fit_balls([BallSeen(KnownBall("pink", "pink"), 31.0, 0.0, (1.2, 0.5))], sized).rig
    assert (tinted.ball_scale, tinted.ball_offset_mm) == (sized.ball_scale, sized.ball_offset_mm)
    again = fit_balls([seen(30.0, 30.1)], tinted).rig
    assert again.putties == tinted.putties


def test_two_putties_that_look_alike_are_told() -> None:
    fit = fit_balls([tinted("pink", (1.4, -0.25)), tinted("orange", (1.4, -0.6))], Rig())
    assert balls_grade(fit) == "poor"
    assert set(fit.alike) == {"orange", "pink"}


def tinted(colour: PuttyColour, tint: tuple[float, float]) -> BallSeen:
    return BallSeen(KnownBall(colour, colour), 30.0, 0.0, tint)


@pytest.mark.parametrize(("stated", "shown"), list(itertools.permutations(DEFAULT.means, 2)))
def test_a_putty_under_the_name_of_another_teaches_nothing(stated: PuttyColour, shown: PuttyColour) -> None:
    red, blue = DEFAULT.means[shown]
    with pytest.raises(BallError) as refused:
        fit_balls([tinted(stated, (red + 0.15, blue - 0.2))], Rig())
    assert refused.value.code == "ball_other_colour"
    assert refused.value.values == {"putty": stated, "other_putty": shown}


@pytest.mark.parametrize("turn_deg", range(0, 360, 45))
@pytest.mark.parametrize("name", DEFAULT.means)
def test_an_own_putty_that_differs_from_the_usual_one_is_learnt(name: PuttyColour, turn_deg: int) -> None:
    turn, (red, blue) = math.radians(turn_deg), DEFAULT.means[name]
    tint = (red + 0.7 * math.cos(turn), blue + 0.7 * math.sin(turn))
    (learnt,) = fit_balls([tinted(name, tint)], Rig()).rig.putties
    assert (learnt.red, learnt.blue) == pytest.approx(tint, abs=0.001)


def test_own_putties_that_look_like_other_usual_ones_are_learnt_one_after_the_other() -> None:
    pink = tinted("pink", DEFAULT.means["orange"])
    own_orange = fit_balls([tinted("orange", (0.95, -1.6))], Rig()).rig
    assert {putty.name for putty in fit_balls([pink], own_orange).rig.putties} == {"orange", "pink"}
    with pytest.raises(BallError, match="looks like orange"):
        fit_balls([tinted("pink", (0.95, -1.5))], own_orange)


def test_a_palette_that_was_learnt_wrongly_is_corrected() -> None:
    orange, pink = DEFAULT.means["orange"], DEFAULT.means["pink"]
    swapped = Rig(putties=(Putty("orange", *pink), Putty("pink", *orange)))
    fit = fit_balls([tinted("orange", orange), tinted("pink", pink)], swapped)
    assert palette_of(fit.rig).means == DEFAULT.means


def test_swapped_pictures_of_putties_are_refused_in_one_sentence(tmp_path: Path) -> None:
    camera, out = tmp_path / "camera.toml", tmp_path / "rig.toml"
    camera.write_text(to_toml(twin_camera()), encoding="utf-8")
    for colour in ("orange", "pink"):
        cv2.imwrite(str(tmp_path / f"{colour}.png"), picture(Rig(), colour, 30.0, 1))
    swapped = [f"pink={tmp_path}/orange.png", f"orange={tmp_path}/pink.png"]
    done = CliRunner().invoke(main, ["calibrate", "balls", *swapped, "--camera", str(camera), "--out", str(out)])
    assert done.exit_code == 2
    assert done.output.rstrip().endswith("[ball_other_colour]")
    assert not out.exists()


def picture(true_rig: Rig, colour: str, diameter_mm: float, seed: int) -> np.ndarray:
    """A photograph of the simulated table with one ball of that true diameter on its pan."""
    clock = ManualClock(0.0)
    camera = EmptyTableCamera(clock, true_rig, lambda seconds: None, seed=seed)
    camera.lay(colour, diameter_mm)  # type: ignore[arg-type]  # one of the four
    return camera.still().image


def test_balls_remove_what_a_pan_of_another_height_does_to_every_diameter(tmp_path: Path) -> None:
    true_rig = msgspec.structs.replace(Rig(), pan_z_mm=Rig().pan_z_mm + 6.0)  # nearer to the camera than the rig says
    for colour, diameter_mm in (("orange", 19.0), ("green", 39.0), ("pink", 29.0)):
        cv2.imwrite(str(tmp_path / f"{colour}.png"), picture(true_rig, colour, diameter_mm, int(diameter_mm)))
    camera = tmp_path / "camera.toml"
    camera.write_text(to_toml(twin_camera()), encoding="utf-8")
    out = tmp_path / "rig.toml"
    result = CliRunner().invoke(
        main,
        ["calibrate", "balls", f"orange:19={tmp_path}/orange.png", f"green:39={tmp_path}/green.png",
         "--camera", str(camera), "--out", str(out), "--report", str(tmp_path / "report.html")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    image = np.asarray(cv2.imread(str(tmp_path / "pink.png")), dtype=np.uint8)
    view = find_view(image, Rig(), twin_camera())
    before, after = read_pan(image, view, Rig()), read_pan(image, view, load_rig(out))
    assert before is not None
    assert after is not None
    assert abs((before.diameter_mm or 0.0) - 29.0) > 0.25
    assert (after.diameter_mm or 0.0) == pytest.approx(29.0, abs=0.12)
    assert {putty.name for putty in load_rig(out).putties} == {"orange", "green"}
    assert (tmp_path / "report.png").stat().st_size > 10_000


def test_the_guide_in_the_terminal_shows_four_putties_and_ctrl_c_leaves_everything(tmp_path: Path) -> None:
    out = tmp_path / "rig.toml"
    aborted = CliRunner().invoke(main, ["calibrate", "balls", "--twin", "--out", str(out)], input="")
    assert aborted.exit_code == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["blue"], "no_such_ball"),
        (["orange=nowhere.png"], "unreadable_picture"),
        (["--undo"], "store_nothing_to_undo"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(arguments: list[str], said: str, tmp_path: Path) -> None:
    camera = tmp_path / "camera.toml"
    camera.write_text(to_toml(twin_camera()), encoding="utf-8")
    out = tmp_path / "rig.toml"
    result = CliRunner().invoke(main, ["calibrate", "balls", *arguments, "--camera", str(camera), "--out", str(out)])
    assert result.exit_code == 2
    assert said in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not out.exists()
