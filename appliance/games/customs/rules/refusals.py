"""The rejection of actions that the table does not wait for: it names what is due."""

from __future__ import annotations

from appliance.games.customs.rules.codes import reject
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
from appliance.games.protocol import Rejection


def refusal(state: State) -> Rejection:
    """Return the rejection of an action that is not due now: it says what is due, and from whom."""
    match state.stage:
        case Appointing():
            return reject("officer_due", "CU-3")
        case Shuffling():
            return reject("shuffle_due", "CU-2")
        case Declaring(seat=seat):
            return reject("declaration_due", "CU-10", {"seat": seat})
        case Deciding():
            return reject("decision_due", "CU-13", {"seat": state.officer})
        case Doubting(seat=seat):
            return reject("doubt_due", "CU-30", {"seat": seat})
        case Opening():
            assert state.declaration is not None
            return reject("opening_due", "CU-21", {"seat": state.declaration.seat})
        case Exchanging(seat=seat):
            return reject("discard_due", "CU-31", {"seat": seat})
        case Owing():
            return reject("payment_due", "CU-60", {"seat": state.dues[0].payer})
        case Asking(lender=lender):
            return reject("answer_due", "CU-61", {"seat": lender})
        case Over():
            return reject("game_over", "CU-52")
