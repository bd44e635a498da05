"""A player leaves the table: like a pass, at any time; what was under way about him is called off."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Leave
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.convoying import arrive, settle_declarations
from appliance.games.prohis.rules.phases.ending import end_turn, finish
from appliance.games.prohis.rules.step_builder import Draft
from appliance.games.protocol import Rejection


def leave(draft: Draft, action: Leave) -> Rejection | None:
    """Let a player go; his hand and warehouse still score."""
    seat = action.seat
    if draft.state.options.physical:
        return reject("real_cards_stay", "AP-1", {"seat": seat})
    draft.change_player(seat, passed=True)
    draft.tell("player_left", "PR-40", seat=seat)
    state = draft.state
    if state.convoy is None:
        if not state.active(seat):
            finish(draft, "all_passed", "PR-42")
        elif state.phase in ("turn", "second") and seat == state.turn:
            end_turn(draft)
    elif seat == state.turn:
        _call_off(draft)
    elif state.phase == "declare":
        kept = tuple(one for one in state.convoy.declared if one.seat != seat)
        draft.change_convoy(declared=kept)
        settle_declarations(draft)
    elif seat == state.convoy.inspector:
        _return_offer(draft)
        _return_prohi(draft)
        arrive(draft, "PR-40")
    return None


def _call_off(draft: Draft) -> None:
    """The Smuggler is gone: everybody takes his cards back."""
    _return_offer(draft)
    if draft.convoy.inspector is not None:
        _return_prohi(draft)
    draft.hand_in(draft.state.turn, draft.convoy.cards)
    draft.tell("convoy_called_off", "PR-40", seat=draft.state.turn)
    end_turn(draft)


def _return_offer(draft: Draft) -> None:
    if draft.convoy.offer is not None:
        draft.hand_in(draft.state.turn, draft.convoy.offer)


def _return_prohi(draft: Draft) -> None:
    inspector, prohi = draft.convoy.inspector, draft.convoy.prohi
    assert inspector is not None
    assert prohi is not None
    draft.hand_in(inspector, (prohi,))
