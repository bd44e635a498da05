"""At the counter: the declaration or the claim, and the Officer's decision (RULES §4.2, §4.3, §4.5)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Accept, ClaimBag, Declare, Search
from appliance.games.customs.rules.cards import HAND, dutiable
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.opening import look_into
from appliance.games.customs.rules.phases.paying import pay
from appliance.games.customs.rules.refusals import due
from appliance.games.customs.rules.state import Deciding, Declaration, Declaring, Due
from appliance.games.customs.rules.step_builder import Draft
from appliance.games.customs.rules.tariff import duty
from appliance.games.protocol import Rejection


def declare(draft: Draft, action: Declare) -> Rejection | None:
    """Take a declaration, true or false (CU-10)."""
    stage = draft.state.stage
    if not isinstance(stage, Declaring) or action.seat != stage.seat:
        return due(draft.state)
    if len(action.goods) > HAND:
        return reject("too_many_goods", "CU-10", {"most": HAND})
    goods = dutiable(action.goods)
    draft.change(stage=Deciding(), declaration=Declaration(seat=action.seat, goods=goods), opened=None)
    if goods:
        draft.tell("goods_declared", "CU-10", seat=action.seat, cards=list(goods))
    else:
        draft.tell("nothing_declared", "CU-10", seat=action.seat)
    return None


def claim_bag(draft: Draft, action: ClaimBag) -> Rejection | None:
    """Take a claim to the Diplomatic Bag, true or false (CU-12)."""
    stage = draft.state.stage
    if not isinstance(stage, Declaring) or action.seat != stage.seat:
        return due(draft.state)
    draft.change(stage=Deciding(), declaration=Declaration(seat=action.seat, bag=True), opened=None)
    draft.tell("bag_claimed", "CU-12", seat=action.seat)
    return None


def accept(draft: Draft, action: Accept) -> Rejection | None:
    """Let it pass: the duty of what was declared is paid, the hand goes on face down (CU-20, CU-40)."""
    state = draft.state
    if not isinstance(state.stage, Deciding) or action.seat != state.officer:
        return due(state)
    declaration = state.declaration
    assert declaration is not None
    if declaration.bag:
        draft.tell("claim_accepted", "CU-40", seat=action.seat, target=declaration.seat)
    else:
        draft.tell("declaration_accepted", "CU-20", seat=action.seat, target=declaration.seat)
    owed = duty(state.options.tariff, declaration.goods)
    dues = (Due(payer=declaration.seat, payee=action.seat, amount=owed, rule="CU-20"),) if owed else ()
    draft.change(dues=dues, passes_on=True)
    pay(draft)
    return None


def search(draft: Draft, action: Search) -> Rejection | None:
    """Look into the suitcase (CU-21, CU-41, CU-42)."""
    state = draft.state
    if not isinstance(state.stage, Deciding) or action.seat != state.officer:
        return due(state)
    assert state.declaration is not None
    draft.tell("search_ordered", "CU-21", seat=action.seat, target=state.declaration.seat)
    look_into(draft, action.seat)
    return None
