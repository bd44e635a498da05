"""The picture of a finished game, to share: a PNG of public facts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
"""Pixels. Messengers show pictures of this shape uncropped."""
_FONTS = Path(__file__).resolve().parents[1] / "static" / "fonts"
_BOARD, _WOOD, _LAMP, _PAPER, _DIM, _BALL = "#0b1f14", "#7a4a21", "#ffcf7a", "#f4ead2", "#b9c4b5", "#1f9d7a"
_MARGIN = 70
_TEXT_UNTIL = 920
_LINES_MOST = 5


def souvenir(brand: str, title: str, names: str, won: str, lines: Sequence[str]) -> bytes:
    """Return the picture as PNG.

    :param lines: further lines. The first `_LINES_MOST` are drawn.
    """
    picture = Image.new("RGB", SIZE, _BOARD)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((18, 18, SIZE[0] - 19, SIZE[1] - 19), outline=_WOOD, width=6)
    _draw_fence(draw)
    _write(draw, 60, brand, "rye-latin-400-normal", 44, _LAMP)
    _write(draw, 130, title, "nunito-latin-400-normal", 30, _DIM)
    _write(draw, 190, won, "rye-latin-400-normal", 76, _PAPER)
    _write(draw, 300, names, "nunito-latin-400-normal", 32, _DIM)
    for number, line in enumerate(lines[:_LINES_MOST]):
        _write(draw, 370 + 44 * number, line, "nunito-latin-800-normal", 30, _PAPER)
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_fence(draw: ImageDraw.ImageDraw) -> None:
    """Draw a fence with its holes along the right edge, and a ball that comes through."""
    x, wide, high = 955, 175, 110
    for number, radius in enumerate((38, 30, 42, 26, 34)):
        y = 60 + number * (high - 8)
        draw.rectangle((x, y, x + wide, y + high - 14), fill=_WOOD, outline=_LAMP, width=2)
        across, down = x + wide // 2, y + high // 2 - 7
        _disc(draw, across, down, radius, _BOARD)
        if number == 2:
            _disc(draw, across - 4, down + 4, radius - 8, _BALL)
            _disc(draw, across - 14, down - 8, 7, _PAPER)


def _disc(draw: ImageDraw.ImageDraw, x: int, y: int, radius: int, colour: str) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _write(draw: ImageDraw.ImageDraw, y: int, text: str, font: str, size: int, colour: str) -> None:
    """Write one line in the largest font that fits, at most `size` pixels. If none fits, cut it with an ellipsis."""
    room = _TEXT_UNTIL - _MARGIN
    while size > 20 and _font(font, size).getlength(text) > room:
        size -= 2
    while _font(font, size).getlength(text) > room:
        text = text.rstrip("…")[:-1] + "…"
    draw.text((_MARGIN, y), text, font=_font(font, size), fill=colour)


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONTS / f"{name}.woff2", size)
