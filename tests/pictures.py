"""`make pictures`: the pictures of the docs, taken of a running demo, so that they can be renewed.

Each waits for a moment worth showing: a verdict in its grace beside the live picture, an inspection, a sphere kneaded.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.chromium import launched
from tests.places import DOCS
from tests.ports import free_port

OUT = DOCS / "img"
SEED, SPEED = 5, 2
WIDEST_PX = 1280
PATIENCE_MS = 240_000
VERDICT = (
    "() => document.querySelector('.region-ask .grace') && document.querySelectorAll('.token').length > 7"
    " && (i => i && !i.hidden && i.naturalWidth > 0)(document.querySelector('[data-live]'))"
)
INSPECTION = "() => document.querySelectorAll('.region-ask .taps.do-inspect .tap').length >= 6"
KNEADING = "() => document.querySelector('.hide') && document.querySelector('.hourglass')"


def main() -> None:
    """Take all three."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        port = free_port()
        environ = {**os.environ, "SMUGGLERS_DATA_DIR": folder, "SMUGGLERS_PORT": str(port)}
        command = [sys.executable, "-m", "appliance.commands.start", "demo", "--seed", str(SEED), "--speed", str(SPEED)]
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as demo:
            assert demo.stdout is not None
            for line in demo.stdout:
                if "Ctrl-C" in line:
                    break
            try:
                browser = launched(playwright)
                base = f"http://localhost:{port}"
                kiosk, wall = _page(browser, base + "/kiosk", 800, 480), _page(browser, base + "/", 1920, 1080)
                wall.wait_for_function("() => document.body.dataset.game", timeout=PATIENCE_MS)
                phone = _phone(browser, base)
                _take(phone, KNEADING, "phone")
                phone.locator("[data-api*=control]").click()  # whoever joins plays: give the seat back to its robot
                _take(kiosk, INSPECTION, "kiosk")
                _take(wall, VERDICT, "wall")
                browser.close()
            finally:
                demo.terminate()


def _phone(browser: Any, base: str) -> Any:
    """Take the second seat, as whoever comes with a phone does."""
    phone = _page(browser, f"{base}/seats", 390, 844)
    phone.locator(".places a.confirm").nth(1).click()
    phone.wait_for_url("**/seat/1")
    return phone


def _page(browser: Any, address: str, wide: int, high: int) -> Any:
    page = browser.new_context(
        viewport={"width": wide, "height": high}, locale="en", reduced_motion="reduce"
    ).new_page()
    page.goto(address)
    return page


def _take(page: Any, moment: str, name: str) -> None:
    page.wait_for_function(f"() => !document.querySelector('#stage > *') && ({moment})()", timeout=PATIENCE_MS)
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    picture.thumbnail((WIDEST_PX, WIDEST_PX), Image.Resampling.LANCZOS)
    palette = picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1)
    drawn = picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    drawn.save(OUT / f"{name}.png", optimize=True)
    sys.stdout.write(f"docs/img/{name}.png {(OUT / f'{name}.png').stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
