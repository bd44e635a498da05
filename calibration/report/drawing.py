"""A small drawing of lines, dots, words and pictures, that becomes SVG inside a page or pixels of a PNG."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

Ink = Literal["ink", "soft", "line", "cool", "mark", "paper", "good"]
Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

COLOURS: dict[Ink, str] = {
    "ink": "#1d2327",
    "soft": "#5f686f",
    "paper": "#fbfaf7",
    "line": "#d9d5cc",
    "mark": "#a8401f",
    "cool": "#24628f",
    "good": "#2f7a44",
}
"""The inks on paper; pages redefine the SVG's for dark screens."""

TEXT_PX = 11
_ROOT = "√"  # a sign that these letters lack: it is drawn, its corners in shares of the letters' height
_ROOT_LINE, _ROOT_WIDTH = ((0.06, -0.32), (0.19, -0.42), (0.36, 0.0), (0.62, -0.84)), 0.66
_LETTERS = Path(__file__).resolve().parents[2] / "web" / "static" / "fonts" / "nunito-latin-400-normal.woff2"


class Line(msgspec.Struct, frozen=True):
    """A line through points; `closed` joins its ends, `filled` also fills it thinly."""

    points: tuple[Point, ...]
    ink: Ink = "ink"
    width: float = 1.6
    dashed: bool = False
    closed: bool = False
    filled: bool = False


class Dot(msgspec.Struct, frozen=True):
    """A filled disc."""

    at: Point
    radius: float
    ink: Ink = "ink"


class Label(msgspec.Struct, frozen=True):
    """Words on one line; `at` is where their baseline starts, is halved or ends; `upright` turns them left."""

    at: Point
    text: str
    ink: Ink = "soft"
    anchor: Anchor = "start"
    upright: bool = False


class Picture(msgspec.Struct, frozen=True):
    """A picture, BGR uint8, stretched over the box from `at` of this size."""

    at: Point
    size: Point
    image: NDArray[np.uint8]


Item = Line | Dot | Label | Picture


class Drawing(msgspec.Struct, frozen=True):
    """Items in the order they are laid, in units of about a pixel, Y down; `title` is read to those who cannot see."""

    width: float
    height: float
    title: str
    items: Sequence[Item]


def svg(drawing: Drawing) -> str:
    """Return the drawing as an `<svg>` whose inks are the page's variables; all text is escaped."""
    label = html.escape(drawing.title)
    head = f'<svg viewBox="0 0 {drawing.width:g} {drawing.height:g}" role="img" aria-label="{label}">'
    return head + "".join(_tag(item) for item in drawing.items) + "</svg>"


def _tag(item: Item) -> str:
    match item:
        case Line():
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in item.points) + ("Z" if item.closed else "")
            fill = f'fill="var(--{item.ink})" fill-opacity="0.18"' if item.filled else 'fill="none"'
            dash = ' stroke-dasharray="5 4"' if item.dashed else ""
            stroke = f'stroke="var(--{item.ink})" stroke-width="{item.width:g}" stroke-linejoin="round"'
            return f'<path d="M{path}" {stroke}{dash} {fill}/>'
        case Dot():
            return f'<circle cx="{item.at[0]:.1f}" cy="{item.at[1]:.1f}" r="{item.radius:g}" fill="var(--{item.ink})"/>'
        case Label():
            x, y = item.at
            place = f'x="{x:.1f}" y="{y:.1f}"'
            if item.upright:
                place = f'transform="translate({x:.1f} {y:.1f}) rotate(-90)"'
            words = html.escape(item.text)
            return f'<text {place} text-anchor="{item.anchor}" fill="var(--{item.ink})">{words}</text>'
        case Picture():
            (x, y), (width, height) = item.at, item.size
            box = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
            return f'<image {box} href="{data_uri(item.image)}"/>'


