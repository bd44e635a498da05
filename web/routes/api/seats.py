"""Who plays a seat: a person, a robot, a phone."""

from __future__ import annotations

from web.context import SeatControl, Web
from web.errors import Refused, must_save
from web.routes.bodies import AdmitBody, ControlBody, DoneBody, IdBody, LessonsBody
from web.routes.operations import ApiBlueprint


def add(api: ApiBlueprint, web: Web) -> None:
    """Add these routes to the API."""

    @api.operation("PUT /seats/<int:seat>/control")
    def control(body: ControlBody, seat: int) -> DoneBody:
        """Let a person or a robot play a seat. Only the simulated table has robots."""
        robots = _robots(web)
        _acting_for(web, seat)
        robots.change(seat, body.by)
        web.live.refresh()
        return DoneBody()

    @api.operation("PUT /seats/<int:seat>/lessons")
    def lessons(body: LessonsBody, seat: int) -> DoneBody:
        """Explain the first round to a seat, or stop that. Its phone and the touchscreen may."""
        _acting_for(web, seat)
        snapshot = web.table.snapshot()
        with must_save():
            web.evening.say_new(web.seat_here(seat).seating, seat, body.on, snapshot.game_id, snapshot.deeds)
        web.live.refresh()
        return DoneBody()

    @api.operation("POST /seats/<int:seat>/hands")
    def hands(body: IdBody, seat: int) -> DoneBody:
        """Let the simulated hands do what a person's seat has to do on the table. The simulated sensors then see it."""
        robots = _robots(web)
        if _acting_for(web, seat) is not None:
            web.sit_down(seat)
        robots.lend_hands(seat)
        return DoneBody()

    @api.operation("POST /seats/<int:seat>/let_go")
    def let_go(body: IdBody, seat: int) -> DoneBody:
        """Take a seat back from a phone to the touchscreen. The phone is told and may join again."""
        _acting_for(web, seat)
        web.stand_up(seat)
        return DoneBody()

    @api.operation("POST /seats/<int:seat>/admit")
    def admit(body: AdmitBody, seat: int) -> DoneBody:
        """Answer a second phone that asks for a seat. The seat's first phone and the touchscreen may."""
        _acting_for(web, seat)
        if not web.phones.answer(web.seat_here(seat), body.asker, body.yes):
            raise Refused(409, "nobody_asks_for_seat")
        web.live.refresh()
        return DoneBody()


def _robots(web: Web) -> SeatControl:
    """Return what switches seats between people and robots.

    :raises Refused: `no_robots`: only the simulated table has them.
    """
    if web.seat_control is None:
        raise Refused(404, "no_robots")
    return web.seat_control


def _acting_for(web: Web, seat: int) -> int | None:
    """Return the seat as which the sender acts for `seat` of the open game (None: as the touchscreen).

    :raises Refused: `not_found`: there is no such seat; `foreign_seat`: the sender may not act for it.
    """
    access = web.access()
    if seat not in access.seats:
        raise Refused(404, "not_found")
    return access.acting_for(seat)
