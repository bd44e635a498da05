"""Both languages say everything: the same codes, the same values in them, and no code without words."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from appliance.games.catalogue import GAMES
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES, PLURALS
from hardware.beams.beam_pair import BEAM_HEALTH
from hardware.cameras.camera import CAMERA_HEALTH
from hardware.panel import PANEL_HEALTH
from hardware.scale.scale_health import SCALE_HEALTH
from hardware.scale.weighing_health import HEALTH
from tests.places import ROOT
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand

PAGES = (ROOT / "web", ROOT / "appliance" / "games" / "smugglers" / "pages")
FAMILIES = {
    "Rejection": "rejection",
    "reject": "rejection",
    "Refused": "rejection",
    "Question": "question",
    "Doubt": "question",
}


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def said_by(catalogue: Path) -> dict[str, str]:
    with catalogue.open("rb") as file:
        return {str(one.id): str(one.string) for one in read_po(file) if one.id}


@pytest.mark.parametrize("english", sorted((ROOT / "appliance").rglob("words/en.po")), ids=str)
def test_every_language_has_the_same_codes_and_values(english: Path) -> None:
    """A number's plural forms alone are each language's own affair."""
    catalogues = {path: said_by(path) for path in english.parent.glob("*.po")}
    plain = {code for code in catalogues[english] if not is_plural(code, catalogues[english])}
    for path, said in catalogues.items():
        assert {code for code in said if not is_plural(code, said)} == plain, path
        for code, sentence in said.items():
            assert sentence, (path, code)
            if code in plain:
                assert placeholders(sentence) == placeholders(catalogues[english][code]), (path, code)


def is_plural(code: str, said: dict[str, str]) -> bool:
    plain, _, form = code.rpartition(".")
    return form in PLURALS and plain in said


def test_no_catalogue_says_a_code_twice() -> None:
    catalogues = [*(ROOT / "appliance").rglob("*.po")]
    assert len(catalogues) > 8
    for catalogue in catalogues:
        codes = re.findall(r'^msgid "(.+)"$', catalogue.read_text(), re.MULTILINE)
        assert sorted(codes) == sorted(set(codes)), catalogue


def test_every_code_in_templates_has_words() -> None:
    known = words_of("en", "smugglers")
    used = {
        (code, path.name)
        for folder in PAGES
        for path in folder.rglob("*.html")
        for code in re.findall(r"\bsay\(\s*'([a-z_.]+[a-z_])'\s*[,)]", path.read_text())
    }
    assert len(used) > 100
    assert not {(code, name) for code, name in used if code not in known}


def literal_codes() -> set[str]:
    """Every code that source text gives to a refusal, a question or a remark."""
    codes = set()
    others = {ROOT / "appliance" / "games" / game for game in (*GAMES, "base") if game != "smugglers"}
    others.add(ROOT / "appliance" / "games" / "smugglers" / "rules")  # listed in its codes.py: see the games' contract
    for path in [*ROOT.glob("appliance/**/*.py"), *ROOT.glob("web/**/*.py")]:
        if others & set(path.parents):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            at = 1 if node.func.id == "Refused" else 0
            given = [*node.args[at : at + 1], *(key.value for key in node.keywords if key.arg == "code")]
            for value in given:
                family = "remark" if node.func.id == "Remark" else FAMILIES.get(node.func.id)
                if family and isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
                    codes.add(f"{family}.{value.value}")
    return codes


def test_every_refusal_question_and_remark_has_words() -> None:
    codes = literal_codes()
    assert {"rejection.game_open", "rejection.not_found", "remark.overruled"} & codes
    assert not {code for code in codes if code not in words_of("en", "smugglers")}


def test_every_state_of_a_sensor_has_words() -> None:
    known = words_of("en", "smugglers")
    codes = {*SCALE_HEALTH, *BEAM_HEALTH, *CAMERA_HEALTH, *PANEL_HEALTH, *HEALTH}
    assert not {code for code in codes if f"health.{code}" not in known}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_is_said_in_full(stand: Stand, language: str, caplog: pytest.LogCaptureFixture) -> None:
    stand.open(4)
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    actions = [*opening({1: "bomb"}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), *INSPECTIONS]
    for action in (None, *actions, {"do": "roll", "seat": 1, "value": 6}, {"do": "leave", "seat": 0}):
        if action is not None:
            stand.do(**action)
        phones = [stand.phone(seat) for seat in range(4)]
        for seat, phone in enumerate(phones):
            phone.set_cookie("language", language)
            assert phone.get(f"/seat/{seat}").status_code == 200
        for path in ("/", "/kiosk", "/kiosk/corrections", "/kiosk/table", "/rules"):
            page = kiosk.get(path)
            assert page.status_code == 200
            assert f'lang="{language}"' in page.text
        for deed in stand.table.snapshot().correctable:
            assert kiosk.get(f"/kiosk/corrections/{deed.seq}").status_code == 200
    assert not [record.getMessage() for record in caplog.records if "no words" in record.getMessage()]


def test_a_code_without_words_is_shown_as_it_is(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    from web.words.speech import Speech

    assert Speech("en", "smugglers")("remark.unheard_of") == "Unheard of"
    assert "unheard_of" in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["SM-17", "SM-27", "SM-33", "SM-54", "SM-67", "SM-94a", "SM-101"])
def test_every_rule_link_has_its_target(stand: Stand, rule: str) -> None:
    assert f'id="{rule}"' in stand.kiosk().get("/rules").text
