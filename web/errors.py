"""Errors of web requests: a status and a stable code. The sentence is in the word catalogues.

The application of a table and that of a hub answer them alike, each with its own page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from flask import Flask, Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from appliance.games.protocol import Rejection
from appliance.guided_calibration.session import DeskRejection
from appliance.words.errors import way_to

_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")

WebRejection = Literal[
    "account_taken",
    "agrees_by_phone",
    "broken",
    "chain_only",
    "database_away",
    "database_busy",
    "database_full",
    "dim_out_of_range",
    "file_changed",
    "file_of_another_game",
    "first_code_wrong",
    "first_start_code",
    "foreign_origin",
    "foreign_seat",
    "game_corrected",
    "game_goes_on",
    "guest_code_wrong",
    "guest_plays",
    "hand_on_phone",
    "hours_out_of_range",
    "join_code_used",
    "join_link_expired",
    "kiosk_only",
    "last_account",
    "login_needed",
    "malformed_action",
    "malformed_request",
    "monitoring_refused",
    "name_known",
    "name_taken",
    "night_full",
    "night_rules",
    "no_calibration_before",
    "no_file",
    "no_game_open",
    "no_night",
    "no_robots",
    "no_such_ball",
    "no_such_game",
    "no_such_guest",
    "nobody_asks_for_seat",
    "not_a_file_name",
    "not_a_mass",
    "not_a_name",
    "not_a_password",
    "not_a_picture",
    "not_a_pin",
    "not_a_release",
    "not_found",
    "not_saved",
    "other_cafe",
    "own_account",
    "pin_in_settings",
    "pin_needed",
    "pin_wrong",
    "question_open",
    "rig_damaged",
    "rollout_no_tables",
    "rollout_on",
    "rules_full",
    "seat_asked_for",
    "seat_on_another_phone",
    "too_few_here",
    "too_large",
    "too_many_watchers",
    "too_often",
    "unknown_host",
    "unknown_language",
    "update_in_game",
    "update_needs_pin",
    "wrong_method",
]
"""Every code with which the web layer itself refuses a request. The sentences are in `appliance/words/`."""

_HTTP_CODES: Mapping[int, WebRejection] = {404: "not_found", 405: "wrong_method", 413: "too_large"}
"""The codes of the statuses with which Flask itself ends a request. Others are `malformed_request` or `broken`."""


class Refused(Exception):
    """Ends a request with `status` and the sentence of `rejection.<code>`. The error page links to `back`.

    `game`: the game whose words are used, if it is not the open one."""

    def __init__(
        self,
        status: int,
        code: WebRejection | DeskRejection,
        rule: str = "",
        values: dict[str, Any] | None = None,
        *,
        back: str | None = None,
        game: str | None = None,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.back = back
        self.game = game
        self.rejection = Rejection(code, rule, values or {})

    @classmethod
    def because(
        cls, rejection: Rejection, status: int = 409, *, back: str | None = None, game: str | None = None
    ) -> Refused:
        """Return the answer for a rejection by the table or the rules; 503 if the table did not answer in time."""
        status = 503 if rejection.code == "table_busy" else status
        # The module that made the rejection declares this code.
        code: Any = rejection.code
        return cls(status, code, rejection.rule, rejection.values, back=back, game=game)


def or_refuse(
    answer: _Answer | Rejection, status: int = 409, *, back: str | None = None, game: str | None = None
) -> _Answer:
    """Return what the table or the rules answered.

    :raises Refused: they rejected it; the arguments are those of `Refused.because`.
    """
    if isinstance(answer, Rejection):
        raise Refused.because(answer, status, back=back, game=game)
    return answer


@contextmanager
def must_save(back: str | None = None) -> Iterator[None]:
    """Run a block that writes a file.

    :raises Refused: `not_saved`: the file could not be written.
    """
    try:
        yield
    except OSError as error:
        raise Refused(507, "not_saved", back=back) from error


def answer_errors(
    app: Flask, answer: Callable[[Refused], ResponseReturnValue], on_bug: Callable[[], None] = lambda: None
) -> None:
    """Answer each refused or failed request of `app` with what `answer` makes of it.

    :param on_bug: called before a bug is answered.
    """

    @app.errorhandler(Refused)
    def refused(refusal: Refused) -> ResponseReturnValue:
        return answer(refusal)

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> ResponseReturnValue:
        if error.code is not None and error.code < 400:
            return Response(error.get_response())  # type: ignore[arg-type]  # a redirect is a response already
        status = error.code or 500
        return answer(Refused(status, _HTTP_CODES.get(status, "malformed_request" if status < 500 else "broken")))

    @app.errorhandler(Exception)
    def bug(error: Exception) -> ResponseReturnValue:
        # Any other exception is a bug. Its message is not logged, because it may quote a secret.
        _log.error("bug while answering %s: %s", request.path, way_to(error))
        on_bug()
        return answer(Refused(500, "broken"))
