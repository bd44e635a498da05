"""The referee of Prohis: it times negotiations, and with real cards it counts what lies on the pan."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.game import Action, Advice, Area, Rejection, Remark, Timer
from appliance.games.prohis.card_scale import CardStack, count_cards
from appliance.games.prohis.options import Options
from appliance.games.prohis.state import State
from hardware.readings import DeviceHealth, LoadRemoved, MassSettled, Reading

STACK_CARDS = 20
"""Cards of the stack that calibrates: enough for a hundred at a time, few enough to count by hand."""
CARD_LEAST_G, CARD_MOST_G = 0.3, 10.0
"""What a playing card can weigh."""
NEGOTIATION = "negotiation"
PAN = "pan"


class ProhisReferee:
    """Advises the table in one open game of Prohis. It never acts: people do, and cards are secret."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._stack: CardStack | None = None
        self._scale = False
        self._talked_turn: int | None = None

    def sense(self, state: State, reading: Reading) -> Sequence[Advice]:
        """Count cards on the pan where they are real."""
        if not self._options.physical:
            return ()
        if isinstance(reading, DeviceHealth) and reading.device == "scale":
            self._scale = reading.status == "ok"
            return (self._idle(),)
        if isinstance(reading, LoadRemoved):
            return (self._idle(),)
        if isinstance(reading, MassSettled) and state.phase != "over":
            return (self._weighed(reading),)
        return ()

    def tick(self, state: State, now_s: float) -> Sequence[Advice]:
        """Timers run by themselves; people decide (AP-6)."""
        return ()

    def stepped(self, state: State, action: Action | None, now_s: float) -> Sequence[Advice]:
        """Start the negotiation's timer when an Inspector comes (PR-30)."""
        limit_s = self._options.bribe_limit_s
        if limit_s is None or state.phase != "bribe" or self._talked_turn == state.turns:
            return ()
        self._talked_turn = state.turns
        return (Timer(name=NEGOTIATION, started_s=now_s, ends_s=now_s + limit_s),)

    def command(self, state: State, name: str, now_s: float) -> Sequence[Advice] | Rejection:
        """This game has no buttons beside its prompts."""
        return Rejection("unknown_command", "", {"name": name})

    def attention(self, state: State) -> frozenset[Area]:
        """Nothing: no camera looks at cards (AP-11)."""
        return frozenset()

    def resume(self, state: State, timers: Sequence[Timer], now_s: float) -> Sequence[Advice]:
        """Go on after a restart: a negotiation's timer is not started twice."""
        if any(timer.name == NEGOTIATION for timer in timers):
            self._talked_turn = state.turns
        return ()

    def _idle(self) -> Remark:
        if not self._scale:
            return Remark(topic=PAN, code="")
        if self._stack is None:
            return Remark(topic=PAN, code="lay_stack", values={"number": STACK_CARDS})
        return Remark(topic=PAN, code="pan_counts")

    def _weighed(self, reading: MassSettled) -> Remark:
        if self._stack is not None:
            counted = count_cards(reading.mass_g, reading.sd_g, self._stack)
            return Remark(
                topic=PAN, code="pan_count" if counted.sure else "pan_unsure", values={"number": counted.cards}
            )
        if not CARD_LEAST_G <= reading.mass_g / STACK_CARDS <= CARD_MOST_G:
            return Remark(topic=PAN, code="no_stack", values={"number": STACK_CARDS})
        self._stack = CardStack(STACK_CARDS, reading.mass_g, reading.sd_g)
        return Remark(topic=PAN, code="stack_weighed", values={"number": STACK_CARDS})
