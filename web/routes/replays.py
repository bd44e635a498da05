"""Replays of rolls: their moments in words and their pictures. A kept roll has pictures alone.

Nothing of it is stored on disk or in the browser.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify

from appliance.sensing.roll_replays import RollReplay
from appliance.table.codes import reject
from web.context import Web
from web.errors import Refused
from web.evening.kept_rolls import Clip

GONE = reject("replay_gone", "")


def blueprint(web: Web) -> Blueprint:
    """Return the routes, for the touchscreen and the players. The replay that the touchscreen shows is public."""
    bp = Blueprint("replays", __name__, url_prefix="/replays")

    def asked_for(number: int) -> RollReplay | Clip:
        snapshot = web.table.snapshot()
        if snapshot.watched != number:
            web.access().need_player()
        if (kept := web.kept_rolls.of(number)) is not None and all(one.number != number for one in snapshot.replays):
            return kept
        replay = web.replays.of(number) if web.replays is not None else None
        if replay is None or all(one.number != number for one in snapshot.replays):
            raise Refused.because(GONE, 404)
        return replay

    def pictures_of(replay: RollReplay | Clip) -> tuple[bytes, ...]:
        if isinstance(replay, Clip):
            return replay.jpegs
        return replay.jpegs() if web.host.choices.live_picture else ()

    @bp.get("/<int:number>")
    def moments(number: int) -> Response:
        replay, say = asked_for(number), web.speech()
        pictures = pictures_of(replay)
        told: list[dict[str, Any]] = [
            {
                "sense": one.sense,
                "code": one.code,
                "at": one.at if pictures else order,
                "said": say(f"replay.{one.sense}.{one.code}{'' if one.lane is None else '.lane'}", {"lane": one.lane}),
            }
            for order, one in enumerate(() if isinstance(replay, Clip) else replay.moments)
        ]
        wide, high = replay.size_px
        return jsonify(
            number=number,
            size=[wide, high],
            offsets_ms=replay.offsets_ms if pictures else [],
            lengths=[len(jpeg) for jpeg in pictures],
            still=replay.still if pictures else None,
            moments=told,
        )

    @bp.get("/<int:number>/pictures")
    def pictures(number: int) -> Response:
        """Return all pictures, concatenated. `moments` returns their lengths."""
        return Response(b"".join(pictures_of(asked_for(number))), mimetype="application/octet-stream")

    @bp.get("/<int:number>/still.jpg")
    def still(number: int) -> Response:
        """Return the picture at the fence; 204 if there is none."""
        replay = asked_for(number)
        pictures = pictures_of(replay)
        if replay.still is None or not pictures:
            return Response(status=204)
        return Response(pictures[replay.still], mimetype="image/jpeg")

    return bp
