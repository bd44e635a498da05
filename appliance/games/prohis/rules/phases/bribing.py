"""Bribes (PR-26 … PR-31): offers, their acceptance or rejection, and the decision without a bribe."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Answer, Decide, Offer, StopBribing
from appliance.games.prohis.rules.cards import arranged, holds
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.convoying import arrive, left_in_convoy
from appliance.games.prohis.rules.prompts import private_prompt, prompt_of
from appliance.games.prohis.rules.state import Convoy, State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection, SomeOf


def offer(builder: StepBuilder, action: Offer) -> Rejection | None:
    """Offer a bribe to the Inspector. It must differ from the one just rejected (PR-30)."""
    state = builder.state
    if not action.cards:
        return reject("empty_bribe", "PR-26")
    if not holds(state.players[action.seat].hand, action.cards):
        return reject("not_in_hand", "PR-26", {"seat": action.seat})
    cards = arranged(action.cards)
    if cards == builder.convoy.just_rejected:
        return reject("bribe_repeated", "PR-30")
    builder.hand_out(action.seat, cards)
    builder.change_convoy(offer=cards)
    builder.change(phase="answer")
    values = {"seat": action.seat, "target": builder.convoy.inspector, "number": len(cards)}
    if state.options.open_bribes:
        builder.tell("bribe_shown", "PR-29", **values, cards=list(cards))
    else:
        builder.tell("bribe_offered", "PR-26", **values)
    return None


def can_offer_more(state: State) -> bool:
    """Return whether the Smuggler may hold a bribe other than the one just rejected: it needs two cards after one.

    It depends only on the number of cards in the hand, which is public.
    """
    assert state.convoy is not None
    return len(state.players[state.turn].hand) > (1 if state.convoy.just_rejected else 0)


def answer(builder: StepBuilder, action: Answer) -> Rejection | None:
    """Accept the bribe and let the convoy pass, or return the bribe (PR-27, PR-28)."""
    state, convoy = builder.state, builder.convoy
    assert convoy.offer is not None
    assert convoy.prohi is not None
    if action.accept:
        builder.store(action.seat, convoy.offer)
        builder.hand_in(action.seat, (convoy.prohi,))
        builder.tell("bribe_accepted", "PR-27", seat=action.seat, number=len(convoy.offer))
        arrive(builder, "PR-27")
        return None
    builder.hand_in(state.turn, convoy.offer)
    builder.change_convoy(offer=None, rejected=convoy.rejected + 1, just_rejected=convoy.offer)
    builder.change(phase="bribe")
    builder.tell("bribe_rejected", "PR-28", seat=action.seat)
    return None


def stop_bribing(builder: StepBuilder, action: StopBribing) -> Rejection | None:
    """Continue with the inspection. If no bribe was offered, the Inspector may still waive it (PR-31)."""
    if builder.convoy.rejected:
        builder.tell("bribing_stopped", "PR-28", seat=action.seat)
        builder.change(phase="inspect")
    else:
        builder.tell("no_bribe_offered", "PR-31", seat=action.seat)
        builder.change(phase="decide")
    return None


def must_inspect(state: State, action: Decide) -> Rejection | None:
    """Return the rejection of a decision by an Inspector who rejected a bribe (PR-31), else None."""
    convoy = state.convoy
    if convoy is None or not convoy.rejected or action.seat != convoy.inspector:
        return None
    return reject("must_inspect", "PR-31", {"seat": action.seat})


def decide(builder: StepBuilder, action: Decide) -> Rejection | None:
    """Inspect after no bribe was offered, or waive the inspection and move the Prohi by the option (PR-31)."""
    state, convoy = builder.state, builder.convoy
    assert convoy.prohi is not None
    if action.inspect:
        builder.tell("inspection_begun", "PR-32", seat=action.seat)
        builder.change(phase="inspect")
        return None
    if state.options.waived_prohi == "hand":
        builder.hand_in(action.seat, (convoy.prohi,))
        builder.tell("inspection_waived_to_hand", "PR-31", seat=action.seat, card=convoy.prohi)
    else:
        builder.store(action.seat, (convoy.prohi,))
        builder.tell("inspection_waived", "PR-31", seat=action.seat, card=convoy.prohi)
    arrive(builder, "PR-31")
    return None


# -- the stages

YES_NO: tuple[bool, ...] = (True, False)


def _convoy(state: State) -> Convoy:
    assert state.convoy is not None
    return state.convoy


def inspector_of(state: State) -> int:
    """Return the seat of the Inspector of the convoy on the table."""
    inspector = _convoy(state).inspector
    assert inspector is not None
    return inspector


def _bribing(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seat, hand, convoy = state.turn, state.players[state.turn].hand, _convoy(state)
    situation, barred = f"bribe{convoy.rejected + 1}", convoy.just_rejected
    stop = prompt_of(state, situation, seat, "stop_bribing")
    if not can_offer_more(state):
        return (stop,)
    choice = SomeOf(hand, 1, len(hand), () if barred is None else (tuple(sorted(barred)),))
    return (private_prompt(state, situation, seat, "offer", {"cards": choice}, viewer), stop)


def _answering(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    situation = f"answer{_convoy(state).rejected + 1}"
    return (prompt_of(state, situation, inspector_of(state), "answer", {"accept": OneOf(YES_NO)}),)


def _deciding(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return (prompt_of(state, "decide", inspector_of(state), "decide", {"inspect": OneOf(YES_NO)}),)


BRIBE = ProhisStage(
    asked=lambda state: (state.turn,),
    due=lambda state: reject("bribe_due", "PR-26", {"seat": state.turn}),
    prompts=_bribing,
    does={Offer: offer, StopBribing: stop_bribing},
    left=left_in_convoy,
)
ANSWER = ProhisStage(
    asked=lambda state: (inspector_of(state),),
    due=lambda state: reject("answer_due", "PR-27", {"seat": inspector_of(state)}),
    prompts=_answering,
    does={Answer: answer},
    left=left_in_convoy,
)
DECIDE = ProhisStage(
    asked=lambda state: (inspector_of(state),),
    due=lambda state: reject("decision_due", "PR-31", {"seat": inspector_of(state)}),
    prompts=_deciding,
    does={Decide: decide},
    left=left_in_convoy,
)
