"""`make damage`: docs/damage.md, written by damaging each file of a table after a power cut, and starting the table.

`python -m tests.damage_page` writes the page.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from appliance.journal.safekeeping.choices import OwnersChoices, write_owners
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.spared import write_spared
from appliance.words.catalogues import words_for
from tests.appliance.journal import crashed as cut_off
from tests.appliance.journal.crashed import COPY, JOURNAL, WAL, Crashed, Kept
from tests.places import DOCS

PAGE = DOCS / "damage.md"
SEAL, WEB, EVENING, OWNER, HOST = "seal.key", "web.key", "evening.json", "owner.json", "host.json"
HEAD = """# Damaged files

`make damage` writes this page. A table with a past game and an open one is stopped as by a power cut, while its newest
entries are only in the write-ahead log. One of its files is damaged, and the table is started again. The entries in its
journal are compared with those that the table had acknowledged. The wall and the touchscreen show the messages. `…` is
the folder with the damaged files. If only a copy or a spare is damaged, the table writes it again without a message. A
single bit flipped in the journal can be in a part of the file that contains no data. [storage.md](storage.md) describes
how entries are restored.

| damaged | how | of what was played | the open game | message |
|---|---|---|---|---|
"""

Hurt = Callable[[Path], None]


class Case(NamedTuple):
    """What a disk did, and what came of it."""

    what: str
    how: str
    entries: int
    kept: int
    goes_on: bool
    told: tuple[str, ...]
    codes: tuple[str, ...]

    def row(self) -> str:
        missing = self.entries - self.kept
        left = "all of it" if not missing else f"the newest {missing} of {self.entries} entries are missing"
        went = "goes on" if self.goes_on else "cannot go on"
        said = "<br>".join(f"`{code}`: {text}" for code, text in zip(self.codes, self.told, strict=True)) or "none"
        return f"| {self.what} | {self.how} | {left} | {went} | {said} |"


def one_by_one() -> Iterator[tuple[str, str, Hurt]]:
    """Yield file, what is done to it, and the deed, which takes the data folder."""
    usual = {
        "zeroed": cut_off.zeroed, "emptied": cut_off.emptied, "cut in half": cut_off.halved,
        "garbled at its beginning": cut_off.garbled, "one bit flipped": cut_off.flipped, "deleted": cut_off.deleted,
    }  # fmt: skip
    names = (
        ("write-ahead log", WAL), ("journal", JOURNAL), ("copy of the journal", COPY), ("key of secrets", SEAL),
        ("spare of that key", f"copy/{SEAL}"), ("key of phones' seats", WEB), ("its spare", f"copy/{WEB}"),
        ("league night, rules, erased names", EVENING), ("the owner's PIN", OWNER),
        ("language, quiet hours", HOST),
    )  # fmt: skip
    for what, name in names:
        for how, damage in usual.items():
            yield what, how, partial(_damaged, name=name, damage=damage)
    yield "journal", "bytes that are not text", lambda folder: cut_off.no_text_in_its_tables(folder / JOURNAL)
    yield "journal", "deleted with its log", lambda folder: cut_off.deleted_with_its_wal(folder / JOURNAL)
    yield "key of secrets", "readable by others", lambda folder: (folder / SEAL).chmod(0o644)
    yield "key of phones' seats", "readable by others", lambda folder: (folder / WEB).chmod(0o644)


def together() -> Iterator[tuple[str, str, Hurt]]:
    """Yield what is damaged at once."""
    for which, place in (("oldest", 40), ("newest", -30)):
        hurt = partial(_the_log_is_lost_and_one_bit, place=place)
        yield f"write-ahead log, {which} record of the copy", "deleted, one bit flipped", hurt
    yield "journal, its log, a record of the copy", "zeroed, deleted, lost", _a_record_is_lost
    yield "journal, its log, the copy", "zeroed, deleted, zeroed", _nothing_is_left
    for what, name in (("key of secrets", SEAL), ("key of phones' seats", WEB)):
        yield f"{what} and its spare", "emptied", partial(_both_emptied, name=name)
    for name in (EVENING, OWNER, HOST):
        yield f"{name} and its spare", "emptied", partial(_both_emptied, name=name)


def _the_log_is_lost_and_one_bit(folder: Path, place: int) -> None:
    (folder / WAL).unlink()
    copy = bytearray((folder / COPY).read_bytes())
    copy[place] ^= 1
    (folder / COPY).write_bytes(copy)


def _a_record_is_lost(folder: Path) -> None:
    _nothing_is_left(folder, but=COPY)
    records = list(CopyFile(folder / COPY).rows())
    (folder / COPY).unlink()
    CopyFile(folder / COPY).extend([*records[:-3], *records[-2:]])


def _nothing_is_left(folder: Path, but: str = "") -> None:
    cut_off.zeroed(folder / JOURNAL)
    (folder / WAL).unlink()
    if not but:
        cut_off.zeroed(folder / COPY)


def _damaged(folder: Path, name: str, damage: cut_off.Damage) -> None:
    damage(folder / name)


def _both_emptied(folder: Path, name: str) -> None:
    for path in (folder / name, folder / "copy" / name):
        path.write_bytes(b"")


def tried(what: str, how: str, hurt: Hurt, scratch: Path) -> Case:
    """Cut a table off, hurt its folder, start it, and look at what is there."""
    cut = Crashed(scratch)
    for path in (cut.folder / EVENING, cut.folder / "copy" / EVENING):
        path.write_text('{"erased": {"ann": 2}}', encoding="utf-8")
    write_owners(cut.folder / OWNER, OwnersChoices(f"{'0123' * 8}:{'4567' * 32}", done=True))
    write_spared(cut.folder / HOST, b'{"language": "de", "quiet_from_h": 22}')
    whole = list(CopyFile(cut.folder / COPY).rows())
    hurt(cut.folder)
    table = Kept(cut.folder)
    try:
        rows = table.journal.rows_after(0, cut.last)
        kept = sum(one == other for one, other in zip(rows, whole, strict=False))
        remarks = tuple(table.table.snapshot().remarks.values())
        goes_on = table.table.history() == cut.history if kept == cut.last else table.table.snapshot().game is not None
        say = words_for("en").say
        values = [one.values | ({"kept": "…"} if one.values.get("kept") else {}) for one in remarks]
        told = tuple(say(f"remark.{one.code}", value) for one, value in zip(remarks, values, strict=True))
        return Case(what, how, cut.last, kept, goes_on, told, tuple(one.code for one in remarks))
    finally:
        table.close()


def cases() -> Iterator[Case]:
    """Try everything."""
    for what, how, hurt in (*one_by_one(), *together()):
        with tempfile.TemporaryDirectory() as scratch:
            yield tried(what, how, hurt, Path(scratch))


def page() -> str:
    """Return the page."""
    return HEAD + "".join(f"{case.row()}\n" for case in cases())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
