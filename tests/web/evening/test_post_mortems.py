"""After a game of hidden cards: nobody learns any of them before every seat has agreed; then all of them show."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Action
from appliance.snapshot import Accepted, Submission
from tests.appliance.games.contract.play import Played, play_robots
from tests.markup import text_of
from tests.web.doors.test_offers import Told
from tests.web.evening.test_afterwards import agree, own
from tests.web.stand import Stand

pytestmark = pytest.mark.slow

TOLD = {
    "customs": ("Lies that nobody noticed", "Lügen, die niemand bemerkte"),
    "haulers": ("What it was", "Was es war"),
    "prohis": ("What was in the convoy", "Was im Konvoi lag"),
}
SEED = 7
"""In whose games hidden cards of all three stay hidden to the end."""
CARDS = [name for name in GAMES if name != "smugglers"]


def played(folder: Path, game: Played, actions: tuple[Action, ...]) -> Stand:
    """Return a table where a whole game was played and still shows; chance falls as it was recorded."""
    folder.mkdir()
    (folder / "phones.json").write_bytes(b'{"start":"alike"}')
    chance = Told(actions)
    stand = Stand(folder, dealer=chance)
    ids = (f"played-{number}" for number in itertools.count())
    stand.table.open_game(game.setup, next(ids))
    for number, action in enumerate(actions):
        chance.at = number
        stand.table.step()
        history = stand.table.history()
        assert isinstance(history, tuple)
        if len(history[1]) == number:
            assert isinstance(stand.table.submit(Submission(id=next(ids), action=action)), Accepted), action
    return stand


def everything_after(stand: Stand) -> dict[str, bytes]:
    """Every byte that anybody gets of the page after the game, and of its picture, in both languages."""
    shown = {}
    viewers = {"kiosk": stand.kiosk(), "stranger": stand.stranger(), "phone": stand.phone(0)}
    for (who, client), language in itertools.product(viewers.items(), ("en", "de")):
        client.set_cookie("language", language)
        for path in ("/after", "/after/picture.png"):
            shown[f"{who} {language} {path}"] = client.get(path).data
    return shown


@pytest.mark.parametrize("name", CARDS)
def test_games_that_differ_in_hidden_cards_alone_look_alike_until_every_seat_agreed(tmp_path: Path, name: str) -> None:
    game = the_game(name)
    assert game.anonymise is not None
    real = play_robots(game, "average", SEED)
    other = game.anonymise()(game.rules, real.setup, real.actions)
    assert other is not None
    assert other != real.actions
    stands = [played(tmp_path / str(number), real, actions) for number, actions in enumerate((real.actions, other))]
    try:
        kiosks = [own(stand.kiosk()) for stand in stands]
        for seat in real.seats:
            if seat in (real.seats[0], real.seats[-1]):
                looks = [everything_after(stand) for stand in stands]
                assert looks[0] == looks[1], f"{seat} have agreed"
            for stand, kiosk in zip(stands, kiosks, strict=True):
                agree(own(stand.phone(0)) if seat == 0 else kiosk, seat)
        for number, language in enumerate(("en", "de")):
            told = []
            for kiosk in kiosks:
                kiosk.set_cookie("language", language)
                told.append(text_of(kiosk.get("/after").text))
            assert told[0] != told[1], "now the cards show, and they differ"
            assert TOLD[name][number] in told[0]
            assert "post_mortem" not in told[0], "a code without words"
        strangers = [stand.stranger().get("/after").data for stand in stands]
        assert strangers[0] == strangers[1], "a stranger sees none of them ever"
    finally:
        for stand in stands:
            stand.close()
