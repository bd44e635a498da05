"""Plays Porters on the folder named by its argument and prints every acknowledged entry; made to be killed."""

import itertools
import sys
from pathlib import Path
from uuid import uuid4

from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.snapshot import Accepted, Submission
from appliance.table.table import Table
from hardware.clock import MonotonicClock
from tests.appliance.conftest import setup
from tests.appliance.games.porters import Cross, Hide, Porters


def main() -> None:
    folder, game = Path(sys.argv[1]), Porters()
    records = open_records(folder)
    journal = records.journal
    table = Table(journal=journal, games={"porters": game.declared()}.__getitem__, clock=MonotonicClock())
    Keeper(journal, records.copies, table.tell).start()
    table.start()
    if table.snapshot().game is None:
        table.open_game(setup(), f"open-{journal.last_seq()}")
    print("ready", flush=True)
    for number in itertools.count(journal.last_seq()):
        state, deeds = table.snapshot().state, table.snapshot().correctable
        if number % 7 == 6:
            answer = table.undo(f"undo-{journal.last_seq()}")
        elif number % 5 == 4 and deeds:
            answer = table.amend(deeds[len(deeds) // 2].seq, None, f"amend-{number}-{journal.last_seq()}")
        elif None in state.loads:
            seat = state.loads.index(None)
            answer = table.submit(Submission(id=f"do-{uuid4()}", action=Hide(seat=seat, mass_g=10.25 + seat)))
        else:
            action = Cross(seat=len(state.crossed), outcome="stuck")
            answer = table.submit(Submission(id=f"do-{uuid4()}", action=action))
        if isinstance(answer, Accepted):
            print(answer.seq, flush=True)


if __name__ == "__main__":
    main()
