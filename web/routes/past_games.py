"""The past games: their list, the log of each, saving one as a file, and importing such a file."""

from __future__ import annotations

import datetime
import io
import secrets
import time
from typing import IO, Any

import msgspec
from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from appliance.games.protocol import Rejection, Setup
from appliance.journal.transcript import TranscriptError, read_transcript
from appliance.snapshot import PastGame
from appliance.words.catalogues import words_for
from web.context import Web
from web.doors.seats import code_svg
from web.errors import Refused, or_refuse
from web.words.speech import Speech, speech_of

FILE_MOST_BYTES = 1024 * 1024
"""Largest uploaded transcript: many hours of play. The limit of other requests is far smaller."""
LISTED = 200
ERASED = "guest"
"""The name in files of a guest whose name was erased. It is not translated, like everything in these files."""


def blueprint(web: Web) -> Blueprint:
    """Return the routes, for the kiosk only."""
    bp = Blueprint("past_games", __name__, url_prefix="/kiosk/games")
    table, sticks = web.table, web.site.sticks

    @bp.before_request
    def kiosk_only() -> ResponseReturnValue | None:
        if web.access().is_kiosk:
            return None
        return redirect(url_for("host.unlock", back="/kiosk/games"))

    def speech(past: PastGame) -> Speech:
        return speech_of(past.setup, web.language())

    def shown(past: PastGame) -> PastGame:
        called = words_for(web.language()).say("guests.somebody")
        return msgspec.structs.replace(past, setup=renamed(past, called))

    def renamed(past: PastGame, called: str) -> Setup:
        return web.evening.without_erased(past.setup, past.game, called)

    def find(number: int) -> PastGame:
        past = or_refuse(table.past_game(number))
        if past is None:
            raise Refused(404, "no_such_game")
        return shown(past)

    def ways() -> dict[str, Any]:
        """Return how files are transferred: on the own screen by USB stick or phone, elsewhere by the browser."""
        if not web.access().is_own_screen:
            return {"by_browser": True}
        address = f"{web.site.phone_base()}{url_for('past_games.listed')}"
        code = Markup(code_svg(address)) if web.keys.has_pin else None  # noqa: S704  # our own drawing
        return {"by_browser": False, "stick_problem": sticks.problem(), "address": address, "code": code}

    @bp.get("")
    def listed(problem: TranscriptError | None = None) -> str:
        read = map(shown, or_refuse(table.past_games(LISTED)))
        games = [(past, speech(past), _when(past.opened_s)) for past in read]
        here = ways()
        files = () if here["by_browser"] or here["stick_problem"] else sticks.files()
        return render_template(
            "past_games.html", past_games=games, problem=problem, import_id=secrets.token_hex(12), files=files, **here
        )

    @bp.post("")
    def take_in() -> ResponseReturnValue:
        request.max_content_length = FILE_MOST_BYTES
        file = request.files.get("file")
        if file is None or not file.filename:
            raise Refused(422, "no_file")
        return taken(file.stream)

    @bp.post("/stick")
    def take_in_from_stick() -> ResponseReturnValue:
        content = sticks.read(request.form.get("file", ""), FILE_MOST_BYTES)
        return taken(io.BytesIO(or_refuse(content, back=url_for("past_games.listed"))))

    def taken(stream: IO[bytes]) -> ResponseReturnValue:
        transcript = read_transcript(stream, web.language())
        if isinstance(transcript, TranscriptError):
            return listed(transcript), 422
        answer = table.import_game(transcript.setup, transcript.actions, request.form.get("id", ""))
        return redirect(url_for("past_games.past", number=or_refuse(answer, game=transcript.setup.game).seq))

    def kinds_of_file(number: int) -> dict[str, bool]:
        """Return whether a file of the finished game can tell secrets, and whether there is one that tells none."""
        plain, whole = (table.past_transcript(number, consent=consent) for consent in (False, True))
        if isinstance(plain, Rejection) and plain.code == "no_stand_ins":
            return {"has_secrets": True, "has_stand_ins": False}
        return {"has_secrets": _actions(or_refuse(plain)) != _actions(or_refuse(whole)), "has_stand_ins": True}

    @bp.get("/<int:number>")
    def past(number: int) -> str:
        game = find(number)
        return render_template(
            "past_game.html",
            **ways(),
            saved=request.args.get("saved"),
            past=game,
            when=_when(game.opened_s),
            told=speech(game),
            log=or_refuse(table.past_log(number)),
            **(kinds_of_file(number) if game.outcome is not None else {}),
        )

    def file_of(number: int, consent: str | None) -> tuple[str, str]:
        """Return the name and the text of the file of a past game."""
        game = find(number)
        text = or_refuse(table.past_transcript(number, consent=consent == "everyone"))
        first, _, rest = text.partition("\n")
        given = msgspec.json.decode(first, type=Setup)
        setup = renamed(msgspec.structs.replace(game, setup=given), ERASED)
        if setup != given:
            text = f"{msgspec.json.encode(setup).decode()}\n{rest}"
        return f"{game.setup.game}-{number}.jsonl", text

    @bp.post("/<int:number>/stick")
    def save_to_stick(number: int) -> ResponseReturnValue:
        name, text = file_of(number, request.form.get("consent"))
        saved = or_refuse(sticks.save(name, text.encode()), back=url_for("past_games.past", number=number))
        return redirect(url_for("past_games.past", number=number, saved=saved))

    @bp.get("/<int:number>/transcript")
    def transcript(number: int) -> Response:
        name, text = file_of(number, request.args.get("consent"))
        response = Response(text, mimetype="application/jsonl")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    return bp


def _actions(transcript: str) -> str:
    """Return the lines after the first, which is the set-up."""
    return transcript.partition("\n")[2]


def _when(opened_s: float) -> str:
    """Return the minute in this machine's time zone. A wrong clock must not break the page."""
    time.tzset()  # the owner may have changed the zone since libc read it
    try:
        return f"{datetime.datetime.fromtimestamp(opened_s):%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return "?"
