"""A restore that a power cut interrupts at any step leaves the old journal whole or the new one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.records import open_records
from appliance.journal.safekeeping.restoring import put_back
from appliance.journal.safekeeping.staging import STAGED
from appliance.words.errors import TableError
from tests.appliance.games.porters import Cross
from tests.appliance.journal.crashed import COPY, JOURNAL, WAL, Crashed, Kept, changed, garbled

CHANGES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "os.truncate"})
"""What Python tells its audit hooks of changes to folders."""
MOST_STEPS = 100
CUT = 9


def cut_off_at(step: int, deed: Callable[[], object]) -> bool:
    """Do `deed` in a process that ends right before its change number `step`; return whether it came so far."""
    child = os.fork()
    if child == 0:
        left = [step]

        def count(event: str, _: object) -> None:
            left[0] -= event in CHANGES
            if left[0] == 0:
                os._exit(CUT)

        sys.addaudithook(count)
        try:
            deed()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, CUT)
    return status == CUT


def each_cut(folder: Path, deed: Callable[[Path], object], least: int = 6) -> Iterator[Path]:
    """Yield a copy of the folder for every step at which `deed` was cut off, then one on which it ended.

    :param least: how many there are at least.
    """
    for step in range(1, MOST_STEPS):
        scene = folder.with_name(f"cut-{step}")
        shutil.copytree(folder, scene)
        cut = cut_off_at(step, partial(deed, scene))
        yield scene
        if not cut:
            assert step >= least, "there was something to cut"
            return
    raise AssertionError("it does not end")


def story(folder: Path) -> object:
    table = Kept(folder)
    history = table.table.history()
    table.close()
    return history


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_putting_back_a_backup(crashed: Crashed, tmp_path: Path) -> None:
    backup = tmp_path / "saturday.sqlite3"
    back_up(crashed.folder / JOURNAL, backup)
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    later = table.table.history()
    table.close()
    stories = [story(scene) for scene in each_cut(crashed.folder, lambda scene: put_back(backup, scene))]
    new = stories.index(crashed.history)
    assert stories == [later] * new + [crashed.history] * (len(stories) - new)
    assert 0 < new < len(stories) - 1, "some cuts are before it is decided, some after"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_whoever_backs_up_before_the_next_start_is_told_of_the_interrupted_restore(
    crashed: Crashed, tmp_path: Path
) -> None:
    backup = tmp_path / "saturday.sqlite3"
    back_up(crashed.folder / JOURNAL, backup)
    codes = set()
    for number, scene in enumerate(each_cut(crashed.folder, lambda scene: put_back(backup, scene))):
        try:
            back_up(scene / JOURNAL, tmp_path / f"copy-{number}")
        except TableError as error:
            codes.add(error.code)
    assert codes == {"restore_interrupted"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("own", [COPY, JOURNAL])
def test_a_restore_from_the_tables_own_file_that_is_run_again_says_what_has_become_of_it(
    crashed: Crashed, tmp_path: Path, own: str
) -> None:
    codes = set()
    for scene in each_cut(crashed.folder, lambda scene: put_back(scene / own, scene)):
        try:
            put_back(scene / own, scene)
        except TableError as error:
            codes.add(error.code)
            moved = Path(str(error.values["kept"]))
            assert story(scene) == crashed.history, "the restore is complete"
            assert put_back(moved, scene).games == 2
        assert story(scene) == crashed.history
    assert codes == ({"restore_moved"} if own == COPY else set())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_start_that_mends_a_damaged_journal_which_goes_further_than_its_copy(crashed: Crashed) -> None:
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    later = table.table.history()
    table.journal.checkpoint()
    table.close()
    (crashed.folder / f"{JOURNAL}.suspect").touch()
    for scene in each_cut(crashed.folder, lambda scene: open_records(scene).journal.close()):
        assert story(scene) == later


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_damaged_files_are_kept_whole(crashed: Crashed) -> None:
    changed(garbled, crashed.folder / JOURNAL)
    was = {name: (crashed.folder / name).read_bytes() for name in (JOURNAL, WAL)}
    for scene in each_cut(crashed.folder, lambda scene: open_records(scene).journal.close()):
        assert story(scene) == crashed.history
        kept = {path.name: path.read_bytes() for folder in scene.glob("damaged-*") for path in folder.iterdir()}
        assert kept == was
        assert not list(scene.glob("restoring*"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("hurt", [b"\xff" * 40, b"\n" * (2**20 + 1)], ids=["garbled", "endless"])
def test_without_the_list_of_what_it_replaces_a_restore_replaces_nothing_and_names_it(
    crashed: Crashed, tmp_path: Path, hurt: bytes
) -> None:
    backup = tmp_path / "saturday.sqlite3"
    back_up(crashed.folder / JOURNAL, backup)
    scenes = each_cut(crashed.folder, lambda scene: put_back(backup, scene))
    scene = next(scene for scene in scenes if (scene / STAGED / "away").exists())
    listed, was = scene / STAGED / "away", (scene / JOURNAL).read_bytes()
    whole = listed.read_bytes()
    listed.write_bytes(hurt)
    with pytest.raises(TableError) as refused:
        open_records(scene)
    assert (refused.value.code, refused.value.values["path"]) == ("file_unusable", str(listed))
    assert (scene / JOURNAL).read_bytes() == was
    listed.write_bytes(whole)
    assert story(scene) == crashed.history
