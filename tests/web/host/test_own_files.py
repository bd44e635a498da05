"""The host's page of own files: what is drawn is kept, checked at once, and can be played on."""

from __future__ import annotations

import io
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Setup, Step
from appliance.games.table_data_drafts import store_draft
from appliance.games.table_data_files import check_file
from tests.refused_writes import refused_writes
from tests.web.doors.test_rude_requests import odd_photo
from tests.web.stand import Stand

OURS = Path("appliance/games/haulers/editions/two_shores.toml")
WHERE = "/host/files/haulers/pub"


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path, files_folder=tmp_path / "files")
    yield stand
    stand.close()


def picture(kind: str = "PNG", size: tuple[int, int] = (300, 200)) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "navy").save(made, kind)
    return made.getvalue()


def test_what_is_drawn_is_kept_and_everything_wrong_is_said_at_once_with_its_place(
    stand: Stand, tmp_path: Path
) -> None:
    drawn = tomllib.loads(OURS.read_text(encoding="utf-8"))
    drawn["cities"][3]["name"] = drawn["cities"][4]["name"]
    drawn["deliveries"][5]["bottom"] = "Nowhere"
    drawn["roads"].append({"ends": ["Norrby", "Norrby"], "squares": 1})
    said = stand.host().post(WHERE, json=drawn).get_json()
    assert said["good"] is False
    fields = {one["field"] for one in said["problems"]}
    assert {"cities[4].name", "deliveries[5].bottom", f"roads[{len(drawn['roads']) - 1}].ends"} <= fields
    assert all(one["sentence"] for one in said["problems"])
    on_disk = check_file(tmp_path / "files" / "pub.toml")
    assert {one.field for one in on_disk.problems} == fields, "the command line says the same"
    assert "pub.toml" in stand.host().get("/host/files").text


def test_a_right_one_is_offered_and_haulers_is_played_on_it(stand: Stand, tmp_path: Path) -> None:
    drawn = tomllib.loads(OURS.read_text(encoding="utf-8")) | {"name": "Our pub"}
    said = stand.host().post(WHERE, json=drawn).get_json()
    assert (said["good"], said["problems"]) == (True, [])
    assert "Our pub" in stand.kiosk().get("/kiosk/setup/haulers").text
    good = check_file(tmp_path / "files" / "pub.toml").good
    assert good is not None
    players = (Player(name="A"), Player(name="B"))
    started = the_game("haulers").rules.set_up(Setup(format=1, game="haulers", players=players, options=good.options))
    assert isinstance(started, Step)


def test_a_save_over_a_file_that_changed_meanwhile_is_refused_and_the_next_one_may_replace_it(stand: Stand) -> None:
    browser = stand.host()
    drawn = tomllib.loads(OURS.read_text(encoding="utf-8"))
    shown = re.findall(r'data-version="(\w*)"', browser.get(WHERE).text)
    assert shown == [""], "there is no file yet"
    first = browser.post(f"{WHERE}?version=", json=drawn | {"name": "First"}).get_json()
    again = browser.post(f"{WHERE}?version={first['version']}", json=drawn | {"name": "First again"})
    assert again.status_code == 200
    late = browser.post(f"{WHERE}?version=", json=drawn | {"name": "Second"}, headers={"Accept": "application/json"})
    assert (late.status_code, late.get_json()["code"]) == (409, "file_changed")
    assert "pub.toml has changed" in late.get_json()["message"]
    page = browser.get(WHERE).text
    assert "First again" in page, "nothing was lost"
    assert f'data-version="{again.get_json()["version"]}"' in page
    assert browser.post(WHERE, json=drawn | {"name": "Second"}).status_code == 200


