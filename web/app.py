"""The Flask application: one factory, no global state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES
from appliance.guided_calibration.session import CalibrationSession
from appliance.sensing.roll_places import RollPlaces
from appliance.service.outside.feed import Feed
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.table.table import Table
from hardware.clock import Clock
from web.context import SeatControl, Web
from web.doors.security import came_from, protect
from web.errors import Refused, answer_errors
from web.live.compression import compress
from web.own_files import routes as own_files
from web.pages.quick_templates import QuickFlask
from web.pages.table_templates import prepare_templates
from web.routes import calibration, first_start, host, kiosk, pages, past_games, replays, updates
from web.routes import self_test as self_test_routes
from web.routes import upkeep as upkeep_routes
from web.routes.api import document
from web.routes.evening import afterwards, guests, kept_rolls, league, night
from web.site import Site

_API = "/api/"
_JSON = "application/json"


def create_app(
    table: Table,
    *,
    settings: Site,
    clock: Clock,
    live_picture: Callable[[], bytes | None] | None = None,
    seat_control: SeatControl | None = None,
    calibration_session: CalibrationSession | None = None,
    rolls: RollPlaces | None = None,
    self_test: StandingSelfTest | None = None,
    upkeep: Upkeep | None = None,
    feed: Feed | None = None,
) -> Flask:
    """Build the application around `table`.

    :param live_picture: returns the newest JPEG of the track while it may be shown, else None (AP-11).
    :param seat_control: switches seats between people and robots; None without robots.
    :param calibration_session: runs the guided calibrations; None if there is nothing to calibrate.
    :param self_test: the findings for the host's self-test page.
    :param upkeep: the figures for monitoring and the support file, which contains the self-test's findings.
    :param rolls: the positions of what rolls on the track; None if no sensor sees the track.
    :param feed: the public events; None: the application follows the table itself.
    """
    app = QuickFlask(__name__, template_folder="templates", static_folder="static")
    prepare_templates(app)
    web = Web(app, table, settings, clock, live_picture, seat_control, rolls, feed)
    app.extensions["smugglers"] = web
    compress(app)
    protect(app, settings)
    document.register(app, web)
    _answer_errors(app, web)
    for routes in (pages, kiosk, host, past_games, first_start, replays, league, guests, afterwards, kept_rolls, night):
        app.register_blueprint(routes.blueprint(web))
    app.register_blueprint(own_files.blueprint(web, app))
    if settings.machine is not None:
        app.register_blueprint(updates.blueprint(web, settings.machine))
    if calibration_session is not None:
        app.register_blueprint(calibration.blueprint(web, calibration_session))
    if self_test is not None:
        app.register_blueprint(self_test_routes.blueprint(web, self_test))
        if upkeep is not None:
            app.register_blueprint(upkeep_routes.blueprint(web, upkeep, self_test))

    @app.context_processor
    def add_words() -> dict[str, Any]:
        return {
            "say": web.speech(),
            "host": web.host.choices,
            "games": GAMES,
            "has_pin": web.keys.has_pin,
            "can_calibrate": calibration_session is not None,
            "can_update": settings.machine is not None,
            "can_check": self_test is not None,
            "can_help": self_test is not None and upkeep is not None,
            "rolled_back": settings.machine.rolled_back() if settings.machine else None,
        }

    return app


def _answer_errors(app: Flask, web: Web) -> None:
    def answer(refused: Refused) -> ResponseReturnValue:
        speech, rejection, status = web.speech(refused.game), refused.rejection, refused.status
        message = speech.rejected(rejection)
        if request.path.startswith(_API) or request.accept_mimetypes.best == _JSON:  # a script asks for JSON
            return jsonify(code=rejection.code, message=message, rule=rejection.rule or None), status
        g.failed = True
        # After a 429 the same can be asked for again, and for want of room (507). After other refusals it is no help.
        again = refused.back or {429: request.path, 507: came_from(request)}.get(status)
        here = {"again": again, "is_kiosk": web.access().is_kiosk}
        return render_template("error.html", message=message, rule=rejection.rule, **here), status

    answer_errors(app, answer)

    @app.errorhandler(RecursionError)
    def nested_too_deeply(_: RecursionError) -> ResponseReturnValue:
        # Only JSON of a request can nest this deeply.
        return answer(Refused(400, "malformed_request"))
