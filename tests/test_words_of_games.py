"""The frame knows no word of any game: what belongs to one stands in its folder alone."""

from __future__ import annotations

import re

import pytest

from appliance.games.catalogue import GAMES
from tests.places import ROOT

WORDS = {
    "smugglers": "putty putties sphere spheres sweet sour bomb bombs guess gem gems sculpt boss",
    "prohis": "prohi convoy convoys bribe bribes lieutenant captain warehouse",
    "customs": "suitcase tariff duty luggage traveller creditor",
    "haulers": "truck trucks boat boats police mission missions sabotage deliveries",
}
SENSING = "cameras, scale and simulation see the pieces of the one box that they are built for, whatever is played"
OWN_FILES = "what owners write down of their own boxes, by example"
KEYS = ("token", "found", "guess")
"""Fields of a game whose names are also words of software: looked for as keys."""
ALLOWED = {
    "appliance/sensing/": SENSING,
    "appliance/sensing/recordings/": SENSING,
    "appliance/devices/": SENSING,
    "appliance/guided_calibration/": SENSING,
    "appliance/commands/calibrate/": SENSING,
    "appliance/commands/senses/see.py": SENSING,
    "appliance/commands/senses/record.py": SENSING,
    "appliance/composition/demo/roll_and_weigh.py": SENSING,
    "web/routes/calibration.py": SENSING,
    "web/templates/calibration_panel.html": SENSING,
    "appliance/words/catalogues.py": "reports of calibrations name the colours that the camera is calibrated for",
    "appliance/games/protocol.py": "Player.putty is a key of every stored set-up, Area names what the camera watches",
    "appliance/commands/senses/weigh.py": "guessing the noise of a scale",
    "appliance/games/table_data": OWN_FILES,
    "web/own_files/pictures.py": "Pillow's name for a picture that is too large",
}
FILES = sorted(
    path
    for layer in ("appliance", "web")
    for path in (ROOT / layer).rglob("*")
    if path.suffix in (".py", ".html", ".js", ".css") and "vendor" not in path.parts
)


def frame() -> dict[str, str]:
    """By its place, the text of every file of the frame."""
    games = tuple(f"appliance/games/{game}/" for game in GAMES)
    named = {str(path.relative_to(ROOT)): path for path in FILES}
    return {name: path.read_text(encoding="utf-8") for name, path in named.items() if not name.startswith(games)}


def said(game: str, text: str) -> set[str]:
    """The words of `game` in `text`, also as parts of names such as `PuttyColour` or `--on-putty`."""
    keys = {key for key in KEYS if game == "smugglers" and re.search(rf"""["']{key}["']""", text)}
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)
    return {part.lower() for part in parts} & set(WORDS[game].split()) | keys


@pytest.mark.parametrize("game", WORDS)
def test_the_frame_knows_no_word_of_a_game(game: str) -> None:
    texts = frame()
    assert len(texts) > 150
    found = {name: words for name, text in texts.items() if (words := said(game, text))}
    assert {name: words for name, words in found.items() if not name.startswith(tuple(ALLOWED))} == {}


def test_every_exception_is_still_needed() -> None:
    texts = frame()
    for place in ALLOWED:
        assert any(said(game, text) for name, text in texts.items() if name.startswith(place) for game in WORDS), place


@pytest.mark.parametrize("game", WORDS)
def test_each_list_holds_words_that_its_game_says(game: str) -> None:
    folder = ROOT / "appliance" / "games" / game
    text = " ".join(path.read_text(encoding="utf-8") for path in FILES if folder in path.parents)
    assert set(WORDS[game].split()) - said(game, text) == set()


def test_a_phone_has_one_word_in_german() -> None:
    catalogues = [path for layer in ("appliance", "web") for path in (ROOT / layer).rglob("de.po")]
    told = "".join(path.read_text(encoding="utf-8") for path in catalogues)
    assert "Handy" in told
    assert "Telefon" not in told
