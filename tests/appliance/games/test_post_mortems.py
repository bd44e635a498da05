"""After a game that all agreed to open: what lay face down, told of recorded situations whose cards are known."""

from __future__ import annotations

import io
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.journal.transcript import Transcript, read_transcript
from tests.places import RECORDINGS


def opened(name: str) -> Any:
    told = read_transcript(io.BytesIO((RECORDINGS / name).read_bytes()), "en")
    assert isinstance(told, Transcript)
    post_mortem = the_game(told.setup.game).post_mortem
    assert post_mortem is not None
    return post_mortem()(told.setup, told.actions)


@pytest.mark.parametrize(
    ("name", "cards", "turned", "inspector", "offered", "end"),
    [
        ("P-08", "illegal legal illegal illegal", (), None, [], "unseen"),
        ("P-10", "illegal illegal illegal", (), 2, ["legal captain"], "bribed"),
        ("P-16", "illegal illegal lieutenant", (2,), 2, [], "prohi"),
    ],
)
def test_a_convoy_shows_its_cards_the_bribes_and_how_it_ended(
    name: str, cards: str, turned: tuple[int, ...], inspector: int | None, offered: list[str], end: str
) -> None:
    convoy = opened(f"prohis/{name}.jsonl").convoys[-1]
    assert (convoy.seat, convoy.turned, convoy.inspector, convoy.end) == (0, turned, inspector, end)
    assert " ".join(convoy.cards) == cards
    assert [" ".join(bribe) for bribe in convoy.offered] == offered


def test_contraband_is_counted_for_who_brought_it_home_and_for_who_was_bribed() -> None:
    counts = opened("prohis/P-10.jsonl").counts
    assert counts["post_mortem.past"] == (3, 0, 0, 0)
    assert counts["post_mortem.fooled"] == (0, 0, 1, 0)


@pytest.mark.parametrize(
    ("name", "held", "said", "honest", "seen"),
    [
        ("C-04", "luggage wine cigars watch", "wine cigars", False, "officer"),
        ("C-05", "luggage wine cigars watch", "wine cigars watch", True, "officer"),
        ("C-10", "luggage luggage wine watch", "wine", False, "informer"),
        ("C-14", "luggage luggage luggage watch", "bag", False, "unseen"),
    ],
)
def test_a_declaration_shows_the_suitcase_beside_what_was_said(
    name: str, held: str, said: str, honest: bool, seen: str
) -> None:
    told = opened(f"customs/{name}.jsonl").declarations[0]
    assert " ".join(told.cards) == held
    assert ("bag" if told.bag else " ".join(told.goods)) == said
    assert (told.seat, told.honest, told.seen) == (1, honest, seen)


def test_a_lie_that_nobody_noticed_saves_its_duty() -> None:
    counts = opened("customs/C-14.jsonl").counts
    assert counts["post_mortem.unpaid"] == (0, 120, 0, 0), "the watch's duty in the scenario's tariff"
    assert counts["post_mortem.fooled"] == (1, 0, 0, 0), "the Officer"
    assert set(opened("customs/C-10.jsonl").counts["post_mortem.unseen"]) == {0}


def test_real_cards_on_the_table_are_nobodys_secret_here() -> None:
    assert opened("customs/CU-2-physical-told.jsonl").declarations == ()


@pytest.mark.parametrize(
    ("name", "kind", "escapes", "end"),
    [
        ("T-05-legal", "legal", (), "delivered"),
        ("T-05-smuggled", "smuggled", (), "delivered"),
        ("T-10", "smuggled", (), "caught"),
        ("T-11", "legal", (), "under_way"),
        ("T-08-equal", "legal", ("dice",), "under_way"),
        ("TR-31-bribe", "smuggled", ("bribed",), "under_way"),
    ],
)
def test_a_delivery_shows_what_it_was_and_how_it_got_past_checks(
    name: str, kind: str, escapes: tuple[str, ...], end: str
) -> None:
    told = opened(f"haulers/{name}.jsonl").deliveries[-1]
    assert (told.kind, told.escapes, told.end) == (kind, escapes, end)