def test_a_file_that_was_written_by_hand_is_kept_beside(stand: Stand, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "pub.toml").write_text("# by hand\nformat = 1\n", encoding="utf-8")
    for name in ("One", "Two"):
        stand.host().post(WHERE, json={"name": name, "cities": []})
    assert (folder / "pub.toml.before").read_text(encoding="utf-8") == "# by hand\nformat = 1\n"
    assert tomllib.loads((folder / "pub.toml").read_text(encoding="utf-8"))["name"] == "Two"


def test_a_picture_stays_on_the_table_without_what_its_file_says_of_the_place(stand: Stand, tmp_path: Path) -> None:
    client, made = stand.host(), io.BytesIO()
    told = Image.Exif()
    told[0x010F] = "a camera"
    Image.new("RGB", (3200, 1600), "navy").save(made, "JPEG", exif=told)
    assert client.post(f"{WHERE}/picture", data=made.getvalue()).get_json() == {"wide": 1600, "high": 800}
    kept = client.get(f"{WHERE}/picture.jpg")
    assert kept.mimetype == "image/jpeg"
    assert dict(Image.open(io.BytesIO(kept.data)).getexif()) == {}
    assert stand.stranger().get(f"{WHERE}/picture.jpg").status_code == 302
    assert client.post(f"{WHERE}/picture", data=picture("PNG")).status_code == 200


@pytest.mark.parametrize(
    "content", [b"", b"<svg/>", picture("GIF"), picture()[:60], picture(size=(5000, 4000)), odd_photo()]
)
def test_what_is_no_picture_or_a_huge_one_is_refused(stand: Stand, content: bytes) -> None:
    answer = stand.host().post(f"{WHERE}/picture", data=content)
    assert answer.status_code == 422
    assert b"This picture cannot be used" in answer.data


def test_a_picture_that_is_taken_is_there(stand: Stand) -> None:
    """Noise is what JPEG makes large: what came in small is kept as more than is taken."""
    client, made = stand.host(), io.BytesIO()
    noise = Image.frombytes("RGB", (1600, 1600), random.Random(1).randbytes(1600 * 1600 * 3))
    noise.save(made, "JPEG", quality=40)
    assert client.post(f"{WHERE}/picture", data=made.getvalue()).get_json() == {"wide": 1600, "high": 1600}
    kept = client.get(f"{WHERE}/picture.jpg")
    assert (kept.status_code, Image.open(io.BytesIO(kept.data)).size) == (200, (1600, 1600))


def test_the_file_of_another_game_is_neither_opened_nor_written_over(stand: Stand, tmp_path: Path) -> None:
    folder, client = tmp_path / "files", stand.host()
    folder.mkdir()
    theirs = Path("appliance/games/customs/demo_tariff.toml").read_bytes()
    (folder / "box.toml").write_bytes(theirs)
    began = client.post("/host/files", data={"game": "haulers", "file": "Box"}, follow_redirects=True)
    answers = [began, client.post("/host/files/haulers/box", json={"name": "Ours", "cities": []})]
    answers.append(client.post("/host/files/haulers/box/picture", data=picture()))
    assert [answer.status_code for answer in answers] == [409] * 3
    assert all("another game" in answer.text for answer in answers)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"box.toml": theirs}


def test_strangers_and_strange_names_and_drawings_are_refused(stand: Stand, tmp_path: Path) -> None:
    assert stand.stranger().get("/host/files").status_code == 302
    assert stand.stranger().post(WHERE, json={}).status_code == 403
    client = stand.host()
    assert client.post("/host/files/haulers/.ssh", json={}).status_code == 422
    assert client.post("/host/files/haulers/..%2Fjournal", json={}).status_code == 404
    assert client.get("/host/files/nogame/pub").status_code == 404
    assert client.post(WHERE, data=b"[1]").status_code == 400
    assert client.post(WHERE, json={"name": "x" * 70_000}).status_code == 422
    assert not (tmp_path / "files").exists(), "nothing was written"