def data_uri(image: NDArray[np.uint8]) -> str:
    """Return a picture as a JPEG inside an address, so that a page loads nothing."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 82])
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()


class Canvas:
    """A sheet of pixels on which drawings and words are laid.

    :param scale: pixels per unit.
    """

    def __init__(self, width: float, height: float, scale: float = 2.0) -> None:
        self._scale = scale
        self._sheet = Pillow.new("RGB", (round(width * scale), round(height * scale)), COLOURS["paper"])
        self._pen = ImageDraw.Draw(self._sheet, "RGBA")

    def lay(self, drawing: Drawing, x: float, y: float, width: float) -> None:
        """Lay a drawing, as wide as `width`, with its upper left corner at (x, y)."""
        zoom = width / drawing.width
        for item in drawing.items:
            self._item(item, lambda point: ((x + point[0] * zoom), (y + point[1] * zoom)), zoom)

    def words(self, x: float, y: float, text: str, *, size: float = 14, ink: Ink = "ink", anchor: str = "ls") -> float:
        """Write a line and return how wide it is; (x, y) is its baseline's start (see Pillow's text anchors)."""
        font = _font(round(size * self._scale))
        return _write(self._pen, self._px((x, y)), text, font, COLOURS[ink], anchor) / self._scale

    def dot(self, x: float, y: float, radius: float) -> None:
        """Draw a small disc."""
        (left, top), (right, bottom) = self._px((x - radius, y - radius)), self._px((x + radius, y + radius))
        self._pen.ellipse([left, top, right, bottom], fill=COLOURS["ink"])

    def pill(self, x: float, y: float, text: str, ink: Ink) -> None:
        """Write a word on a rounded patch of `ink`, beginning at x, its baseline at y."""
        font = _font(round(15 * self._scale))
        width = self._pen.textlength(text, font=font) / self._scale
        box = [*self._px((x, y - 16)), *self._px((x + width + 20, y + 6))]
        self._pen.rounded_rectangle(box, radius=11 * self._scale, fill=COLOURS[ink])
        self._pen.text(self._px((x + 10, y)), text, fill=COLOURS["paper"], font=font, anchor="ls")

    def rule(self, x: float, y: float, width: float) -> None:
        """Draw a thin line across."""
        self._pen.line([self._px((x, y)), self._px((x + width, y))], fill=COLOURS["line"], width=round(self._scale))

    def wrapped(self, text: str, width: float, size: float = 14) -> list[str]:
        """Return a text cut into lines no wider than `width`."""
        font = _font(round(size * self._scale))
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._pen.textlength(longer, font=font) <= width * self._scale:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def png(self) -> bytes:
        """Return the sheet as a PNG."""
        out = io.BytesIO()
        self._sheet.save(out, "PNG", optimize=True)
        return out.getvalue()

    def _px(self, point: Point) -> Point:
        return point[0] * self._scale, point[1] * self._scale

    def _item(self, item: Item, place: Any, zoom: float) -> None:
        match item:
            case Line():
                points = [self._px(place(point)) for point in item.points]
                self._line(item, points, zoom)
            case Dot():
                (x, y), radius = self._px(place(item.at)), item.radius * zoom * self._scale
                self._pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=COLOURS[item.ink])
            case Label():
                self._label(item, self._px(place(item.at)), zoom)
            case Picture():
                size = (round(item.size[0] * zoom * self._scale), round(item.size[1] * zoom * self._scale))
                fitted = cv2.resize(item.image, size, interpolation=cv2.INTER_AREA)
                left, top = self._px(place(item.at))
                rgb = cv2.cvtColor(fitted, cv2.COLOR_BGR2RGB)
                self._sheet.paste(Pillow.fromarray(rgb), (round(left), round(top)))

    def _line(self, item: Line, points: list[Point], zoom: float) -> None:
        if item.filled and len(points) > 2:
            self._pen.polygon(points, fill=(*_rgb(item.ink), 46))
        if item.closed:
            points = [*points, points[0]]
        width = max(1, round(item.width * zoom * self._scale))
        if not item.dashed:
            self._pen.line(points, fill=COLOURS[item.ink], width=width, joint="curve")
            return
        for piece in _dashes(points, 5 * zoom * self._scale, 4 * zoom * self._scale):
            self._pen.line(piece, fill=COLOURS[item.ink], width=width)

    def _label(self, item: Label, at: Point, zoom: float) -> None:
        font = _font(round(TEXT_PX * zoom * self._scale))
        text = item.text
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[item.anchor]
        if not item.upright:
            _write(self._pen, at, text, font, COLOURS[item.ink], anchor)
            return
        width = round(_length(text, font)) + 4
        height = round(2 * TEXT_PX * zoom * self._scale)
        strip = Pillow.new("L", (width, height), 0)
        _write(ImageDraw.Draw(strip), (width / 2, height * 0.7), text, font, 255, "ms")
        turned = strip.rotate(90, expand=True)
        left, top = round(at[0] - height * 0.7), round(at[1] - width / 2)
        self._sheet.paste(Pillow.new("RGB", turned.size, COLOURS[item.ink]), (left, top), turned)


def _length(text: str, font: Any) -> float:
    written = font.getlength(text.replace(_ROOT, ""))
    return float(written + text.count(_ROOT) * _ROOT_WIDTH * font.size)


def _write(pen: Any, at: Point, text: str, font: Any, fill: str | int, anchor: str) -> float:
    """Write a line on its baseline, its start, middle or end (`ls`, `ms`, `rs`) at a pixel; return its length in px."""
    length = _length(text, font)
    x, y = at[0] - {"l": 0.0, "m": 0.5, "r": 1.0}[anchor[0]] * length, at[1]
    for number, piece in enumerate(text.split(_ROOT)):
        if number:
            corners = [(x + across * font.size, y + up * font.size) for across, up in _ROOT_LINE]
            pen.line(corners, fill=fill, width=max(1, round(font.size / 14)), joint="curve")
            x += _ROOT_WIDTH * font.size
        pen.text((x, y), piece, fill=fill, font=font, anchor="ls")
        x += font.getlength(piece)
    return length


def _dashes(points: list[Point], on: float, off: float) -> list[list[Point]]:
    """Cut a line into dashes that run on round its corners."""
    line = np.asarray(points, dtype=np.float64)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    pieces = []
    for start in np.arange(0.0, along[-1], on + off):
        stops = np.concatenate([[start], along[(along > start) & (along < start + on)], [min(start + on, along[-1])]])
        pieces.append([(float(np.interp(s, along, line[:, 0])), float(np.interp(s, along, line[:, 1]))) for s in stops])
    return pieces


def _rgb(ink: Ink) -> tuple[int, int, int]:
    text = COLOURS[ink]
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


@cache
def _font(size_px: int) -> Any:
    """The pages' own letters, so that every machine draws the same; Pillow's have no umlauts."""
    return ImageFont.truetype(_LETTERS, size_px)
