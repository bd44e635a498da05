"""Looks at every page of every game in a made-up language; run by tests/test_third_language.py.

Every sentence of that language stands between ⟦ and ⟧: whatever a page says outside of them comes from the code.
"""

from __future__ import annotations

import json
import re
import string
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import msgspec
import pypdfium2
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from appliance.games.catalogue import GAMES
from appliance.games.game_words import words_of
from appliance.games.haulers.table_data import our_edition
from appliance.words.catalogues import LANGUAGES, negotiate
from calibration.sheets.sheet_set import sheets_pdf
from hardware.rig import Rig
from tests.end_to_end.usable import moments_to_see
from tests.pages import Pages
from tests.web.stand import NAMES, Stand

TAG = "pl"
"""Polish has letters that no Latin-1 font has, and four plural forms. The words are made of English ones."""
OWN = {"language.own": "Zmyślony", "keyboard.rows": "QWERTZUIOP ASDFGHJKLŁ YXCVBNM"}
"""Its own name, and its keys."""
STANDING = (
    *(
        "/",
        "/wall",
        "/kiosk",
        "/seats",
        "/rules",
        "/language",
        "/privacy",
        "/kiosk/games",
        "/nowhere",
        "/host",
        "/host/check",
    ),
    *("/first/language", "/first/pin", "/first/sensors", "/first/calibrate", "/first/ready", "/first/network"),
    *("/first/touchscreen", "/host/calibration", "/privacy"),
)
_LETTERS = str.maketrans("aeioucdlnsyzAEIOUS", "áéíóúćđłńśýżÁÉÍÓÚŚ")
_SKIPPED = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*\blang=\"[^\"]*\"[^>]*>[^<]*<", re.DOTALL)
"""Scripts, and names of languages in their own."""
_HEARD = re.compile(r"""\s(?:aria-label|title|alt|placeholder|data-sure|data-none|data-some|data-mute)="([^"]*)\"""")
_PROPER = frozenset(
    {"http", "The", "Two", "Shores", "English", "Deutsch", "Zmyślony", "Clara", "David", "Emma", "Finn", "Greta"}
    | {"Hugo", "Ida", "Jonas", "Lena", "Max", "Ann", "Ben"}
)
"""What is called the same in every language. A game's set-up, with the texts of an owner's map, is added to it."""
_WORD = re.compile(r"[^\W\d_]{3,}")


def pseudo(sentence: str) -> str:
    """Return a sentence with other letters, a third longer, its placeholders as they are."""
    said = ""
    for text, name, form, _ in string.Formatter().parse(sentence):
        said += text.translate(_LETTERS).replace("{", "{{").replace("}", "}}")
        if name is not None:
            said += f"{{{name}{':' + form if form else ''}}}"
    return f"⟦{said}{' ~' * (len(said) // 6)}⟧"


def add_language(package: Path) -> int:
    """Put a catalogue of the language beside every English one below `package`; return how many."""
    english = sorted(package.rglob("words/en.po"))
    for path in english:
        with path.open("rb") as file:
            given = {str(one.id): str(one.string) for one in read_po(file) if one.id}
        if path.parts[-3:-1] == ("pages", "words") and "haulers" in path.parts:
            given |= {f"printed.{text}": text for text in _printed(msgspec.to_builtins(our_edition()))}
        made = Catalog(locale=TAG, charset="utf-8")
        for code, sentence in given.items():
            made.add(code, OWN[code] if code in OWN else pseudo(sentence))
        if "ask.go" in given:
            made.add("ask.go.few", "{seat} FEW {left}")
        with path.with_stem(TAG).open("wb") as file:
            write_po(file, made)
    return len(english)


def _printed(card: object) -> Iterator[str]:
    """Yield the English of every text of a map and its cards."""
    if isinstance(card, dict):
        if set(card) == {"en", "de"}:
            yield card["en"]
        for each in card.values():
            yield from _printed(each)
    elif isinstance(card, list | tuple):
        for each in card:
            yield from _printed(each)


def unsaid(html: str, known: frozenset[str]) -> set[str]:
    """Return the words of a page that stand in no sentence of its language and are no name of `known`."""
    body = html.partition("<body")[2]
    heard = " \n ".join(_HEARD.findall(body))
    shown = re.sub(r"<[^>]*>", " ", _SKIPPED.sub(" <", body.partition(">")[2]))
    outside, depth = [], 0
    for sign in unescape(f"{shown} \n {heard}"):
        depth += (sign == "⟦") - (sign == "⟧")
        outside.append(sign if depth == 0 else " ")
    return {word for word in _WORD.findall("".join(outside)) if word not in known}


def look(folder: Path) -> dict[str, list[str]]:
    """Return by page the words that are not said in the language."""
    assert TAG in LANGUAGES
    assert negotiate(["pl-PL", "en"]) == TAG
    found: dict[str, list[str]] = {}

    def see(where: str, html: str, known: frozenset[str]) -> None:
        said = sorted(unsaid(html, known))
        if "<html" in html and f'<html lang="{TAG}">' not in html:
            said.append("no lang")
        if said:
            found[where] = said

    looked_at, pages = 0, Pages()
    for game in GAMES:
        for moment in moments_to_see(game):
            assert moment.snapshot.setup is not None
            owned = frozenset(_WORD.findall(msgspec.json.encode(moment.snapshot.setup).decode()))
            for page in pages.of(moment, (TAG,)):
                looked_at += 1
                see(f"{moment.source} {moment.step} {page.viewer}", page.html, owned | {"FEW"})
    stand = Stand(folder)
    kiosk, known = stand.kiosk(), _PROPER
    wish = {"Accept-Language": f"{TAG},en;q=0.5"}
    own = {"Origin": "http://localhost"}
    assert kiosk.post("/host/unlock", data={"pin": "482913"}, headers=own).status_code == 302
    setups = [*(f"/kiosk/setup/{game}" for game in GAMES), *(f"/rules?game={game}" for game in GAMES)]
    for path in (*STANDING, *setups):
        see(path, kiosk.get(path, headers=wish, follow_redirects=True).text, known)
        looked_at += 1
    switched = kiosk.get(f"/language/{TAG}?back=/kiosk")
    assert switched.headers["Location"] == "/kiosk"
    assert f'<html lang="{TAG}">' in kiosk.get("/kiosk").text
    listed = kiosk.get("/language").text
    for name in ("English", "Deutsch", OWN["language.own"]):
        assert f">{name}</a>" in listed, listed
    assert "/language?back=" in kiosk.get("/kiosk", headers={"Cookie": "language=en"}).text
    assert kiosk.post("/first/language", data={"language": TAG}, headers=own).status_code == 302
    stand.close()
    sheets = sheets_pdf(Rig(), "a4", words_of(TAG, None))
    assert "⟦" in pypdfium2.PdfDocument(sheets)[0].get_textpage().get_text_range()
    go = words_of(TAG, "haulers")
    assert ["FEW" in go.say("ask.go", {"seat": 0, "left": left}, NAMES) for left in (1, 3, 5)] == [False, True, False]
    assert go.number(1234.5, ",.1f") == "1\xa0234,5"
    return found | {"pages": [str(looked_at)]}


if __name__ == "__main__":
    if sys.argv[1] == "add":
        print(add_language(Path(sys.argv[2])))
    else:
        print(json.dumps(look(Path(sys.argv[2]))))
