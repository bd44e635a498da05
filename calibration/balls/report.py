"""The one-page report of the calibration with known balls."""

from __future__ import annotations

from calibration.balls.fit import LEAST_GAP, BallsFit, ball_said
from calibration.messages import CalibrationVerdict, Grade, Message, Speaker
from calibration.report.plot import Series, plot
from calibration.report.report_page import CaptionedChart, ReportPage, TextTable
from hardware.readings import PUTTY_COLOURS
from vision.colour import palette_of

_GOOD_LEFT_MM = 0.15


def balls_page(fit: BallsFit, judged: CalibrationVerdict, made: str, speaker: Speaker) -> ReportPage:
    """Return the report of a fit."""
    say, number = speaker.say, speaker.number
    palette = palette_of(fit.rig)
    sizes = tuple(
        (
            ball_said(ball.known, speaker),
            number(ball.known.diameter_mm or 0.0, ".2f"),
            number(ball.measured_mm, ".2f"),
            number(ball.left_mm, "+.3f"),
        )
        for ball in fit.balls
    )
    shown = {each.name for each in fit.rig.putties}
    putties = tuple(
        (
            say(f"putty.{name}"),
            say("report.putty.shown" if name in shown else "report.putty.usual"),
            "; ".join(number(ratio, "+.2f") for ratio in palette.means[name]),
        )
        for name in PUTTY_COLOURS
    )
    figures = []
    if fit.balls:
        left = plot(
            [Series("left", [(b.known.diameter_mm or 0.0, b.left_mm, 0.0) for b in fit.balls], dots=True)],
            "diameter",
            "left_over",
            speaker,
        )
        figures.append(CaptionedChart(left, say("report.balls.left")))
    size_heads = tuple(say(f"report.head.{name}") for name in ("ball", "is_mm", "seen_mm", "left_mm"))
    return ReportPage.of(
        "balls",
        made,
        judged,
        speaker,
        tables=(
            TextTable(say("report.sizes"), size_heads, sizes),
            TextTable(say("report.putties"), (say("report.head.putty"), "", "ln R/G; ln B/G"), putties),
        ),
        figures=tuple(figures),
    )


def balls_grade(fit: BallsFit) -> Grade:
    """Return the grade of a fit: how reliable measurements of balls are."""
    worst_mm = max((abs(ball.left_mm) for ball in fit.balls), default=0.0)
    if fit.gap < LEAST_GAP or worst_mm > 3 * _GOOD_LEFT_MM:
        return "poor"
    return "good" if worst_mm <= _GOOD_LEFT_MM and len(fit.balls) != 1 else "usable"


def balls_verdict(fit: BallsFit) -> CalibrationVerdict:
    """Judge a fit."""
    putty, other = fit.alike
    code = "verdict.balls.alike" if fit.gap < LEAST_GAP else "verdict.balls.apart"
    said = [Message(code, {"putty": putty, "other_putty": other, "gap": fit.gap})]
    if fit.balls:
        rig = fit.rig
        said.append(
            Message(
                "verdict.balls.corrected",
                {"offset_mm": -rig.ball_offset_mm, "scale": rig.ball_scale, "sd_mm": rig.ball_sd_mm},
            )
        )
        worst = max(fit.balls, key=lambda ball: abs(ball.left_mm))
        said.append(
            Message("verdict.balls.worst", {"diameter_mm": worst.known.diameter_mm or 0.0, "left_mm": worst.left_mm})
        )
    if len(fit.balls) == 1:
        said.append(Message("verdict.balls.one_size"))
    unseen = tuple(name for name in PUTTY_COLOURS if all(name != each.name for each in fit.rig.putties))
    if unseen:
        said.append(Message("verdict.balls.unseen", {"putty": unseen}))
    return CalibrationVerdict(balls_grade(fit), tuple(said))
