"""What a browser loads: small, once, and no other game's style."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response

import appliance.games
import web
from appliance.games.catalogue import GAMES
from tests.web.stand import Stand
from web.live.compression import KEPT_MOST, compress

GZIP = {"Accept-Encoding": "gzip, deflate"}
FIRST_LOAD_MOST_BYTES = 123_500
"""Of the whole first load, headers not counted; the fonts are 74,252 of it."""


def loaded(client: Any, path: str) -> dict[str, Any]:
    """Return every answer that a browser needs for the page at `path`, with what those load in turn."""
    answers: dict[str, Any] = {}
    due = [path]
    while due:
        address = due.pop()
        if address in answers:
            continue
        answer = answers[address] = client.get(address, buffered=True, headers=GZIP)
        assert answer.status_code == 200, address
        text = gzip.decompress(answer.data).decode() if answer.headers.get("Content-Encoding") == "gzip" else ""
        due += re.findall(r"""(?:src|href)="(/[^"?#]*\.(?:js|css|svg))\"""", text)
        due += re.findall(r"""(?:from|import) "(/[^"]+\.js)\"""", text) + re.findall(r"""url\("(/[^"]+)"\)""", text)
    return answers


@pytest.mark.parametrize("path", ["/", "/kiosk", "/seats", "/kiosk/setup/smugglers"])
def test_the_first_load_of_a_page_keeps_within_its_budget(stand: Stand, path: str) -> None:
    if "setup" not in path:
        stand.open(4)
    answers = loaded(stand.kiosk(), path)
    assert len([one for one in answers if one.endswith(".woff2")]) == 3
    assert sum(len(answer.data) for answer in answers.values()) < FIRST_LOAD_MOST_BYTES


def test_a_page_loads_the_style_of_the_open_game_alone(stand: Stand) -> None:
    styles = {f"/games/{name}/game.css" for name in GAMES}
    assert not styles & set(loaded(stand.kiosk(), "/"))
    stand.open(2)
    assert styles & set(loaded(stand.kiosk(), "/")) == {"/games/smugglers/game.css"}
    for path in ("/kiosk", "/kiosk/table", "/kiosk/corrections", "/rules"):
        assert styles & set(loaded(stand.kiosk(), path)) == {"/games/smugglers/game.css"}, path
    assert styles & set(loaded(stand.kiosk(), "/rules?game=haulers")) == {"/games/haulers/game.css"}
    assert styles & set(loaded(stand.phone(0), "/seat/0")) == {"/games/smugglers/game.css"}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/static/frame.css", "/static/live.js", "/games/customs/game.css"])
def test_a_file_says_the_same_compressed_and_is_sent_once(stand: Stand, path: str) -> None:
    client = stand.kiosk()
    plain, small = client.get(path, buffered=True), client.get(path, buffered=True, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    # What nobody but a reader of the source needs stays here: notes in a style, each with lines of its own, and its
    # indentation.
    whole, sent = plain.data.decode(), gzip.decompress(small.data).decode()
    if path.endswith(".css"):
        without_notes = re.sub(r"/\*[^*]*\*/\n?", "", whole)
        assert sent.splitlines() == [line.lstrip() for line in without_notes.splitlines()]
    else:
        kept = ["" if line.lstrip().startswith("//") else line for line in whole.splitlines()]
        assert sent.splitlines() == kept
    assert int(small.headers["Content-Length"]) == len(small.data) < len(plain.data) / 2
    assert plain.headers["ETag"] != small.headers["ETag"]
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert answer.headers["Cache-Control"] == "no-cache"
    for known, headers in ((plain, {}), (small, GZIP)):
        again = client.get(path, buffered=True, headers={**headers, "If-None-Match": known.headers["ETag"]})
        assert again.status_code == 304
        assert again.data == b""
        assert again.headers["ETag"] == known.headers["ETag"]
    # Who has the plain one and takes gzip, too, still has what it needs.
    assert client.get(path, buffered=True, headers={**GZIP, "If-None-Match": small.headers["ETag"]}).status_code == 304


def test_no_text_within_a_script_looks_like_a_note() -> None:
    scripts = [*Path(web.__file__).parent.rglob("*.js"), *Path(appliance.games.__file__).parent.rglob("*.js")]
    assert len(scripts) > 20
    for script in scripts:
        text = script.read_text()
        for note in re.finditer(r"^[ \t]*//", text, re.MULTILINE):
            assert text.count("`", 0, note.start()) % 2 == 0, (script.name, note.start())


def test_pages_are_compressed_and_never_stored(stand: Stand) -> None:
    client = stand.kiosk()
    small = client.get("/kiosk", headers=GZIP)
    assert b"<main>" in gzip.decompress(small.data)
    assert small.headers["Cache-Control"] == "no-store"
    assert b"<main>" in client.get("/kiosk", headers={"Accept-Encoding": "gzip;q=0"}).data


def test_a_stream_is_not_compressed(stand: Stand) -> None:
    answer = stand.kiosk().get("/live?kind=wall", headers=GZIP, buffered=False)
    assert "Content-Encoding" not in answer.headers
    assert next(answer.iter_encoded()).startswith(b"retry:")
    answer.close()


def test_fonts_are_loaded_once_for_all(stand: Stand) -> None:
    answer = stand.kiosk().get("/static/fonts/rye-latin-400-normal.woff2", buffered=True, headers=GZIP)
    assert "immutable" in answer.headers["Cache-Control"]
    assert "Content-Encoding" not in answer.headers


def test_a_page_is_answered_while_others_take_its_place_among_the_kept() -> None:
    app, asked = Flask(__name__), list[int]()
    compress(app)

    def others() -> None:
        if asked.count(0) == 2:
            asked.append(0)
            for number in range(1, KEPT_MOST + 1):
                assert client.get(f"/{number}", headers=GZIP).status_code == 200

    @app.get("/<int:number>")
    def page(number: int) -> Response:
        asked.append(number)
        response = Response("word " * 200, mimetype="text/html")
        response.set_etag(str(number))
        response.call_on_close(others)
        return response

    client = app.test_client()
    assert client.get("/0", headers=GZIP).status_code == 200
    assert gzip.decompress(client.get("/0", headers=GZIP).data).startswith(b"word")
