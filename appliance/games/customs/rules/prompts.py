"""The open prompts as one viewer may see them. `leave` is always legal and never listed.

Where the choices themselves are a secret (which card may go, how much there is to lend), other viewers get the prompt
without choices: the situation is public, the answer is not. A prompt's name never comes back once answered.
"""

from __future__ import annotations

from appliance.games.customs.rules.cards import CARDS, GOODS, HAND, PACK
from appliance.games.customs.rules.phases.opening import not_shown
from appliance.games.customs.rules.phases.paying import LARGEST_LOAN, lenders
from appliance.games.customs.rules.phases.receiving import discardable
from appliance.games.customs.rules.state import (
    Appointing,
    Asking,
    Deciding,
    Declaring,
    Doubting,
    Exchanging,
    Opening,
    Over,
    Owing,
    Shuffling,
    State,
)
from appliance.games.protocol import Choice, ManyOf, Number, OneOf, Prompt
from appliance.games.protocol import Shuffle as AnyOrder

DECLARATION: dict[str, Choice] = {"goods": ManyOf(GOODS, at_most=HAND)}
ORDER: dict[str, Choice] = {"order": AnyOrder(len(PACK))}


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts for the viewer at seat `viewer` (None: everybody)."""
    if isinstance(state.stage, Over):
        return ()
    return (*_due(state, viewer), *_repaying(state, viewer))


def _due(state: State, viewer: int | None) -> list[Prompt]:
    match state.stage:
        case Appointing():
            seats: dict[str, Choice] = {"officer": OneOf(state.here())}
            return [Prompt(prompt="appoint", seat=None, do="appoint", choices=seats, chance="must", by="table")]
        case Shuffling():
            name = f"r{state.round}.shuffle"
            return [Prompt(prompt=name, seat=None, do="shuffle", choices=ORDER, chance="must", by="table")]
        case Declaring(seat=seat):
            return [
                _prompt(state, "declare", seat, "declare", DECLARATION),
                _prompt(state, "declare", seat, "claim_bag"),
            ]
        case Deciding():
            assert state.officer is not None
            return [_prompt(state, "decide", state.officer, do) for do in ("accept", "search")]
        case Doubting(seat=seat):
            return [_prompt(state, "doubt", seat, do) for do in ("believe", "disbelieve")]
        case Opening():
            assert state.declaration is not None
            return [_prompt(state, "open", state.declaration.seat, "open", {"cards": _four_cards(state)})]
        case Exchanging(seat=seat):
            own: dict[str, Choice] = {"card": OneOf(discardable(state.hand))} if viewer == seat else {}
            return [_prompt(state, "exchange", seat, "discard", own, veiled=viewer != seat)]
        case _:
            return _borrowing(state, viewer)


def _four_cards(state: State) -> Choice:
    """Four cards, of each kind as many as the pack still has after all that was shown in this round."""
    left = {card: min(HAND, count) for card, count in not_shown(state).items() if count > 0}
    kinds = tuple(card for card in CARDS if card in left)
    return ManyOf(kinds, at_most=HAND, at_least=HAND, most_each=tuple(left[card] for card in kinds))


def _borrowing(state: State, viewer: int | None) -> list[Prompt]:
    stage, debtor = state.stage, state.dues[0].payer
    if isinstance(stage, Owing):
        situation = f"owe{state.moves}.asked{len(stage.refused)}"
        ask: dict[str, Choice] = {
            "lender": OneOf(lenders(state)),
            "amount": Number(1, LARGEST_LOAN, unit="£", whole=True),
        }
        return [
            _prompt(state, situation, debtor, "ask_loan", ask),
            _prompt(state, situation, debtor, "give_up"),
        ]
    assert isinstance(stage, Asking)
    situation = f"lend{state.moves}.asked{len(stage.refused)}"
    # All others see the same prompt whether or not the lender has that much money.
    able = viewer != stage.lender or state.players[stage.lender].money >= stage.amount
    dos = ("lend", "refuse") if able else ("refuse",)
    return [_prompt(state, situation, stage.lender, do) for do in dos]


def _repaying(state: State, viewer: int | None) -> list[Prompt]:
    if viewer is None or viewer not in state.here():
        return []
    money = state.players[viewer].money
    return [
        Prompt(
            prompt=f"r{state.round}.repay{state.moves}.seat{viewer}",
            seat=viewer,
            do="repay",
            choices={
                "creditor": OneOf((loan.creditor,)),
                "amount": Number(1, min(loan.amount, money), unit="£", whole=True),
            },
            optional=True,
        )
        for loan in state.loans
        if loan.debtor == viewer and money
    ]


def _prompt(
    state: State,
    situation: str,
    seat: int,
    do: str,
    choices: dict[str, Choice] | None = None,
    *,
    veiled: bool = False,
) -> Prompt:
    name = f"r{state.round}.t{state.turn}.{situation}.seat{seat}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {}, veiled=veiled)
