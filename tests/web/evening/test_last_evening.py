"""Between games the wall shows which games there are, and who won on the last evening."""

from __future__ import annotations

import io
import re

import msgspec
import pytest

from appliance.journal.transcript import Transcript, read_transcript
from appliance.snapshot import Accepted, Submission
from tests.places import RECORDINGS
from tests.web.stand import Stand

WON_BY_B = "smugglers/SM-96-reveal-wins.jsonl"


def recorded(name: str) -> Transcript:
    told = read_transcript(io.BytesIO((RECORDINGS / name).read_bytes()), "en")
    assert isinstance(told, Transcript)
    return told


def play(stand: Stand, name: str, guests: tuple[str, ...]) -> None:
    """Play a recorded game of other guests here, to its end."""
    told, opened = recorded(name), "-".join(guests)
    players = tuple(
        msgspec.structs.replace(player, name=guest) for player, guest in zip(told.setup.players, guests, strict=True)
    )
    stand.table.open_game(msgspec.structs.replace(told.setup, players=players), opened)
    for number, action in enumerate(told.actions):
        assert isinstance(stand.table.submit(Submission(id=f"{opened}-{number}", action=action)), Accepted)
    assert isinstance(stand.table.close_game(f"{opened}-closed"), Accepted)


def lately(stand: Stand) -> str:
    page = stand.stranger().get("/wall").text
    found = re.search(r'<section class="lately">(.*?)</section>', page, re.DOTALL)
    return re.sub(r"<[^>]+>|\s+", " ", found[1]) if found else ""


def test_the_games_of_the_house_are_named_and_drawn_on_the_idle_wall(stand: Stand) -> None:
    page = stand.stranger().get("/wall").text
    for name, symbol in (("Smugglers", "boss"), ("Prohis", "pr-truck"), ("Customs", "cu-suitcase-shut")):
        assert f"<b>{name}</b>" in page
        assert f'href="#{symbol}"' in page
        assert f'id="{symbol}"' in page


def test_nothing_is_told_of_games_that_nobody_won_or_that_were_played_elsewhere(stand: Stand) -> None:
    stand.open(2)
    stand.table.close_game("put away")
    told = recorded(WON_BY_B)
    assert isinstance(stand.table.import_game(told.setup, told.actions, "elsewhere"), Accepted)
    assert lately(stand) == ""


# At 30 hours before, the wall clock was set back between the two games.
@pytest.mark.parametrize(("hours_later", "still_told"), [(1, True), (30, False), (-1, True), (-30, False)])
def test_who_won_is_told_until_another_evening_has_its_winner(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, hours_later: int, still_told: bool
) -> None:
    monkeypatch.setattr(stand.journal, "_wall", lambda: 1_000_000.0)
    play(stand, WON_BY_B, ("Ann", "Ben", "Cleo"))
    assert "Ann, Ben, Cleo Ben won" in " ".join(lately(stand).split())
    monkeypatch.setattr(stand.journal, "_wall", lambda: 1_000_000.0 + hours_later * 3600)
    assert "Ben won" in lately(stand)
    play(stand, WON_BY_B, ("Emma", "Dan", "Finn"))
    assert "Dan won" in lately(stand)
    assert ("Ben won" in lately(stand)) == still_told
