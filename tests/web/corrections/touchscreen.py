"""The touchscreen's pages of corrections, as tests read them."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from tests.markup import sends_of
from tests.web.stand import Stand


def preview(stand: Stand, seq: int, action: dict[str, object] | None, language: str = "en") -> str:
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    answer = kiosk.get(f"/kiosk/corrections/{seq}", query_string={"action": json.dumps(action)})
    assert answer.status_code == 200
    return html.unescape(answer.text)


def sent_by(page: str, to: str) -> dict[str, Any]:
    """Return what the page's button for that address sends."""
    button = next(one for one in re.findall(r"<button[^>]*>", html.unescape(page)) if f'data-api="{to}"' in one)
    return dict(sends_of(button)[0])