def test_what_could_not_be_read_again_is_refused_and_leaves_what_was_saved(stand: Stand) -> None:
    client = stand.host()
    long = {"name": "Home", "land": [{"outline": [[x, x] for x in range(400)]}]}
    assert client.post(WHERE, json={"name": "Home"}).status_code == 200
    refused = client.post(WHERE, json=long)
    assert refused.status_code == 422
    assert "more than 2500 characters" in refused.text
    page = client.get(WHERE)
    assert page.status_code == 200
    assert "Home" in page.text


def test_the_editor_s_script_is_told_why_nothing_was_saved(stand: Stand) -> None:
    client, script = stand.host(), {"Accept": "application/json"}
    long = {"name": "Home", "land": [{"outline": [[x, x] for x in range(400)]}]}
    assert "more than 2500 characters" in client.post(WHERE, json=long, headers=script).get_json()["message"]
    with refused_writes(0):
        said = client.post(WHERE, json={"name": "Home"}, headers=script)
    assert (said.status_code, said.get_json()["code"]) == (507, "not_saved")


def test_a_file_that_cannot_be_read_leads_back_to_the_others(stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "pub.toml").write_text("not TOML")
    page = stand.host().get(WHERE)
    assert page.status_code == 409
    assert 'href="/host/files"' in page.text


@pytest.mark.parametrize(
    ("content", "english", "german"),
    [
        (b'name = "x"\nroads = [', "the mistake shows in line 2.", "Der Fehler zeigt sich in Zeile 2."),
        (b"name = x\n\nroads = []", "the mistake shows in line 1.", "Der Fehler zeigt sich in Zeile 1."),
        (b"\n# \xff", "Line 2 of the file is not UTF-8 text.", "Zeile 2 der Datei ist kein Text in UTF-8."),
        (b"a = " + b"[" * 2400, "nested too deeply", "zu tief verschachtelt"),
    ],
)
def test_why_a_file_is_no_toml_is_told_in_the_host_s_language(
    stand: Stand, tmp_path: Path, content: bytes, english: str, german: str
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "pub.toml").write_bytes(content)
    client = stand.host()
    for language, said, not_said in (("en", english, german), ("de", german, english)):
        page = client.get("/host/files", headers={"Accept-Language": language}).text
        assert said in page
        assert not_said not in page


@pytest.mark.parametrize(
    ("language", "said"), [("en", "cannot be written as TOML"), ("de", "nicht als TOML schreiben")]
)
def test_a_drawing_that_toml_cannot_express_is_refused_in_words(stand: Stand, language: str, said: str) -> None:
    script = {"Accept": "application/json", "Accept-Language": language}
    refused = stand.host().post(WHERE, json={"name": "Home", "land": [None]}, headers=script)
    assert refused.status_code == 422
    assert said in refused.get_json()["message"]
    assert "TypeError" not in refused.text


TEXT = st.characters(codec="utf-8")
KEY = st.text(TEXT, min_size=1, max_size=6)
NUMBER = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.booleans() | NUMBER | st.text(TEXT, max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(drawn=st.dictionaries(KEY, VALUES, max_size=5))
def test_whatever_is_drawn_is_written_as_the_same_toml(drawn: dict[str, Any], tmp_path_factory: Any) -> None:
    """The truth is Python's own reader."""
    folder = tmp_path_factory.mktemp("drafts")
    assert store_draft(folder, "any", drawn) is None
    assert tomllib.loads((folder / "any.toml").read_text(encoding="utf-8")) == drawn


def test_the_editor_of_a_huge_file_says_that_it_is_too_large(stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    with (tmp_path / "files" / "pub.toml").open("wb") as file:
        file.truncate(2**40)
    shown = stand.host().get(WHERE)
    assert shown.status_code == 409
    assert "64 KiB" in shown.text
    sent = stand.host().post(f"{WHERE}?version=1", json={"name": "Home"}, headers={"Accept": "application/json"})
    assert (sent.status_code, sent.get_json()["code"]) == (507, "not_saved")
    assert (tmp_path / "files" / "pub.toml").stat().st_size == 2**40
