"""No file, whatever is in it, brings a traceback, takes without end, or is refused without a code and a sentence.

Truth: the good files, which commands take, and nothing else; what comes of a bad one is its refusal or its meaning.
"""

from __future__ import annotations

import os
import random
import re
import resource
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from tests.fuzz.doors import DOORS, Door

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

SECONDS = float(os.environ.get("FUZZ_SECONDS", "20"))
"""How long `make fuzz` throws at each door."""
SEED = int(os.environ.get("FUZZ_SEED", str(time.time_ns() % 10**6)))
FEWEST = 10
"""Files at each door, however long they take."""
LONGEST_S = 30.0
"""Of processor time for one command: a good file takes a tenth of a second."""
LONGEST_REFUSAL = 1_000
"""Characters of a sentence that tells why a file is refused: what is in the file is quoted in part."""
MOST_MORE_KIB = 1_500_000

EVERY_DOOR = pytest.mark.parametrize("door", DOORS, ids=[door.name.replace(" ", "-") for door in DOORS])


class Thrower:
    """Throws at one door and keeps count of what came of it."""

    def __init__(self, door: Door, folder: Path) -> None:
        self.door, self.folder = door, folder
        self.outcomes: Counter[str] = Counter()
        for name, content in door.beside.items():
            (folder / name).write_bytes(content)

    def throw(self, content: bytes) -> None:
        bad = self.folder / self.door.file
        bad.write_bytes(content)
        for command in self.door.commands:
            arguments = [re.sub(r"{([^}]+)}", self._named, each) for each in command]
            begun_s = time.process_time()
            result = CliRunner().invoke(main, arguments)
            took_s = time.process_time() - begun_s
            self.outcomes[judged(result, arguments, took_s)] += 1

    def _named(self, found: re.Match[str]) -> str:
        return str(self.folder / (self.door.file if found[1] == "bad" else found[1]))


def judged(result: Result, arguments: list[str], took_s: float) -> str:
    """Return what came of a command: "good", or the code of its refusal."""
    assert result.exception is None or isinstance(result.exception, SystemExit), (arguments, result.exception)
    assert result.exit_code in (0, 1, 2), (arguments, result.exit_code)
    assert "Traceback" not in result.output
    assert took_s < LONGEST_S, (arguments, took_s)
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", result.stderr), (arguments, result.stderr[:300])
    if result.exit_code == 0:
        return "good"
    longest = max(result.stderr.splitlines(), key=len, default="")
    assert len(longest) < LONGEST_REFUSAL, (arguments, longest[:300])
    codes = re.findall(r'(?:"code":"|\[|: )([a-z]+(?:_[a-z0-9]+)*)(?:"|\]\n|: )', result.output)
    assert codes, (arguments, result.output)
    return str(codes[0])


@pytest.fixture(autouse=True)
def nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SMUGGLERS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))


@EVERY_DOOR
def test_a_few_bad_files(door: Door, tmp_path: Path) -> None:
    thrower, rng = Thrower(door, tmp_path), random.Random(door.name)
    for _ in range(12):
        thrower.throw(door.throw(rng))


@pytest.mark.fuzz
@EVERY_DOOR
def test_bad_files_for_a_while(door: Door, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thrower = Thrower(door, tmp_path)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    until_s = time.monotonic() + SECONDS
    number = 0
    for number in count(1):
        content = door.throw(random.Random(SEED + number))
        try:
            thrower.throw(content)
        except BaseException:
            kept = Path(tempfile.gettempdir()) / f"fuzz-{door.name.replace(' ', '-')}-{SEED + number}"
            kept.write_bytes(content)
            with capsys.disabled():
                print(f"\n{door.name}: FUZZ_SEED={SEED}, case {number}; the file is kept as {kept}")
            raise
        if number >= FEWEST and time.monotonic() > until_s:
            break
    more_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
    took_s = time.monotonic() - until_s + SECONDS
    common = ", ".join(f"{outcome} {times}" for outcome, times in thrower.outcomes.most_common(5))
    with capsys.disabled():
        print(f"\n{door.name}: {number} files in {took_s:.0f} s, {len(thrower.outcomes)} outcomes", end=", ")
        print(f"{more_kib // 1024} MiB more: {common}")
    assert more_kib < MOST_MORE_KIB
