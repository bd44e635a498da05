"""After an amendment is undone, every screen says what counts now."""

from __future__ import annotations

import re
from random import Random

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game import Game
from appliance.games.protocol import Action
from appliance.snapshot import Accepted, Alternatives, AmendmentPreview, Submission
from tests.appliance.games.contract.play import answer, own_prompts
from tests.markup import text_of
from tests.moments import random_setups
from tests.web.corrections.test_likely_corrections import ONE_STUCK, done
from tests.web.stand import Stand

AGAIN = {"en": "Counts again:", "de": "Es gilt wieder:"}
INSTEAD = {"en": "The table says:", "de": "Der Tisch sagt:"}
STEPS = 60
"""How far a game is followed until a deed can be amended to another one that everybody sees."""


def log_of(stand: Stand, language: str) -> list[str]:
    """Return the lines of the wall's log, the newest first."""
    wall = stand.kiosk()
    wall.set_cookie("language", language)
    region = wall.get("/").text.partition('id="region-log"')[2].partition("</section>")[0]
    return [text_of(line) for line in re.findall(r"<li.*?</li>", region, re.DOTALL)]


def pages(stand: Stand, language: str) -> dict[str, str]:
    """Return what the wall, the touchscreen and the phone of a player say who is not asked and not told of."""
    now = stand.table.snapshot()
    told_of = [value for value in now.log[-1].happening.values.values() if isinstance(value, int)]
    asked = [prompt.seat for prompt in the_game(str(now.game)).rules.expects(now.state, None)]
    seat = next(seat for seat in range(4) if seat not in (*told_of, *asked))
    said = {}
    for path, client in (("/", stand.kiosk()), ("/kiosk", stand.kiosk()), (f"/seat/{seat}", stand.phone(seat))):
        client.set_cookie("language", language)
        said[path] = text_of(client.get(path).text)
    return said


def another(stand: Stand, game: Game) -> tuple[int, Action] | None:
    """Return the newest deed and another one for it of which everybody hears something else, if there is one."""
    deed = stand.table.snapshot().correctable[0]
    offered = stand.table.alternatives(deed.seq)
    open_to_all = [one for one in offered.prompts if not one.veiled] if isinstance(offered, Alternatives) else []
    for prompt in open_to_all:
        instead = answer(game, prompt, Random(1))
        preview = stand.table.preview_amendment(deed.seq, instead)
        if isinstance(preview, AmendmentPreview) and preview.instead is not None:
            was, told = preview.deed.happened, preview.instead.happened
            if was and told and was[0].code != told[0].code:
                return deed.seq, instead
    return None


@pytest.mark.parametrize("game", GAMES)
def test_every_screen_says_what_counts_again(stand: Stand, game: str) -> None:
    setup = max(random_setups(game), key=lambda one: len(one.players))
    random, found = Random(1), None
    assert isinstance(stand.table.open_game(setup, "open"), Accepted)
    for number in range(STEPS):
        stand.table.step()
        prompts = own_prompts(the_game(game), stand.table.snapshot().state, len(setup.players))
        action = answer(the_game(game), random.choice(prompts), random)
        assert isinstance(stand.table.submit(Submission(id=f"a-{number}", action=action)), Accepted)
        if found := another(stand, the_game(game)):
            break
    assert found is not None, "nothing was done that everybody hears"
    of_the_deed = sum(line.seq == found[0] and line.happening.to is None for line in stand.table.snapshot().log)
    first = {language: log_of(stand, language)[of_the_deed - 1] for language in AGAIN}
    assert isinstance(stand.table.amend(*found, "amend"), Accepted)
    amended = {language: log_of(stand, language)[0] for language in AGAIN}
    assert isinstance(stand.table.undo("undo"), Accepted)
    for language, again in AGAIN.items():
        assert amended[language].startswith(INSTEAD[language])
        assert first[language] not in amended[language]
        for path, said in pages(stand, language).items():
            assert f"{again} {first[language]}" in said, path


def test_a_theft_with_another_token_is_told_by_its_token(stand: Stand) -> None:
    """The thief of either token lays the stink bomb down: that is no correction."""
    stand.open(2)
    stand.play(*ONE_STUCK, done("inspect", 0, target=1, guess="sour"), done("open", 1, found=["sweet"]))
    stand.play(done("open", 0, found=["bomb"]), done("take", 0, token="sweet", source=1))
    deed = stand.table.snapshot().correctable[0]
    instead = msgspec.convert(deed.action | {"token": "sour"}, the_game("smugglers").rules.action_type)
    assert isinstance(stand.table.amend(deed.seq, instead, "amend"), Accepted)
    assert log_of(stand, "en")[0] == "The table says: Ann takes a token from Ben: sour."
    assert isinstance(stand.table.undo("undo"), Accepted)
    assert log_of(stand, "en")[0] == "Counts again: Ann takes a token from Ben: sweet."
