"""The host's calibration page: the next step in big letters, the progress, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.guided_calibration.dialogue import FEWEST, CalibrationKind
from appliance.guided_calibration.errors import sentence_of
from appliance.guided_calibration.session import CalibrationBusyError, CalibrationSession
from appliance.words.catalogues import Words
from calibration.balls.fit import LARGEST_KNOWN_MM, SMALLEST_KNOWN_MM, BallError, KnownBall, ball_said
from calibration.scale.coins import CURRENCIES, MassError, mass_said
from calibration.store import StoreError, can_undo
from hardware.files.regular_file import read_ordinary
from hardware.readings import PUTTY_COLOURS
from hardware.rig_file import RigError
from web.context import Web
from web.errors import Refused

WEIGHTS_G = (10, 20, 50, 100, 200)
_REPORT_MOST_BYTES = 2**24
"""The largest picture of a report that is sent; ours have some hundred KiB."""


def blueprint(web: Web, session: CalibrationSession) -> Blueprint:
    """Return the routes. All need the host's rights."""
    bp = Blueprint("calibration", __name__, url_prefix="/host/calibration")

    @bp.before_request
    def host_only() -> ResponseReturnValue | None:
        return web.need_host(url_for("calibration.page"))

    def values() -> dict[str, object]:
        here = {"game_open": web.table.snapshot().game is not None, "own_screen": web.access().is_own_screen}
        elsewhere = f"{web.site.phone_base()}{url_for('calibration.page')}"
        return _values(session, web.speech().words) | here | {"elsewhere": elsewhere}

    @bp.get("")
    def page() -> str:
        return render_template("calibration.html", **values())

    @bp.get("/panel")
    def panel() -> str:
        return render_template("calibration_panel.html", **values())

    @bp.post("/begin/<kind>")
    def begin(kind: str) -> ResponseReturnValue:
        try:
            session.begin(_kind(kind), web.speech().language)
        except CalibrationBusyError as error:
            raise Refused(409, error.code, back=url_for("calibration.page")) from None
        return redirect(url_for("calibration.page"))

    @bp.post("/lay")
    def lay() -> ResponseReturnValue:
        try:
            session.lay(_ball(request.form) if "putty" in request.form else _mass(request.form), _question())
        except MassError:
            raise Refused(422, "not_a_mass", back=url_for("calibration.page")) from None
        except BallError:
            raise Refused(422, "no_such_ball", back=url_for("calibration.page")) from None
        return redirect(url_for("calibration.page"))

    @bp.post("/enough")
    def enough() -> ResponseReturnValue:
        session.enough(_question())
        return redirect(url_for("calibration.page"))

    @bp.post("/cancel")
    def cancel() -> ResponseReturnValue:
        session.cancel()
        return redirect(url_for("calibration.page"))

    @bp.post("/undo/<kind>")
    def undo(kind: str) -> ResponseReturnValue:
        try:
            session.undo(_kind(kind))
        except CalibrationBusyError as error:
            raise Refused(409, error.code, back=url_for("calibration.page")) from None
        except StoreError as error:
            if error.code != "store_nothing_to_undo":
                raise Refused(507, "not_saved", back=url_for("calibration.page")) from None
            raise Refused(409, "no_calibration_before", back=url_for("calibration.page")) from None
        return redirect(url_for("calibration.page"))

    @bp.get("/report/<kind>.png")
    def report(kind: str) -> Response:
        try:
            picture = read_ordinary(session.paths.report(_kind(kind)), _REPORT_MOST_BYTES)
            return Response(picture, mimetype="image/png")
        except OSError:
            raise Refused(404, "not_found") from None

    @bp.get("/sheets.pdf")
    def sheets() -> Response:
        # Imported here, because the PDF library would delay every start by a sixth of a second.
        from calibration.sheets.sheet_set import sheets_pdf

        paper: Literal["a4", "letter"] = "letter" if request.args.get("paper") == "letter" else "a4"
        try:
            pdf = sheets_pdf(session.rig(fresh=False), paper, web.speech().words, session.wires)
        except RigError:
            raise Refused(409, "rig_damaged", back=url_for("calibration.page")) from None
        return Response(pdf, mimetype="application/pdf")

    return bp


def _kind(text: str) -> CalibrationKind:
    for kind in get_args(CalibrationKind):
        if text == kind:
            found: CalibrationKind = kind
            return found
    raise Refused(404, "not_found")


def _question() -> int:
    """Return which question the form answers; 0, which is never asked, where it does not say."""
    return request.form.get("question", default=0, type=int)


def _mass(form: Mapping[str, str]) -> str:
    return form.get("mass") or f"{form.get('count', '')}*{form.get('coin', '')}"


def _ball(form: Mapping[str, str]) -> str:
    size = f"{form['size']}.{form.get('tenths', '0')}" if form.get("size") else ""
    return ":".join(part for part in (form["putty"], size) if part)


def _values(session: CalibrationSession, words: Words) -> dict[str, object]:
    kinds: tuple[CalibrationKind, ...] = get_args(CalibrationKind)
    state = session.state
    return {
        "state": state,
        "named": [
            ball_said(each, words) if isinstance(each, KnownBall) else mass_said(each, words) for each in state.points
        ],
        "why": sentence_of(state.code, state.values, state.why, words),
        "kinds": kinds,
        "undoable": [kind for kind in kinds if can_undo(session.paths.of(kind))],
        "made": [kind for kind in kinds if session.paths.of(kind).exists()],
        "weights": WEIGHTS_G,
        "currencies": CURRENCIES,
        "putties": PUTTY_COLOURS,
        "fewest": FEWEST,
        "sizes_mm": range(int(SMALLEST_KNOWN_MM), int(LARGEST_KNOWN_MM)),
    }
