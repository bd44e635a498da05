"""At the counter: the declaration or the claim, and the Officer's decision (RULES §4.2, §4.3, §4.5)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Accept, ClaimBag, Declare, Search
from appliance.games.customs.rules.cards import GOODS, HAND, dutiable
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.opening import look_into
from appliance.games.customs.rules.phases.paying import pay
from appliance.games.customs.rules.phases.rounds import hand_lapses
from appliance.games.customs.rules.prompts import prompt_of
from appliance.games.customs.rules.state import Deciding, Declaration, Declaring, Due, State
from appliance.games.customs.rules.step_builder import CustomsStage, StepBuilder
from appliance.games.customs.rules.tariff import duty
from appliance.games.protocol import Choice, ManyOf, Prompt, Rejection

DECLARATION: dict[str, Choice] = {"goods": ManyOf(GOODS, at_most=HAND)}


def declare(builder: StepBuilder, action: Declare) -> Rejection | None:
    """Accept a declaration, true or false (CU-10)."""
    if len(action.goods) > HAND:
        return reject("too_many_goods", "CU-10", {"most": HAND})
    goods = dutiable(action.goods)
    builder.change(stage=Deciding(), declaration=Declaration(seat=action.seat, goods=goods), opened=None)
    if goods:
        builder.tell("goods_declared", "CU-10", seat=action.seat, cards=list(goods))
    else:
        builder.tell("nothing_declared", "CU-10", seat=action.seat)
    return None


def claim_bag(builder: StepBuilder, action: ClaimBag) -> Rejection | None:
    """Accept a claim to the Diplomatic Bag, true or false (CU-12)."""
    builder.change(stage=Deciding(), declaration=Declaration(seat=action.seat, bag=True), opened=None)
    builder.tell("bag_claimed", "CU-12", seat=action.seat)
    return None


def accept(builder: StepBuilder, action: Accept) -> Rejection | None:
    """Accept the declaration: its duty is paid, and the hand is passed on face down (CU-20, CU-40)."""
    state = builder.state
    declaration = state.declaration
    assert declaration is not None
    if declaration.bag:
        builder.tell("claim_accepted", "CU-40", seat=action.seat, target=declaration.seat)
    else:
        builder.tell("declaration_accepted", "CU-20", seat=action.seat, target=declaration.seat)
    owed = duty(state.options.tariff, declaration.goods)
    dues = (Due(payer=declaration.seat, payee=action.seat, amount=owed, rule="CU-20"),) if owed else ()
    builder.change(dues=dues, passes_on=True)
    pay(builder)
    return None


def search(builder: StepBuilder, action: Search) -> Rejection | None:
    """Search the suitcase (CU-21, CU-41, CU-42)."""
    state = builder.state
    assert state.declaration is not None
    builder.tell("search_ordered", "CU-21", seat=action.seat, target=state.declaration.seat)
    look_into(builder, action.seat)
    return None


# -- the stages


def _declaring(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seat = state.at(Declaring).seat
    return (
        prompt_of(state, "declare", seat, "declare", DECLARATION),
        prompt_of(state, "declare", seat, "claim_bag"),
    )


def _declarer_left(builder: StepBuilder, seat: int) -> None:
    if seat == builder.state.at(Declaring).seat:
        hand_lapses(builder, builder.state.next_traveller(seat))


def _deciding(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    assert state.officer is not None
    officer = state.officer
    return tuple(prompt_of(state, "decide", officer, do) for do in ("accept", "search"))


def _traveller_left(builder: StepBuilder, seat: int) -> None:
    if builder.state.declaration and seat == builder.state.declaration.seat:
        hand_lapses(builder, builder.state.next_traveller(seat))


DECLARING = CustomsStage(
    asked=lambda state: (state.at(Declaring).seat,),
    due=lambda state: reject("declaration_due", "CU-10", {"seat": state.at(Declaring).seat}),
    prompts=_declaring,
    does={Declare: declare, ClaimBag: claim_bag},
    left=_declarer_left,
)
DECIDING = CustomsStage(
    asked=lambda state: (state.officer,),
    due=lambda state: reject("decision_due", "CU-13", {"seat": state.officer}),
    prompts=_deciding,
    does={Accept: accept, Search: search},
    left=_traveller_left,
)
