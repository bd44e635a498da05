"""Maps and cards as TOML files: our own, and those that owners wrote down from their box.

`python -m appliance.games.haulers.edition_files FILE` checks a file and says everything that is wrong with it.
"""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.game import Rejection
from appliance.games.haulers.edition import RULE, Edition, problems
from appliance.words import words

FOLDER = Path(__file__).with_name("editions")
OUR_FILE = FOLDER / "two_shores.toml"


def load_edition(path: Path) -> Edition | tuple[Rejection, ...]:
    """Return the edition in the TOML file at `path`, or everything that is wrong with it.

    Codes: `edition_unreadable`, `edition_not_toml`, `edition_shape`, and those of `problems`.
    """
    try:
        given: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        return (Rejection("edition_unreadable", RULE, {"file": str(path), "why": error.strerror or "unknown"}),)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return (Rejection("edition_not_toml", RULE, {"file": str(path), "why": str(error)}),)
    try:
        edition = msgspec.convert(given, Edition)
    except msgspec.ValidationError as error:
        return (Rejection("edition_shape", RULE, {"detail": str(error)}),)
    return tuple(problems(edition)) or edition


def editions(folder: Path = FOLDER) -> dict[str, Edition]:
    """Return every playable edition in `folder` by its file's name, ours first; faulty files are left out."""
    found = {path.stem: load_edition(path) for path in sorted(folder.glob("*.toml"))}
    good = {stem: edition for stem, edition in found.items() if isinstance(edition, Edition)}
    return dict(sorted(good.items(), key=lambda named: not named[1].ours))


@cache
def our_edition() -> Edition:
    """Return our own map and cards, labelled as ours (AP-9)."""
    edition = load_edition(OUR_FILE)
    assert isinstance(edition, Edition), edition
    return edition


def main(arguments: list[str]) -> int:
    """Check files; return 0 when all are good, else 2."""
    say = words("en", "haulers").say
    worst = 0
    for name in arguments:
        found = load_edition(Path(name))
        if isinstance(found, Edition):
            squares = sum(line.squares for line in (*found.roads, *found.sea))
            counts = f"{len(found.cities)} cities, {squares} squares between, {len(found.deliveries)} deliveries"
            sys.stdout.write(f"{name}: good ({counts})\n")
        else:
            worst = 2
            for problem in found:
                sys.stdout.write(f"{name}: {say(f'rejection.{problem.code}', problem.values)}\n")
    return worst


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
