"""Set-up (RULES §3.1): checks players and options, lays out the map, and plans the first shuffles and rolls."""

from __future__ import annotations

from appliance.games.base.rules.set_up_checks import wrong_players
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.map.board import lay_out
from appliance.games.haulers.rules.map.edition import START_HAND, Edition
from appliance.games.haulers.rules.options import Options, read_options
from appliance.games.haulers.rules.phases.transit import transit_cards
from appliance.games.haulers.rules.stages import Briefing, Dealing, Keeping, Ordering, Rolling, Shuffling, Stage
from appliance.games.haulers.rules.state import Hauler, State
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection, Setup, Step

RULES_REVISION = 1
SEATS = range(2, 7)
START_DOLLARS = 2000


def set_up(setup: Setup) -> Step[State] | Rejection:
    """Start a game. Shuffling, dealing and the start rolls are its first stages."""
    count = len(setup.players)
    if problem := wrong_players(setup, revision=RULES_REVISION, seats=SEATS, revision_rule="TR-1", players_rule="TR-1"):
        return problem
    options = read_options(setup.options, count)
    if isinstance(options, Rejection):
        return options
    edition = options.edition
    assert edition is not None
    state = _laid_out(setup, options, edition)
    if len(state.discards) <= START_HAND * count:
        return reject("edition_few_land_deliveries", "AP-9", {"least": START_HAND * count + 1})
    builder = StepBuilder(state)
    builder.tell("game_set_up", "TR-1", edition=edition.name)
    return builder.step()


def _laid_out(setup: Setup, options: Options, edition: Edition) -> State:
    board = lay_out(edition)
    seats = range(len(setup.players))
    # Without boats, overseas deliveries would only be redrawn (TR-64). So they stay in the box.
    deck = tuple(
        number
        for number, card in enumerate(edition.deliveries)
        if options.boats != "none" or not board.is_overseas(card.top, card.bottom)
    )
    boats = {"none": 0, "two": min(2, edition.supplies.boats)}.get(options.boats, edition.supplies.boats)
    supplies = edition.supplies
    blank = State(
        options=options,
        edition=edition,
        board=board,
        players=tuple(Hauler(name=player.name, cash=START_DOLLARS if options.money else 0) for player in setup.players),
        agenda=(),
        discards=deck,
        mission_pile=tuple(range(len(edition.missions))) if options.missions != "none" else (),
        stock={
            "stations": supplies.stations,
            "radar": supplies.radar,
            "double": supplies.double,
            "turbo": supplies.turbo,
            "boats": boats,
        },
    )
    builder = StepBuilder(blank)
    agenda: list[Stage] = [Shuffling("deliveries", len(deck))]
    if options.transit:
        builder.change(**_transit_piles(blank))
        agenda.append(Shuffling("transit", len(builder.state.transit_discards)))
    if options.missions != "none":
        agenda.append(Shuffling("missions", len(edition.missions)))
    agenda += [Dealing(), *(Rolling(seat=seat, dice=2, why="start") for seat in seats), Ordering(tuple(seats))]
    if options.missions != "none":
        agenda.append(Briefing(tuple(seats)))
    builder.change(agenda=(*reversed((*agenda, Keeping())),))
    return builder.state


def _transit_piles(state: State) -> dict[str, tuple[int, ...]]:
    """Return the transit cards in the game, and the keep-cards for sale (TR-60, TR-61)."""
    cards = dict(enumerate(transit_cards(state)))
    kept = tuple(number for number, card in cards.items() if card.effect == "papers")
    out: set[int] = set() if state.options.keep_cards == "in" else set(kept)
    if state.options.sabotage == "out":
        out |= {number for number, card in cards.items() if card.effect == "sabotage"}
    return {
        "transit_discards": tuple(number for number in cards if number not in out),
        "papers_pile": kept if state.options.keep_cards == "sold" else (),
    }
