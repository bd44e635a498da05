"""The public history of a game as card movements. It does not depend on any card that stayed secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from appliance.games.prohis.rules import actions as acts
from appliance.games.prohis.rules.cards import Card, Cards
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Action, Rejection, Rules, Setup


class Drawn(msgspec.Struct, frozen=True):
    """A card came into the hand of `seat` unseen: dealt, or from the pile."""

    seat: int


class Gained(msgspec.Struct, frozen=True):
    """A card came into the hand of `seat` face up."""

    seat: int
    card: Card


class Held(msgspec.Struct, frozen=True):
    """`seat` publicly held these cards and kept them."""

    seat: int
    cards: Cards


class Gone(msgspec.Struct, frozen=True):
    """A card left the hand of `seat` face up (or was seen later), as card `place` of action number `by`.

    `store` is the seat whose warehouse it went to, or None.
    """

    seat: int
    card: Card
    by: int
    place: int
    store: int | None


class Hidden(msgspec.Struct, frozen=True):
    """A card left the hand of `seat` unseen, as card `place` of action number `by`, to the warehouse of `store`.

    `store` None: it is still on the table. `turn` is the turn of a bribe, and None for a card of a convoy.
    """

    seat: int
    by: int
    place: int
    store: int | None
    turn: int | None = None


class Lent(msgspec.Struct, frozen=True):
    """Cards lay on the table unseen and went back to the hand: `places` of action number `by`, in turn `turn`.

    They were a rejected bribe, which differs from those directly before and after it (PR-30), or a convoy that was
    called off.
    """

    seat: int
    by: int
    places: tuple[int, ...]
    turn: int
    bribe: bool


class Stored(msgspec.Struct, frozen=True):
    """A Prohi went from the table into the warehouse of `seat`."""

    seat: int
    card: Card


Movement: TypeAlias = Drawn | Gained | Held | Gone | Hidden | Lent | Stored


class PublicHistory(msgspec.Struct, frozen=True):
    """The movements in order, the first row, and the drawn cards of the pile (None: drawn unseen).

    `hands` and `warehouses` are the cards counted at the end, None for an open game. `never_shown` are the numbers of
    the actions with declarations that were never shown.
    """

    movements: tuple[Movement, ...]
    row: Cards
    pile: tuple[Card | None, ...]
    hands: tuple[Cards, ...] | None
    warehouses: tuple[Cards, ...] | None
    never_shown: tuple[int, ...]


def public_history(game: Rules, setup: Setup, actions: Sequence[Action]) -> PublicHistory:
    """Return the public history of the game.

    :raises ValueError: when the actions do not fold.
    """
    return _HistoryReader(game, setup, actions).history()


class _HistoryReader:
    def __init__(self, game: Rules, setup: Setup, actions: Sequence[Action]) -> None:
        self._actions = actions
        step = game.set_up(setup)
        if isinstance(step, Rejection):
            raise ValueError(step.code)
        self._states: list[State] = [step.state]
        self._happened: list[dict[str, dict[str, object]]] = []
        for action in actions:
            step = game.apply(self._states[-1], action)
            if isinstance(step, Rejection):
                raise ValueError(step.code)
            self._states.append(step.state)
            self._happened.append({happening.code: happening.values for happening in step.happened})
        self._movements: list[Movement] = []
        self._row: Cards = ()
        self._pile: list[Card | None] = []
        self._never_shown: list[int] = []

    def history(self) -> PublicHistory:
        for number, action in enumerate(self._actions):
            self._tell(number, action)
        last = self._states[-1]
        over = last.phase == "over"
        return PublicHistory(
            movements=tuple(self._movements),
            row=self._row,
            pile=tuple(self._pile),
            hands=tuple(player.hand for player in last.players) if over else None,
            warehouses=tuple(player.warehouse for player in last.players) if over else None,
            never_shown=tuple(self._never_shown),
        )

    def _tell(self, number: int, action: Action) -> None:
        before, after = self._states[number], self._states[number + 1]
        match action:
            case acts.Shuffle():
                for seat in range(len(after.players)):
                    self._movements += [Gained(seat, "captain"), Gained(seat, "major"), *[Drawn(seat)] * 4]
                self._row = tuple(card for card in after.row if card is not None)
            case acts.Take(seat=seat, slot=slot):
                card, fresh = before.row[slot], after.row[slot]
                assert card is not None
                self._movements.append(Gained(seat, card))
                if fresh is not None:
                    self._pile.append(fresh)
            case acts.Draw(seat=seat):
                self._pile.append(None)
                self._movements.append(Drawn(seat))
            case acts.LayConvoy():
                self._tell_convoy(number, action)
            case acts.Declare(seat=seat, prohi=prohi):
                if not self._declaration_was_seen(number, seat):
                    self._never_shown.append(number)
                elif prohi is not None:
                    self._movements.append(Held(seat, (prohi,)))
            case acts.Offer():
                self._tell_offer(number, action)
            case _:
                pass
        self._tell_prohi(number, before)

    def _end_of_convoy(self, number: int) -> int | None:
        """Return the number of the action that ended the convoy on the table at `number`, or None."""
        turns = self._states[number + 1].turns if self._states[number + 1].convoy else self._states[number].turns
        for later in range(number, len(self._actions)):
            state = self._states[later + 1]
            if state.convoy is None or state.turns != turns:
                return later
        return None

    def _tell_convoy(self, number: int, action: acts.LayConvoy) -> None:
        end = self._end_of_convoy(number)
        last = number if end is None else end
        seen = {
            later.position
            for later in self._actions[number : (len(self._actions) if end is None else last + 1)]
            if isinstance(later, acts.Turn)
        }
        happened = {} if end is None else self._happened[end]
        unseen = [place for place in range(len(action.cards)) if place not in seen]
        if "convoy_called_off" in happened:
            known = tuple(action.cards[place] for place in sorted(seen))
            self._movements += [Held(action.seat, known)] if known else []
            self._movements.append(Lent(action.seat, number, tuple(unseen), self._states[number].turns, bribe=False))
            return
        convoy = self._states[last].convoy if end is not None else None
        inspector = None if convoy is None else convoy.inspector
        store = None if end is None else inspector if "convoy_seized" in happened else action.seat
        self._movements += [Gone(action.seat, action.cards[place], number, place, store) for place in sorted(seen)]
        self._movements += [Hidden(action.seat, number, place, store) for place in unseen]

    def _tell_offer(self, number: int, action: acts.Offer) -> None:
        state = self._states[number + 1]
        inspector = state.convoy.inspector if state.convoy else None
        settled = {"bribe_accepted", "bribe_rejected", "convoy_arrived", "convoy_called_off"}
        after = next(
            (happened.keys() & settled for happened in self._happened[number + 1 :] if happened.keys() & settled), set()
        )
        accepted, pending = "bribe_accepted" in after, not after
        if state.options.open_bribes:
            if accepted:
                self._movements += [
                    Gone(action.seat, card, number, place, inspector) for place, card in enumerate(action.cards)
                ]
            else:
                self._movements.append(Held(action.seat, action.cards))
        elif accepted or pending:
            store = inspector if accepted else None
            self._movements += [
                Hidden(action.seat, number, place, store, state.turns) for place in range(len(action.cards))
            ]
        else:
            self._movements.append(Lent(action.seat, number, tuple(range(len(action.cards))), state.turns, bribe=True))

    def _declaration_was_seen(self, number: int, seat: int) -> bool:
        """Return whether the declaration of `seat` was ever shown: at once, or when all had declared."""
        if self._states[number].options.declarations == "open":
            return True
        for later in range(number, len(self._actions)):
            state = self._states[later + 1]
            if "player_left" in self._happened[later] and self._happened[later]["player_left"]["seat"] == seat:
                return False
            if state.phase != "declare":
                return "convoy_called_off" not in self._happened[later]
        return False

    def _tell_prohi(self, number: int, before: State) -> None:
        """Add the movements of the Inspector's Prohi from the hand to its last place."""
        happened, options = self._happened[number], before.options
        if (came := happened.get("inspector_came")) is not None:
            self._movements.append(Gone(int(came["seat"]), came["card"], -1, 0, None))  # type: ignore[call-overload,arg-type]  # as published
        convoy = before.convoy
        if convoy is None or convoy.inspector is None or convoy.prohi is None:
            return
        inspector, prohi = convoy.inspector, convoy.prohi
        if "prohi_won" in happened:
            self._movements.append(Gained(before.turn, prohi))
        elif "inspection_waived" in happened or ("convoy_seized" in happened and options.seized_prohi == "warehouse"):
            self._movements.append(Stored(inspector, prohi))
        elif happened.keys() & {
            *("bribe_accepted", "inspection_waived_to_hand", "convoy_seized", "convoy_called_off", "player_left")
        } and (self._states[number + 1].convoy is None or self._states[number + 1].turns != before.turns):
            self._movements.append(Gained(inspector, prohi))
