"""Requests that no page makes, from somebody with a terminal: refused in a sentence, never answered as a bug."""

from __future__ import annotations

import io
import re
import struct
from pathlib import Path

import pytest
from PIL import Image

from tests.narrowed import there
from tests.web.stand import PIN, Stand

DIGITS = "9" * 5000
FILLS = (DIGITS, "%0d%0aX", "-1", "1e9", "\u0661", "a" * 5000, "..%2f..%2fetc")
RIGHT = {"name": "haulers", "file": "pub", "language": "de", "filename": "base.css"}
"""What stands for an argument of an address so that its body is read; other arguments are the number 1."""


def odd_photo() -> bytes:
    """A photo whose EXIF data gives its height as text. Photos that lie on their side have their EXIF rewritten."""
    height, orientation = struct.pack(">HHI4s", 0x0101, 2, 2, b"x"), struct.pack(">HHIHxx", 0x0112, 3, 1, 6)
    exif = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 2) + height + orientation + bytes(4)
    made = io.BytesIO()
    Image.new("RGB", (64, 48), "navy").save(made, "JPEG", exif=exif)
    return made.getvalue()


BODIES = (
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"a":' + b"[" * 20_000,
    b'{"seat":1e400}',
    b'{"seat":NaN}',
    b'{"seat":' + DIGITS.encode() + b"}",
    b'{"action":{"do":"roll","seat":' + DIGITS.encode() + b"}}",
    odd_photo(),
)


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    stand = Stand(tmp_path, files_folder=tmp_path / "files")
    stand.open(2)
    return stand


def addresses(stand: Stand) -> list[str]:
    return sorted({str(rule) for rule in stand.app.url_map.iter_rules()})


@pytest.mark.slow
@pytest.mark.parametrize("fill", FILLS)
def test_no_address_is_answered_as_a_bug(stand: Stand, fill: str) -> None:
    kiosk = stand.kiosk()
    filled = [re.sub(r"<[^>]+>", fill, address) for address in addresses(stand) if "<" in address]
    answers = {
        (method, path[:40]): kiosk.open(path, method=method, json=None if method == "GET" else {}).status_code
        for path in filled
        for method in ("GET", "POST", "PUT", "DELETE")
    }
    assert {which: status for which, status in answers.items() if status >= 500} == {}
    stand.close()


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_no_body_is_answered_as_a_bug(stand: Stand, body: bytes) -> None:
    kiosk = stand.kiosk()
    kiosk.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://localhost"})
    for address in addresses(stand):
        address = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: RIGHT.get(found[1], "1"), address)
        for method in ("POST", "PUT"):
            answer = kiosk.open(address, method=method, data=body, content_type="application/json")
            assert answer.status_code < 500, (method, address)
            if address.startswith("/api/") and answer.status_code != 405:
                assert there(answer.json)["message"]
    stand.close()


OUT = ("//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "/\n/evil.example", "evil")


@pytest.mark.slow
@pytest.mark.parametrize("wish", OUT)
def test_the_way_back_after_the_pin_stays_in_the_house(stand: Stand, wish: str) -> None:
    """Browsers leave tabs and line ends out of an address before they read it (WHATWG URL)."""
    here = {"Origin": "http://192.0.2.7"}
    answer = stand.stranger().post("/host/unlock", data={"pin": PIN, "back": wish}, headers=here)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/kiosk")
    inside = stand.stranger().post("/host/unlock", data={"pin": PIN, "back": "/kiosk/games"}, headers=here)
    assert inside.headers["Location"] == "/kiosk/games"
    stand.close()
