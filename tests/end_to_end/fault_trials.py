"""Faults switched on in each phase of a game of Smugglers in lockstep: what is told, when, and what is judged then."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from appliance.games.game_words import words_of
from appliance.table.device_watch import DOUBTS
from hardware.twin.faults import FAULTS
from hardware.twin.world.truth import Rolled, Weighed
from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.verdicts import Witness

PHASES = ("roll", "sculpt", "test", "rank", "inspect", "reveal")
SEED = 3
HELD_S = 10.0
"""A fault is held for so long, and so long is waited for its end to be told."""
BEGINNING_S = 0.5
"""A phase has just begun for so long."""
LONGEST_S = 700.0
"""Simulated seconds after which phases that were not reached are given up."""
SWAPPED = "sphere swapped"
NEEDS_A_SPHERE = frozenset({"beam dead", "back beam dead", SWAPPED})
"""Nothing can tell these before the next sphere crosses the beams, or lies on the pan."""


def device_of(fault: str) -> str:
    """Return the device that a fault breaks."""
    if fault in ("scale unplugged", "stuck bit", "noisy supply", SWAPPED):
        return "scale"
    return "beams" if "beam" in fault else "camera"


@dataclass
class Spell:
    """One time that faults were on: what came of each, by its name."""

    faults: tuple[str, ...]
    phase: str
    told_s: dict[str, float] = field(default_factory=dict)
    """Seconds from the fault to its word; from the sphere that shows it, for those that need one."""
    words: dict[str, str] = field(default_factory=dict)
    recovered_s: dict[str, float] = field(default_factory=dict)
    judged: int = 0
    wrong: tuple[str, ...] = ()


@dataclass
class Trial:
    """All spells of some faults in one game."""

    faults: tuple[str, ...]
    spells: list[Spell] = field(default_factory=list)
    wrong: tuple[str, ...] = ()
    judged: int = 0


class Experiment:
    """Plays one game, and breaks `faults` at the beginning of each phase."""

    def __init__(self, folder: Path, faults: Iterable[str], phases: Iterable[str] = PHASES) -> None:
        self._table = LockstepTable(folder, seed=SEED, players=2, goal="full", hourglass_s=4)
        self._witness = Witness(self._table)
        self._trial = Trial(tuple(faults))
        self._phases = tuple(phases)
        self._say = words_of("en", "smugglers")

    def run(self) -> Trial:
        """Play until each phase had its spell, or for `LONGEST_S`."""
        table, left = self._table, list(self._phases)
        was, entered_s = None, self._now_s
        try:
            until_s = self._now_s + LONGEST_S
            while left and self._now_s < until_s and not table.is_over():
                self._advance()
                phase = table.view.phase if table.table.snapshot().state is not None else None
                if phase != was:
                    was, entered_s = phase, self._now_s
                if phase in left and self._now_s - entered_s <= BEGINNING_S and self._calm():
                    left.remove(phase)
                    self._spell(phase)
            self._trial.wrong, self._trial.judged = tuple(self._witness.wrong), self._witness.judged
            return self._trial
        finally:
            table.close()

    @property
    def _now_s(self) -> float:
        return self._table.clock.now_s()

    def _advance(self) -> None:
        self._table.advance()
        self._witness.look()

    def _calm(self) -> bool:
        """Whether every device works, as far as the screens tell."""
        health = self._table.table.snapshot().health
        return len(health) >= 3 and all(said.status == "ok" for said in health.values())

    def _spell(self, phase: str) -> None:
        table, spell = self._table, Spell(self._trial.faults, phase)
        began_s, judged, wrong = self._now_s, self._witness.judged, len(self._witness.wrong)
        for fault in spell.faults:
            table.twin.faults.switch(fault, True)
        while self._now_s < began_s + HELD_S:
            self._advance()
            for fault in spell.faults:
                if fault not in spell.told_s and (said := self._told(fault)):
                    spell.told_s[fault] = self._now_s - self._shown_s(fault, began_s)
                    spell.words[fault] = said
        for fault in spell.faults:
            table.twin.faults.switch(fault, False)
        ended_s = self._now_s
        lasting = [fault for fault in spell.told_s if fault != SWAPPED]
        while self._now_s < ended_s + HELD_S and len(spell.recovered_s) < len(lasting):
            self._advance()
            for fault in lasting:
                if fault not in spell.recovered_s and not self._told(fault):
                    spell.recovered_s[fault] = self._now_s - ended_s
        spell.judged = self._witness.judged - judged
        spell.wrong = tuple(self._witness.wrong[wrong:])
        self._trial.spells.append(spell)

    def _told(self, fault: str) -> str:
        """Return what the screens say of the device that `fault` breaks; "" while they say nothing."""
        snapshot = self._table.table.snapshot()
        if fault == SWAPPED:
            remark = snapshot.remarks.get("other")
            return self._say.say("remark.other_sphere_on_pan", {"owner": "…"}) if remark is not None else ""
        said = [code for one in snapshot.faults if one.device == device_of(fault) for code in one.codes]
        mine = [code for code in said if fault != "marker hidden" or code in DOUBTS]
        back = [code for code in mine if code.startswith("beam_back") == fault.startswith("back")]
        return "; ".join(self._say.say(f"health.{code}") for code in (back if "beam" in fault else mine))

    def _shown_s(self, fault: str, began_s: float) -> float:
        """Return since when `fault` could be known."""
        if fault not in NEEDS_A_SPHERE:
            return began_s
        truth = [fact for fact in self._table.twin.world.truth if fact.t_s >= began_s]
        if fault == SWAPPED:
            shown = [fact.t_s for fact in truth if isinstance(fact, Weighed)]
        else:
            breaks = ("passed", "stuck") if fault == "beam dead" else ("passed",)
            shown = [fact.t_s for fact in truth if isinstance(fact, Rolled) and fact.outcome in breaks]
        return min(shown, default=began_s)


def try_faults(faults: tuple[str, ...], phases: Iterable[str] = PHASES) -> Trial:
    """Run one experiment in a folder of its own."""
    unknown = set(faults) - set(FAULTS)
    assert not unknown, unknown
    with tempfile.TemporaryDirectory() as folder:
        return Experiment(Path(folder), faults, phases).run()
