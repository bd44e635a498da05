"""The rejection of actions that the table does not wait for: it names what is due."""

from __future__ import annotations

from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Rejection


def refusal(state: State) -> Rejection:
    """Return the rejection of an action that is not due now: it says what is due, and from whom."""
    inspector = None if state.convoy is None else state.convoy.inspector
    match state.phase:
        case "shuffle":
            return reject("shuffle_due", "PR-4")
        case "start":
            return reject("start_due", "PR-5")
        case "turn":
            return reject("turn_due", "PR-10", {"seat": state.turn})
        case "second":
            return reject("second_card_due", "PR-11", {"seat": state.turn})
        case "declare":
            return reject("declarations_due", "PR-24", {"seats": list(state.undeclared())})
        case "bribe":
            return reject("bribe_due", "PR-26", {"seat": state.turn})
        case "answer":
            return reject("answer_due", "PR-27", {"seat": inspector})
        case "decide":
            return reject("decision_due", "PR-31", {"seat": inspector})
        case "inspect":
            return reject("inspection_due", "PR-32", {"seat": inspector})
        case "play":
            return reject("real_cards_in_play", "AP-1")
        case "count":
            return reject("count_due", "PR-50")
        case "over":
            return reject("game_over", "PR-43")
