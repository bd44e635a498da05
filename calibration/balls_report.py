"""The one-page report of the balls that the table was shown."""

from __future__ import annotations

from calibration.balls import COLOURS, LEAST_GAP, BallsFit
from calibration.plot import Series, plot
from calibration.report_page import Figure, Grade, ReportPage, Table
from vision.colour import palette_of

_GOOD_LEFT_MM = 0.15


def balls_page(fit: BallsFit, made: str) -> ReportPage:
    """Return the report of a fit."""
    palette = palette_of(fit.rig)
    sizes = tuple(
        (ball.known.label, f"{ball.known.diameter_mm:.2f}", f"{ball.measured_mm:.2f}", f"{ball.left_mm:+.3f}")
        for ball in fit.balls
    )
    putties = tuple(
        (
            name,
            "shown" if any(name == each.name for each in fit.rig.putties) else "as usual",
            f"{red:+.2f}, {blue:+.2f}",
        )
        for name, (red, blue) in ((name, palette.means[name]) for name in COLOURS)
    )
    figures = []
    if fit.balls:
        left = plot(
            [Series("left", [(b.known.diameter_mm or 0.0, b.left_mm, 0.0) for b in fit.balls], dots=True)],
            "diameter, mm",
            "left over, mm",
        )
        figures.append(Figure(left, "What is left of each ball's error after the correction."))
    return ReportPage(
        title="Known balls",
        made=made,
        grade=balls_grade(fit),
        sentences=sentences(fit),
        tables=(
            Table("Sizes", ("ball", "is, mm", "seen as, mm", "left over, mm"), sizes),
            Table("Putties", ("putty", "", "ln R/G, ln B/G"), putties),
        ),
        figures=tuple(figures),
    )


def balls_grade(fit: BallsFit) -> Grade:
    """Return how far the table can be trusted with balls like these."""
    worst_mm = max((abs(ball.left_mm) for ball in fit.balls), default=0.0)
    if fit.gap < LEAST_GAP or worst_mm > 3 * _GOOD_LEFT_MM:
        return "poor"
    return "good" if worst_mm <= _GOOD_LEFT_MM and len(fit.balls) != 1 else "usable"


def sentences(fit: BallsFit) -> tuple[str, ...]:
    """Return the verdict in words, the most important first."""
    first, second = fit.alike
    said = []
    if fit.gap < LEAST_GAP:
        said.append(
            f"{first.capitalize()} and {second} putty look alike to this camera ({fit.gap:.1f} spreads apart): light "
            "the pan better, or play without one of them."
        )
    else:
        said.append(f"The putties most alike, {first} and {second}, lie {fit.gap:.1f} spreads apart: told apart well.")
    if fit.balls:
        worst = max(fit.balls, key=lambda ball: abs(ball.left_mm))
        said.append(
            f"Diameters are corrected by {-fit.rig.ball_offset_mm:+.2f} mm, then divided by {fit.rig.ball_scale:.4f}; "
            f"the correction itself is known within ± {fit.rig.ball_sd_mm:.2f} mm."
        )
        said.append(f"The ball of {worst.known.diameter_mm:g} mm keeps the largest error, {worst.left_mm:+.2f} mm.")
    if len(fit.balls) == 1:
        said.append("One size alone cannot tell an offset from a scale: show a second ball, much larger or smaller.")
    unseen = [name for name in COLOURS if all(name != each.name for each in fit.rig.putties)]
    if unseen:
        said.append(f"Not shown yet, and taken as usual: {', '.join(unseen)}.")
    return tuple(said)
