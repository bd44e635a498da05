"""Writes drawings as SVG, for the building instructions."""

from __future__ import annotations

from html import escape

from calibration.sheets.drawing import Circle, Drawing, Line, Outline, Shape, Stroke, Text

LEAST_PX = 1.0
"""Least line width. Thinner lines are not visible on a screen."""
_ANCHOR = {"left": "start", "middle": "middle", "right": "end"}


def svg(drawing: Drawing, title: str, px_per_mm: float = 3.0) -> str:
    """Return a drawing as an SVG picture on a white background; `title` is the text for screen readers."""
    wide, high = drawing.width_mm, drawing.height_mm
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(wide * px_per_mm)}" height="{_n(high * px_per_mm)}" '
        f'viewBox="0 0 {_n(wide)} {_n(high)}" font-family="Helvetica, Arial, sans-serif" role="img">'
    )
    lines = [head, f"<title>{escape(title)}</title>", f'<rect width="{_n(wide)}" height="{_n(high)}" fill="#ffffff"/>']
    return "\n".join([*lines, *(_element(shape, LEAST_PX / px_per_mm) for shape in drawing.shapes), "</svg>"]) + "\n"


def _element(shape: Shape, least_mm: float) -> str:
    match shape:
        case Line((x1, y1), (x2, y2), stroke):
            return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"{_pen(stroke, least_mm)}/>'
        case Circle((x, y), diameter_mm, stroke, fill):
            return (
                f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(diameter_mm / 2)}"{_filled(fill)}{_pen(stroke, least_mm)}/>'
            )
        case Outline(points, stroke, fill, closed):
            kind = "polygon" if closed else "polyline"
            at = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            return f'<{kind} points="{at}"{_filled(fill)}{_pen(stroke, least_mm)}/>'
        case Text((x, y), text, size_mm, align, bold, colour, turn_deg):
            turn = f' transform="rotate({_n(-turn_deg)} {_n(x)} {_n(y)})"' if turn_deg else ""
            weight = ' font-weight="bold"' if bold else ""
            return (
                f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size_mm)}" text-anchor="{_ANCHOR[align]}" '
                f'fill="{colour}"{weight}{turn}>{escape(text)}</text>'
            )


def _pen(stroke: Stroke | None, least_mm: float) -> str:
    if stroke is None:
        return ""
    width_mm = max(stroke.width_mm, least_mm)
    wider = width_mm / stroke.width_mm
    dash = f' stroke-dasharray="{" ".join(_n(each * wider) for each in stroke.dash_mm)}"' if stroke.dash_mm else ""
    return f' stroke="{stroke.colour}" stroke-width="{_n(width_mm)}"{dash}'


def _filled(fill: str | None) -> str:
    return f' fill="{fill or "none"}"'


def _n(value: float) -> str:
    return f"{round(value, 2) + 0.0:g}"
