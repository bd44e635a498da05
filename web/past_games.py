"""The past games: their list, what happened in each, saving one as a file and taking such a file in."""

from __future__ import annotations

import datetime
import secrets

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.entries import PastGame
from appliance.games.catalogue import GAMES
from appliance.games.game import Rejection
from appliance.snapshot import Accepted
from appliance.transcript import TranscriptError, read_transcript
from web.context import Web
from web.errors import Refused
from web.render import Speech
from web.viewer import language_of

FILE_MOST_BYTES = 1024 * 1024
"""A transcript of many hours; other requests may be far smaller only."""
LISTED = 200


def blueprint(web: Web) -> Blueprint:
    """Return the routes; they belong to the kiosk."""
    bp = Blueprint("past_games", __name__, url_prefix="/kiosk/games")
    archive = web.table.archive

    @bp.before_request
    def kiosk_only() -> ResponseReturnValue | None:
        if web.access().is_kiosk:
            return None
        return redirect(url_for("host.unlock", back="/kiosk/games"))

    def speech(past: PastGame) -> Speech:
        """The words of the game that was played; the frame's own for one that this release does not know."""
        names = tuple(player.name for player in past.setup.players)
        game = past.setup.game if past.setup.game in GAMES else None
        return Speech(language_of(request, web.host.choices.language), game, names)

    def find(number: int) -> PastGame:
        for past in archive.past_games():
            if past.game == number:
                return past
        raise Refused(404, "no_such_game")

    @bp.get("")
    def listed(problem: TranscriptError | None = None) -> str:
        games = [(past, speech(past), _when(past.opened_s)) for past in archive.past_games()[:LISTED]]
        return render_template("past_games.html", past_games=games, problem=problem, import_id=secrets.token_hex(12))

    @bp.post("")
    def take_in() -> ResponseReturnValue:
        request.max_content_length = FILE_MOST_BYTES
        file = request.files.get("file")
        if file is None or not file.filename:
            raise Refused(422, "no_file")
        transcript = read_transcript(file.stream, language_of(request, web.host.choices.language))
        if isinstance(transcript, TranscriptError):
            return listed(transcript), 422
        answer = web.table.import_game(transcript.setup, transcript.actions, request.form.get("id", ""))
        if not isinstance(answer, Accepted):
            raise Refused.because(answer, game=transcript.setup.game)
        return redirect(url_for("past_games.past", number=answer.seq))

    @bp.get("/<int:number>")
    def past(number: int) -> str:
        game = find(number)
        log = archive.log(number)
        if isinstance(log, Rejection):
            raise Refused.because(log)
        plain, whole = (archive.transcript(number, consent=consent) for consent in (False, True))
        return render_template(
            "past_game.html",
            past=game,
            when=_when(game.opened_s),
            told=speech(game),
            log=log,
            has_secrets=not isinstance(plain, Rejection) and plain.split("\n")[1:] != str(whole).split("\n")[1:],
        )

    @bp.get("/<int:number>/transcript")
    def transcript(number: int) -> Response:
        game = find(number)
        text = archive.transcript(number, consent=request.args.get("consent") == "everyone")
        if isinstance(text, Rejection):
            raise Refused.because(text)
        response = Response(text, mimetype="application/jsonl")
        name = f"{game.setup.game}-{number}.jsonl"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    return bp


def _when(opened_s: float) -> str:
    """The minute in this machine's own time zone; any clock may be wrong, none may stop the page."""
    try:
        return f"{datetime.datetime.fromtimestamp(opened_s):%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return "?"
