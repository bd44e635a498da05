"""The PostgreSQL of the tests leaves nothing behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.appliance.hub import postgres
from tests.patience import GIVEN_UP_S
from tests.places import ROOT

STARTS = """
import sys
from pathlib import Path
from tests.appliance.hub.postgres import Postgres, programs
server = Postgres(programs(), Path(sys.argv[1]))
server.start()
print(server.url(), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.skipif(postgres.programs() is None, reason="no PostgreSQL is installed here")
def test_a_server_ends_with_a_test_run_that_is_killed() -> None:
    with postgres.temporary_folder() as folder:
        starts: list[str | Path] = [sys.executable, "-c", STARTS, folder]
        with subprocess.Popen(starts, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            assert run.stdout is not None
            assert b"postgresql://" in run.stdout.readline()
            ended = os.pidfd_open(int((folder / "data" / "postmaster.pid").read_text().splitlines()[0]))
            run.send_signal(signal.SIGKILL)
        assert select.select([ended], [], [], GIVEN_UP_S)[0] == [ended]
        os.close(ended)
