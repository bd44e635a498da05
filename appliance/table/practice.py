"""Trial passages (SM-13): the screens say passed or stuck, and nothing is stored."""

from __future__ import annotations

from appliance.games.protocol import Remark
from appliance.table.codes import TableRemark, remark
from hardware.readings import BeamPassage, PassageSeen, Reading

TOPIC = "practice"
SAME_ROLL_S = 3.0
"""Readings of camera and beams within this time belong to the same passage."""


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
        agreed = said == verdict or reading.t_s - said_s > SAME_ROLL_S
        return remark(TOPIC, verdict if agreed else "practice_unsure")
