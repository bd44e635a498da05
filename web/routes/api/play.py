"""What plays the open game: its view, actions, draws, and the proposals of the sensors."""

from __future__ import annotations

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, tag_of
from appliance.snapshot import Submission
from web.context import Web
from web.errors import Refused
from web.routes.api.sent import action_of, answered
from web.routes.bodies import (
    AcceptedBody,
    ActionBody,
    ChanceBody,
    CommandBody,
    LobbyAnswer,
    PendingBody,
    SeatQuery,
    ViewAnswer,
    WatchBody,
)
from web.routes.operations import ApiBlueprint


def add(api: ApiBlueprint, web: Web) -> None:
    """Add these routes to the API."""
    table = web.table

    @api.operation("GET /view")
    def view(query: SeatQuery) -> ViewAnswer | LobbyAnswer:
        """Return what one viewer may know of the open game, and its open prompts."""
        snapshot, seat = table.snapshot(), query.seat
        web.access().need_view_of(seat)
        if snapshot.game is None:
            return LobbyAnswer(version=snapshot.version)
        rules = the_game(snapshot.game).rules
        return ViewAnswer(
            version=snapshot.version,
            game=snapshot.game,
            hardware=snapshot.hardware,
            view=rules.view(snapshot.state, seat),
            prompts=rules.expects(snapshot.state, seat),
            pending=snapshot.pending,
            question=snapshot.question,
            log=tuple(line for line in snapshot.log if line.happening.to in (None, seat)),
        )

    @api.operation("POST /actions")
    def act(body: ActionBody) -> AcceptedBody:
        """Submit an action. The rules check it again, so a request can do no more than a tap."""
        action = action_of(web, body.action)
        seat = web.access().acting_for(getattr(action, "seat", None))
        if seat is not None:
            web.sit_down(seat)
        in_public = seat is None and _in_public(web, action)
        submission = Submission(id=body.id, action=action, prompt=body.prompt, seat=seat, in_public=in_public)
        return answered(table.submit(submission))

    @api.operation("POST /chance")
    def chance(body: ChanceBody) -> AcceptedBody:
        """Answer a prompt with a fair draw of the appliance."""
        seat = web.access().acting_for(body.seat)
        if seat is not None:
            web.sit_down(seat)
        return answered(table.draw(body.prompt, body.id, seat))

    @api.operation("POST /pending/object")
    def object_to(body: PendingBody) -> AcceptedBody:
        """Reject a proposal of the sensors during its grace. The people at the table then answer the prompt."""
        web.access().need_player()
        return answered(table.object_to(body.pending, body.id))

    @api.operation("POST /pending/confirm")
    def confirm(body: PendingBody) -> AcceptedBody:
        """Accept a proposal of the sensors before its grace ends."""
        web.access().need_kiosk()
        return answered(table.confirm(body.pending, body.id))

    @api.operation("POST /replays/watch")
    def watch(body: WatchBody) -> AcceptedBody:
        """Say that the touchscreen shows a roll again: no grace ends meanwhile, and the wall shows it too."""
        web.access().need_kiosk()
        return answered(table.watch(body.number, body.id))

    @api.operation("POST /commands")
    def command(body: CommandBody) -> AcceptedBody:
        """Press a button of the table that is no action of the game, such as `turn_hourglass`.

        Players may press on their phones what the game lets any of them wish for, unless a question is open.
        """
        now = table.snapshot()
        if now.game is not None and body.name in the_game(now.game).wishes:
            access = web.access()
            access.need_player()
            if now.question is not None and not access.is_kiosk:
                raise Refused(409, "question_open")
        else:
            web.access().need_kiosk()
        return answered(table.command(body.name, body.id))


def _in_public(web: Web, action: Action) -> bool:
    """Return whether the touchscreen does this for a seat whose hand it may not show.

    :raises Refused: `foreign_seat` or `hand_on_phone`: the choices are that hand, and a refusal would tell of it.
    """
    snapshot = web.table.snapshot()
    seat: int | None = getattr(action, "seat", None)
    if snapshot.game is None or seat is None or seat not in web.access().seats:
        return False
    if (reason := web.hand_hidden(snapshot, seat)) is None:
        return False
    asked = the_game(snapshot.game).rules.expects(snapshot.state, None)
    if any(prompt.veiled and prompt.do == tag_of(action) for prompt in asked):
        raise Refused(403, reason)
    return True
