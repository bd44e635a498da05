"""Set-up: money, seats, options; the tariff as data, checked with errors that say what to do."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from appliance.games.customs.game import GAME
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.tariff import KNOWN, read_tariff
from appliance.games.customs.table_data import demo_tariff
from appliance.games.game_words import words_of
from appliance.games.protocol import Player, Rejection, Remark, Setup, Timing
from hardware.readings import DeviceHealth, LoadRemoved, MassSettled, Reading, TrayCleared
from tests.appliance.games.customs.play import TARIFF, a_setup, started
from tests.narrowed import of_kind


def refused(setup: Setup) -> tuple[str, str]:
    rejection = RULES.set_up(setup)
    assert isinstance(rejection, Rejection), rejection
    return rejection.code, rejection.rule


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("money", [100, 10_000, 1_000_000], [99, 1_000_001, "10000", True, 10.5]),
        ("smallest_note", [1, 5, 500], [0, 501, None, "5"]),
        ("first_officer", [None, 0, 3], [-1, 4, "0", 1.5]),
        ("show_balances", [True, False], [0, "yes", None]),
        ("physical", [True, False], [1, None]),
        ("scored", [True, False], [0, None]),
    ],
)
def test_options(option: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        others = {"smallest_note": 1} if option == "money" else {}
        assert not isinstance(RULES.set_up(a_setup(4, **others, **{option: value})), Rejection), value
    for value in bad:
        assert refused(a_setup(4, **{option: value}))[0] in ("option_type", "option_range"), value


def test_seats_names_and_revision() -> None:
    for count in (0, 2, 7):
        seats = tuple(Player(name=str(number)) for number in range(count))
        assert refused(Setup(format=1, game="customs", players=seats))[0] == "player_count"
    players = (Player(name="A"), Player(name="a"), Player(name="C"))
    assert refused(Setup(format=1, game="customs", players=players)) == ("name_twice", "CU-1")
    newer = msgspec.structs.replace(a_setup(3), rules=2)
    assert refused(newer)[0] == "unknown_rules_revision"
    assert refused(a_setup(3, goal="full"))[0] == "unknown_option"
    assert refused(a_setup(4, money=100, smallest_note=50))[0] == "too_little_money"


@pytest.mark.parametrize(
    ("money", "note", "players", "share", "aside"),
    [(10_000, 10, 6, 1_660, 40), (10_000, 1, 6, 1_666, 4), (10_000, 50, 3, 3_300, 100), (9_995, 10, 4, 2_490, 35)],
)
def test_cu4_the_money_is_divided_as_far_as_the_notes_go(
    money: int, note: int, players: int, share: int, aside: int
) -> None:
    state = started(a_setup(players, money=money, smallest_note=note))
    assert {player.money for player in state.players} == {share}
    assert state.set_aside == aside


# -- the tariff


def changed(path: str, value: Any) -> dict[str, Any]:
    tariff = deepcopy(TARIFF)
    good, _, column = path.partition(".")
    if not column:
        tariff[good] = value
    elif value is None:
        del tariff[good][column]
    else:
        tariff.setdefault(good, {})[column] = value
    return tariff


@pytest.mark.parametrize(
    ("given", "code", "values"),
    [
        ([], "tariff_no_table", {}),
        (changed("whisky", {"duty": 1, "fine": 2}), "tariff_unknown_good", {"entry": "whisky"}),
        (changed("wine", 20), "tariff_no_table", {}),
        (changed("wine.price", 3), "tariff_unknown_key", {"entry": "wine.price"}),
        (changed("wine.duty", -1), "tariff_value", {"entry": "wine.duty"}),
        (changed("wine.duty", 2.5), "tariff_value", {"entry": "wine.duty"}),
        (changed("wine.duty", True), "tariff_value", {"entry": "wine.duty"}),
        (changed("wine.fine", "50"), "tariff_value", {"entry": "wine.fine"}),
        (changed("wine.fine", 100_001), "tariff_value", {"entry": "wine.fine"}),
        (changed("wine.fine", 19), "tariff_fine_below_duty", {"entry": "wine"}),
        (changed("wine.demo", "duty"), "tariff_demo_mark", {"entry": "wine.demo"}),
        (changed("wine.demo", ["price"]), "tariff_demo_mark", {"entry": "wine.demo"}),
        (changed("wine.demo", [["duty"]]), "tariff_demo_mark", {"entry": "wine.demo"}),
        (changed("wine.fine", None), "tariff_incomplete", {"missing": ["wine.fine"], "field": "wine"}),
        ({"wine": TARIFF["wine"]}, "tariff_incomplete", {}),
    ],
)
def test_a_wrong_tariff_is_named(given: Any, code: str, values: dict[str, Any]) -> None:
    rejection = read_tariff(given)
    assert isinstance(rejection, Rejection)
    assert rejection.code == code
    assert values.items() <= rejection.values.items()


@pytest.mark.parametrize(("duty", "fine"), [(0, 0), (0, 50), (50, 50), (100_000, 100_000)])
def test_a_duty_of_nothing_and_a_fine_as_high_as_the_duty_are_values(duty: int, fine: int) -> None:
    tariff = read_tariff(changed("wine", {"duty": duty, "fine": fine}))
    assert not isinstance(tariff, Rejection)
    assert (tariff["wine"].duty, tariff["wine"].fine) == (duty, fine)


def test_the_demo_tariff_marks_all_that_the_rules_do_not_give() -> None:
    tariff = demo_tariff()
    for good, rate in tariff.items():
        for column in ("duty", "fine"):
            known = KNOWN.get((good, column))
            assert (column in rate.demo) == (known is None)
            if known is not None:
                assert getattr(rate, column) == known


def test_a04_the_demo_tariff_is_not_for_score() -> None:
    demo = msgspec.to_builtins(demo_tariff())
    rejection = RULES.set_up(a_setup(3, tariff=demo))
    assert isinstance(rejection, Rejection)
    assert rejection.code == "demo_tariff"
    assert len(rejection.values["values"]) == 11
    view = RULES.view(started(a_setup(3, tariff=demo, scored=False, money=None)), None)
    assert len(view.demo) == 12
    assert "money" in view.demo
    assert RULES.view(started(a_setup(3)), None).demo == ()


# -- the referee: dealt cards need none, real ones are counted


def test_the_referee_watches_nothing() -> None:
    setup = a_setup(3)
    referee = GAME.referee(setup, Timing())
    state = started(setup)
    assert list(referee.sense(state, TrayCleared(t_s=1.0))) == []
    assert list(referee.tick(state, 1.0)) == list(referee.stepped(state, None, 1.0)) == []
    assert list(referee.resume(state, (), 1.0)) == []
    assert referee.attention(state) == frozenset()
    assert of_kind(Rejection, referee.command(state, "turn_hourglass", 1.0)).code == "unknown_command"


def test_real_cards_on_the_pan_are_counted() -> None:
    """Suitcase theatre (RULES §4.8): twenty cards calibrate, then four are seen to be four."""
    setup = a_setup(3, physical=True)
    referee, state = GAME.referee(setup, Timing()), started(setup)

    def said(reading: Reading) -> list[tuple[str, Any]]:
        return [
            (one.code, one.values.get("number")) for one in referee.sense(state, reading) if isinstance(one, Remark)
        ]

    assert said(TrayCleared(t_s=0)) == []
    assert said(DeviceHealth(t_s=0, device="scale", status="ok", code="ok")) == [("lay_stack", 20)]
    assert said(MassSettled(t_s=1, mass_g=34.0, sd_g=0.02, samples=50)) == [("stack_weighed", 20)]
    assert said(MassSettled(t_s=2, mass_g=6.8, sd_g=0.02, samples=50)) == [("pan_count", 4)]
    assert said(MassSettled(t_s=3, mass_g=5.95, sd_g=0.02, samples=50)) == [("pan_unsure", 4)]
    assert said(LoadRemoved(t_s=4)) == [("pan_counts", None)]
    assert "pan_count" not in msgspec.json.encode(RULES.view(state, None)).decode()


@pytest.mark.parametrize(("language", "said"), [("en", "wine (fine)"), ("de", "Wein (Strafe)")])
def test_a_missing_value_is_named_in_words(language: str, said: str) -> None:
    refused = RULES.set_up(a_setup(tariff=changed("wine.fine", None)))
    assert isinstance(refused, Rejection)
    told = words_of(language, "customs").say(f"rejection.{refused.code}", refused.values)
    assert said in told
    assert "wine.fine" not in told
