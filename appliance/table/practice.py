"""Trial passages (SM-13): the screens say passed or stuck, and nothing is stored."""

from __future__ import annotations

from appliance.games.protocol import Rejection, Remark
from appliance.table.codes import TableRemark, reject, remark
from appliance.table.game.open_game import OpenGame
from hardware.readings import BeamPassage, Device, PassageSeen, Reading

TOPIC = "practice"
TRACK: frozenset[Device] = frozenset({"camera", "beams"})
"""The devices that watch the track. A game that uses one of them has practice."""
SAME_PASSAGE_S = 3.0
"""Readings of camera and beams within this time belong to the same passage."""


def against_practice(open_game: OpenGame | None) -> Rejection | None:
    """Return why practice may not begin now: `practice_no_track`, `practice_over` or `game_paused`; None: it may.

    :param open_game: None: the lobby, where it may always begin.
    """
    if open_game is None:
        return None
    history = open_game.history
    if history.game.devices(history.setup).isdisjoint(TRACK):
        return reject("practice_no_track", "SM-13")
    if history.begun:
        return reject("practice_over", "SM-13")
    return reject("game_paused", "") if open_game.paused else None


class Practice:
    """Judges trial passages by camera and beams. A contradiction gives the remark `practice_unsure`."""

    def __init__(self) -> None:
        self._last: dict[type[Reading], tuple[float, TableRemark]] = {}

    def sense(self, reading: Reading) -> Remark | None:
        """Return what to say about `reading`: practice_passed, practice_stuck, practice_unsure; None: nothing."""
        verdict: TableRemark
        match reading:
            case PassageSeen(outcome="passed") | BeamPassage(outcome="passed"):
                verdict = "practice_passed"
            case PassageSeen(outcome="stuck") | BeamPassage(outcome="blocked"):
                verdict = "practice_stuck"
            case PassageSeen(outcome="unknown"):
                verdict = "practice_unsure"
            case _:
                return None
        other = BeamPassage if isinstance(reading, PassageSeen) else PassageSeen
        said_s, said = self._last.get(other, (float("-inf"), verdict))
        self._last[type(reading)] = (reading.t_s, verdict)
        agreed = said == verdict or reading.t_s - said_s > SAME_PASSAGE_S
        return remark(TOPIC, verdict if agreed else "practice_unsure")
